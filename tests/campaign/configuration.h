// One case of the campaign: a table and the options of a fit, written as one line of options such
// as the program takes, with --data in place of a file. The line says everything: what it was drawn
// from is not needed to run it again.
#pragma once

#include "mercer/core/types.h"

#include <cstdint>
#include <string>

namespace mercer::campaign {

struct Configuration {
  std::string data = "normal";  // a kind of tables.h
  Index n = 10, dim = 2;        // as asked for; some kinds have sizes of their own
  std::uint64_t data_seed = 1;

  std::string method = "kernel_pca";
  std::string as = "table";
  std::string kernel = "gaussian";
  std::string components = "2";
  std::string tolerance = "1e-6";
  std::string solver, op;  // empty: the planner's choice
  std::string precision = "auto";
  std::string indefinite = "clip";
  std::string nullspace = "affine";
  std::string certify = "auto";
  bool center = true;
  Index seed = 0;
};

/// The line.
std::string text_of(const Configuration& configuration);
/// The configuration of a line; throws std::invalid_argument for a word it does not know.
Configuration parse_configuration(const std::string& line);
/// Case `number` of a seed.
Configuration draw_configuration(std::uint64_t seed, Index number);

}  // namespace mercer::campaign
