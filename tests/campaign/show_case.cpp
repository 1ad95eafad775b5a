// A case for a person: its table as a file, and what was stated beside what is true.
#include "tests/campaign/run_case.h"
#include "tests/campaign/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace mercer::campaign {

std::string save_case(const Configuration& c, const std::string& folder) {
  const Dataset data = make_table({c.data, c.n, c.dim, c.data_seed});
  const Points x = data.view().to_points();
  const std::string name = folder + (data.sparse() ? "/data.mtx" : "/data.csv");
  std::ofstream file(name);
  if (data.sparse()) {
    file << fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", x.rows(),
                        x.cols(), data.view().stored());
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j)
        if (x(i, j) != 0) file << fmt::format("{} {} {:.17g}\n", i + 1, j + 1, x(i, j));
  } else {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j)
        file << fmt::format("{:.17g}{}", x(i, j), j + 1 < x.cols() ? ',' : '\n');
  }
  const std::string line = text_of(c);
  const std::string options = line.substr(line.find(' ', line.find(' ') + 1));
  return fmt::format("mercer fit {}{}{} --json --quiet -o {}/model.mercer", name,
                     data.sparse() ? "" : " --header no", options, folder);
}

std::string describe_case(const Configuration& asked) {
  const Dataset data = make_table({asked.data, asked.n, asked.dim, asked.data_seed});
  Answer a;
  Violations violations;
  Configuration ran = asked;
  std::string text =
      fmt::format("{} x {}{}\n", data.n(), data.dim(), data.sparse() ? ", sparse" : "");
  try {
    a.truth = find_truth(asked, data);
    fit_somehow(ran, data, a, violations);
    a.asked = ran;
    prepare(a);
  } catch (const std::exception& error) {
    return text + error.what() + "\n";
  }
  const Report& r = a.report;
  const Spectrum& s = *r.spectrum;
  const Certificate& proof = s.certificate;
  text += fmt::format(
      "ran: {}\n{} + {}, {}, {} passes; {} {}converged, certificate {} {}complete, angle {:.3g}, "
      "failure {:.1e}, operator error {:.3g}\n",
      text_of(ran), r.plan.operator_name, r.plan.solver_name,
      precision_text(r.plan.precision, r.plan.solver_name), r.plan.passes, outcome_of(a),
      r.converged ? "" : "not ", name_of(proof.kind), proof.complete ? "" : "not ", proof.angle,
      proof.failure, proof.operator_error);
  text += fmt::format(
      "trace {:.17g}, negative share {:.3g} (true {}), max |K| {} mu_1, {} functions removed\n",
      s.trace, s.negative_share,
      number(-a.truth.values.cwiseMin(0).sum() / a.truth.values.cwiseAbs().sum()),
      number(a.truth.largest_entry / a.truth.largest), a.truth.removed);
  for (const Warning& warning : r.warnings)
    text += fmt::format("{}: {}\n", code_text(warning.code), warning.message);
  if (!proof.reason.empty()) text += proof.reason + "\n";
  const Long m = a.truth.largest;
  const LongMatrix u = vectors_of(a);
  text += fmt::format("{:>5} {:>24} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "", "true / mu_1",
                      "mu - true", "upper - true", "residual", "stated", "share");
  for (Index i = 0; i < std::min<Index>(a.values.size(), a.count() + 3); ++i) {
    text += fmt::format("{:5} {:24.17g}", i + 1, static_cast<double>(a.values[i] / m));
    if (i < a.count()) {
      const Long quotient = u.col(i).dot(a.truth.k * u.col(i)) / u.col(i).squaredNorm();
      Long mu = a.mu[i];
      if (a.shifted) mu += a.truth.values[a.truth.values.size() - 1];
      if (a.asked.indefinite == "flip" || a.asked.indefinite == "krein")
        mu = std::copysign(mu, quotient);
      text +=
          fmt::format(" {:>11} {:>11} {:>11} {:>11} {:11.4g}", number((a.mu[i] - a.values[i]) / m),
                      a.upper.size() > i ? number((a.upper[i] - a.values[i]) / m) : "-",
                      number((a.truth.k * u.col(i) - mu * u.col(i)).norm() / m),
                      number(a.residuals[i] / m), s.ratios.size() > i ? s.ratios[i] : NAN);
    }
    text += "\n";
  }
  return text;
}

}  // namespace mercer::campaign
