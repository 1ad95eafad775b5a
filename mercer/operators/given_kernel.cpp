#include "mercer/operators/given_kernel.h"

#include "mercer/core/check.h"
#include "mercer/kernels/bandwidth.h"
#include "mercer/kernels/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace mercer {
namespace {

double squared_of(Given given, double entry) {
  return given == Given::distance ? entry * entry : entry;
}

double distance_of(Given given, double entry) {
  return given == Given::distance ? entry : std::sqrt(entry);
}

// The mean distance of a sample to the nearest one that is not at its place.
double mean_nearest(DataView matrix, Given given, const Context& context) {
  Vector row(matrix.dim());
  double sum = 0;
  Index rows = 0;
  for (Index i = 0; i < matrix.n(); ++i) {
    if (i % 256 == 0) context.check_cancelled();
    matrix.copy_row(i, row.data());
    double nearest = std::numeric_limits<double>::infinity();
    for (const double entry : row)
      if (entry > 0) nearest = std::min(nearest, entry);
    if (!std::isfinite(nearest)) continue;
    sum += distance_of(given, nearest);
    ++rows;
  }
  require(rows > 0, ErrorCode::all_rows_equal, "all distances are 0: nothing to find");
  return sum / static_cast<double>(rows);
}

// Lengths that were found; each is looked for once.
class LengthsOfDistances {
 public:
  LengthsOfDistances(DataView matrix, Given given, const Context& context, Warnings* warnings)
      : matrix_(matrix), given_(given), context_(context), warnings_(warnings) {}

  double of(FoundWidth width) {
    std::optional<double>& known = width.rule == WidthRule::nearest ? nearest_ : median_;
    if (!known)
      known = width.rule == WidthRule::nearest ? mean_nearest(matrix_, given_, context_) : median();
    return width.factor * *known;
  }

 private:
  double median() const {
    const auto squared = [this](Index i, Index j) { return squared_of(given_, matrix_.at(i, j)); };
    const Bandwidth width = median_distance(matrix_.n(), squared, context_);
    if (warnings_ != nullptr)
      warnings_->insert(warnings_->end(), width.warnings.begin(), width.warnings.end());
    return width.median;
  }

  DataView matrix_;
  Given given_;
  const Context& context_;
  Warnings* warnings_;
  std::optional<double> nearest_, median_;
};

}  // namespace

bool takes_distances(const Kernel& kernel) {
  const auto is_function_of_distance = [](const AnyFamily& family) {
    return visit_family(
        [](const auto& f) {
          return f.traits.form == Form::radial ||
                 std::is_same_v<std::decay_t<decltype(f)>, Laplacian>;
        },
        family);
  };
  return std::ranges::all_of(kernel.terms(), [&](const KernelTerm& term) {
    return std::ranges::all_of(term.factors, is_function_of_distance);
  });
}

Kernel resolve_of_distances(const Kernel& kernel, DataView matrix, Given given,
                            const Context& context, Warnings* warnings) {
  LengthsOfDistances lengths(matrix, given, context, warnings);
  std::vector<KernelTerm> terms = kernel.terms();
  for (KernelTerm& term : terms) {
    for (std::size_t i = 0; i < term.factors.size(); ++i)
      term.factors[i] = visit_family(
          [&](auto family) -> AnyFamily {
            for (const Parameter& p : parameters_of(family))
              if (std::isnan(*p.value)) *p.value = lengths.of(term.width_of(i, p.name));
            return family;
          },
          term.factors[i]);
    term.widths.clear();
  }
  return Kernel(std::move(terms));
}

void kernel_of_entries(Given given, const Kernel& kernel, std::span<double> entries) {
  if (!is_of_distances(given, kernel)) {
    for (double& entry : entries) entry = kernel_of_entry(given, entry);
    return;
  }
  std::vector<double> sum(entries.size()), product(entries.size());
  for (const KernelTerm& term : kernel.terms()) {
    std::ranges::fill(product, term.weight);
    for (const AnyFamily& family : term.factors)
      visit_family(
          [&](const auto& f) {
            for (std::size_t i = 0; i < entries.size(); ++i)
              product[i] *= f(PairTerms<double>{0, squared_of(given, entries[i]),
                                                distance_of(given, entries[i])});
            return 0;
          },
          family);
    for (std::size_t i = 0; i < entries.size(); ++i) sum[i] += product[i];
  }
  std::ranges::copy(sum, entries.begin());
}

Block cross_kernel(DataView rows, Given given, const Kernel& kernel) {
  Points values(rows.n(), rows.dim());
  for (Index i = 0; i < rows.n(); ++i) {
    double* const row = values.row(i).data();
    rows.copy_row(i, row);
    check_distances({row, static_cast<std::size_t>(rows.dim())}, rows.number_of(i) - 1, given);
    kernel_of_entries(given, kernel, {row, static_cast<std::size_t>(rows.dim())});
  }
  return values;
}

}  // namespace mercer
