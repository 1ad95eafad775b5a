#include "mercer/operators/taylor_terms.h"

#include "mercer/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

double monomial_count(Index dim, Index degree) {
  const Index few = std::min(dim, degree), many = std::max(dim, degree);
  double count = 1;
  // C(many + i, i) from C(many + i - 1, i - 1): whole numbers all the way, the division is exact
  // below 2^53 (rint removes the rounding of a product above it).
  for (Index i = 1; i <= few && std::isfinite(count); ++i) {
    const double top = count * static_cast<double>(many + i);
    count = std::isfinite(top) ? top / static_cast<double>(i)
                               : count / static_cast<double>(i) * static_cast<double>(many + i);
    if (count < 0x1p53) count = std::rint(count);
  }
  return count;
}

Monomials::Monomials(Index dim, Index degree) : dim_(dim) {
  const double count = monomial_count(dim, degree);
  if (!(count < 0x1p31))
    throw Error(ErrorCode::internal,
                fmt::format("{:.3g} monomials of degree {} in {} variables", count, degree, dim));
  steps_.reserve(static_cast<std::size_t>(count));
  std::vector<double> lead;  // exponent of the first variable of a term
  lead.reserve(static_cast<std::size_t>(count));
  log_factorials_ = Vector::Zero(static_cast<Index>(count));
  steps_.push_back({0, -1});
  lead.push_back(0);
  starts_ = {0, 1};
  // heads[i]: where the terms of the last degree whose first variable is i or later begin. Each
  // variable multiplies those from its own head on: every product once, in graded order.
  std::vector<std::size_t> heads(static_cast<std::size_t>(dim), 0);
  for (Index k = 1; k <= degree; ++k) {
    const std::size_t end = steps_.size();
    for (Index i = 0; i < dim; ++i) {
      std::size_t& head = heads[static_cast<std::size_t>(i)];
      const std::size_t from = head;
      head = steps_.size();
      for (std::size_t parent = from; parent < end; ++parent) {
        const double power = steps_[parent].variable == i ? lead[parent] + 1 : 1;
        log_factorials_[static_cast<Index>(steps_.size())] =
            log_factorials_[static_cast<Index>(parent)] + std::log(power);
        steps_.push_back({static_cast<std::int32_t>(parent), static_cast<std::int32_t>(i)});
        lead.push_back(power);
      }
    }
    starts_.push_back(static_cast<Index>(steps_.size()));
  }
}

Index Monomials::degree_of(Index term) const {
  return std::upper_bound(starts_.begin(), starts_.end(), term) - starts_.begin() - 1;
}

std::vector<Index> Monomials::exponents(Index term) const {
  std::vector<Index> alpha(static_cast<std::size_t>(dim_), 0);
  for (auto t = static_cast<std::size_t>(term); t > 0;
       t = static_cast<std::size_t>(steps_[t].parent))
    ++alpha[static_cast<std::size_t>(steps_[t].variable)];
  return alpha;
}

void Monomials::fill(const Points& rows, double* out, Index ld) const {
  const Block columns = rows;  // column-major: each variable contiguous
  fill(columns.data(), columns.rows(), rows.rows(), nullptr, count(), out, ld);
}

void Monomials::fill(const double* x, Index ldx, Index n, const double* first, Index terms,
                     double* out, Index ld) const {
  using Column = Eigen::Map<Eigen::ArrayXd>;
  using ConstColumn = Eigen::Map<const Eigen::ArrayXd>;
  if (terms < 1) return;
  if (first == nullptr)
    Column(out, n).setOnes();
  else if (first != out)
    Column(out, n) = ConstColumn(first, n);
  for (Index t = 1; t < terms; ++t) {
    const Step step = steps_[static_cast<std::size_t>(t)];
    Column(out + t * ld, n) =
        ConstColumn(x + step.variable * ldx, n) * ConstColumn(out + step.parent * ld, n);
  }
}

}  // namespace mercer
