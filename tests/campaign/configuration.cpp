#include "tests/campaign/configuration.h"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <stdexcept>

namespace mercer::campaign {
namespace {

// "kind,n=40,dim=3,seed=7"
void parse_data(const std::string& text, Configuration& out) {
  std::istringstream parts(text);
  std::string part;
  std::getline(parts, out.data, ',');
  while (std::getline(parts, part, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos) throw std::invalid_argument("--data: " + part);
    const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    if (name == "n")
      out.n = std::stoll(value);
    else if (name == "dim")
      out.dim = std::stoll(value);
    else if (name == "seed")
      out.data_seed = std::stoull(value);
    else
      throw std::invalid_argument("--data: " + part);
  }
}

std::map<std::string, std::string Configuration::*> options() {
  using C = Configuration;
  return {{"--method", &C::method},         {"--as", &C::as},
          {"--kernel", &C::kernel},         {"--components", &C::components},
          {"--tolerance", &C::tolerance},   {"--solver", &C::solver},
          {"--operator", &C::op},           {"--precision", &C::precision},
          {"--indefinite", &C::indefinite}, {"--nullspace", &C::nullspace},
          {"--certify", &C::certify}};
}

}  // namespace

std::string text_of(const Configuration& c) {
  std::string line = fmt::format("--data {},n={},dim={},seed={}", c.data, c.n, c.dim, c.data_seed);
  const auto add = [&](const char* option, const std::string& value, const char* usual) {
    if (value != usual) line += fmt::format(" {} {}", option, value);
  };
  add("--method", c.method, "kernel_pca");
  add("--as", c.as, "table");
  if (c.method == "kernel_pca" && c.as == "table") line += " --kernel " + c.kernel;
  line += fmt::format(" --components {} --tolerance {}", c.components, c.tolerance);
  add("--solver", c.solver, "");
  add("--operator", c.op, "");
  add("--precision", c.precision, "auto");
  add("--indefinite", c.indefinite, "clip");
  add("--nullspace", c.nullspace, "affine");
  add("--certify", c.certify, "auto");
  if (!c.center) line += " --no-center";
  if (c.seed != 0) line += fmt::format(" --seed {}", c.seed);
  return line;
}

Configuration parse_configuration(const std::string& line) {
  const auto known = options();
  Configuration result;
  std::istringstream words(line);
  std::string word, value;
  while (words >> word) {
    if (word == "--no-center") {
      result.center = false;
      continue;
    }
    if (!(words >> value)) throw std::invalid_argument(word + " has no value");
    if (const auto found = known.find(word); found != known.end())
      result.*(found->second) = value;
    else if (word == "--data")
      parse_data(value, result);
    else if (word == "--seed")
      result.seed = std::stoll(value);
    else
      throw std::invalid_argument(word + " is not known");
  }
  return result;
}

}  // namespace mercer::campaign
