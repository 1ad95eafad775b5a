#include "mercer/models/component_rules.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/core/text.h"
#include "mercer/data/summary.h"
#include "mercer/models/detail/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

std::string_view name_of(ComponentRule rule) {
  return kComponentRules[static_cast<std::size_t>(rule)];
}

// How columns are moved and scaled before their variances are looked at.
detail::ColumnFrame frame_of(DataView rows, const RuleRequest& request, const Context& context) {
  if (!request.standardised) return detail::centred_frame(rows, context);
  const Summary summary = summarize(rows, context);
  return {summary.mean, summary.deviation.unaryExpr([](double deviation) {
            return deviation > 0 ? 1 / deviation : 0.0;  // a constant column has no correlations
          })};
}

// Eigenvalues below this share of the largest are zeros.
constexpr double kZeroValue = 1e-15;

// ln |A_z| / 2 and the rest of the evidence of k components.
double evidence_of(const Vector& values, Index n, Index k) {
  const Index dim = values.size();
  const double rows = static_cast<double>(n), count = static_cast<double>(k),
               columns = static_cast<double>(dim);
  // Rows of rank k have no noise: their evidence would grow without bound, and is that of rounding.
  const double noise = std::max(values.tail(dim - k).mean(), kZeroValue * values[0]);
  if (values[k - 1] <= kZeroValue * values[0]) return kNever;
  double prior = -count * std::numbers::ln2;
  for (Index i = 1; i <= k; ++i) {
    const double half = static_cast<double>(dim - i + 1) / 2;
    prior += std::lgamma(half) - half * std::log(std::numbers::pi);
  }
  const double likelihood =
      -rows / 2 * (values.head(k).array().log().sum() + (columns - count) * std::log(noise));
  const auto changed = [&](Index i) { return i < k ? values[i] : noise; };
  double curvature = 0;
  for (Index i = 0; i < k; ++i)
    for (Index j = i + 1; j < dim; ++j) {
      const double apart = std::max(values[i] - values[j], kZeroValue * values[0]);
      const double bent = std::max(values[0] / changed(j) - values[0] / changed(i), kZeroValue);
      curvature += std::log(apart / values[0]) + std::log(bent) + std::log(rows);
    }
  const double free = columns * count - count * (count + 1) / 2;
  return prior + likelihood + (free + count) / 2 * std::log(2 * std::numbers::pi) - curvature / 2 -
         count / 2 * std::log(rows);
}

Index by_minka(DataView rows, const RuleRequest& request, const Context& context) {
  if (rows.n() <= rows.dim())
    throw Error(ErrorCode::bad_option_value,
                fmt::format("components = auto:minka: the rule needs more rows than columns; the "
                            "table has {} and {}",
                            grouped(rows.n()), grouped(rows.dim())),
                "use auto:parallel, auto:broken-stick or auto:likelihood, or give a count");
  const Vector values = detail::spectrum_of(rows, frame_of(rows, request, context), context);
  const Vector evidence = minka_evidence(values, rows.n());
  Index best = 0, most = std::min(request.most, evidence.size());
  const auto left = [&](Index k) { return values.tail(values.size() - k).mean(); };
  while (request.leaves_noise && most > 1 && left(most) <= kZeroValue * values[0]) --most;
  evidence.head(most).maxCoeff(&best);
  return best + 1;
}

Index by_broken_stick(DataView rows, const RuleRequest& request, const Context& context) {
  const Vector values = detail::spectrum_of(rows, frame_of(rows, request, context), context);
  const double trace = values.sum();
  double piece = 0;  // of a stick of length 1 broken into dim pieces: the k-th longest
  for (Index i = 1; i <= rows.dim(); ++i) piece += 1 / static_cast<double>(i);
  Index kept = 0;
  while (kept < values.size() && values[kept] * static_cast<double>(rows.dim()) > piece * trace) {
    ++kept;
    piece -= 1 / static_cast<double>(kept);
  }
  return kept;
}

// The table with every column in an order of its own.
class Shuffled {
 public:
  Shuffled(DataView rows, const detail::ColumnFrame& frame, const Context& context)
      : whole_(rows.n(), rows.dim()) {
    Vector row(rows.dim());
    for (Index i = 0; i < rows.n(); ++i) {
      if (i % 4096 == 0) context.check_cancelled();
      rows.copy_row(i, row.data());
      whole_.row(i) = (row - frame.shift).cwiseProduct(frame.factor).transpose();
    }
  }

  /// Columns are shuffled on from where the last table left them.
  Vector next_values(std::uint64_t seed, Index table, const Context& context) {
    const Index n = whole_.rows(), dim = whole_.cols();
    parallel_for(context, dim, [&](Index j) {
      const Random random(seed, static_cast<std::uint64_t>(table * dim + j));
      double* column = whole_.col(j).data();
      for (Index i = n - 1; i > 0; --i)
        std::swap(
            column[i],
            column[random.below(static_cast<std::uint64_t>(i) + 1, static_cast<std::uint64_t>(i))]);
    });
    Block matrix = Block::Zero(std::min(n, dim), std::min(n, dim));
    if (dim <= n)
      detail::add_products(whole_.transpose(), matrix, context);
    else
      detail::add_products(whole_, matrix, context);
    matrix /= static_cast<double>(n);
    return detail::values_of(matrix, context);
  }

 private:
  Block whole_;
};

// The quantile between order statistics, as R's default has it.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double part = at - static_cast<double>(below);
  return below + 1 < values.size() ? values[below] + part * (values[below + 1] - values[below])
                                   : values[below];
}

Index by_parallel(DataView rows, const RuleRequest& request, const Context& context) {
  constexpr Index kTables = 200;
  constexpr double kQuantile = 0.95;
  const auto side = static_cast<std::uint64_t>(std::min(rows.n(), rows.dim()));
  const MemoryAccount::Hold held = context.hold(
      sizeof(double) * (2 * static_cast<std::uint64_t>(rows.n() * rows.dim()) + side * side),
      "the shuffled table");
  const detail::ColumnFrame frame = frame_of(rows, request, context);
  const Vector values = detail::spectrum_of(rows, frame, context);
  const Index asked = std::min(request.most, values.size());
  std::vector<std::vector<double>> like(static_cast<std::size_t>(asked));
  Shuffled shuffled(rows, frame, context);
  for (Index t = 0; t < kTables; ++t) {
    context.report("shuffled tables", static_cast<double>(t) / kTables);
    context.check_cancelled();
    Context quiet = context;
    quiet.observer.progress = nullptr;
    const Vector found = shuffled.next_values(request.seed, t, quiet);
    for (Index k = 0; k < asked; ++k) like[static_cast<std::size_t>(k)].push_back(found[k]);
  }
  Index kept = 0;
  while (kept < asked && values[kept] > quantile(like[static_cast<std::size_t>(kept)], kQuantile))
    ++kept;
  return kept;
}

// The rows of a table in another order, drawn from the seed.
std::vector<Index> drawn_order(Index n, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const Random random(seed);
  for (Index i = n - 1; i > 0; --i)
    std::swap(
        order[static_cast<std::size_t>(i)],
        order[random.below(static_cast<std::uint64_t>(i) + 1, static_cast<std::uint64_t>(i))]);
  return order;
}

Points rows_at(DataView rows, std::span<const Index> which) {
  Points some(static_cast<Index>(which.size()), rows.dim());
  for (Index i = 0; i < some.rows(); ++i)
    rows.copy_row(which[static_cast<std::size_t>(i)], some.row(i).data());
  return some;
}

// Counts are tried in order, until two in a row do no better than the best before them.
Index by_likelihood(DataView rows, const RuleRequest& request, const Context& context) {
  constexpr Index kParts = 5, kPatience = 2;
  const Index n = rows.n(), parts = std::min(kParts, n);
  const MemoryAccount::Hold held =
      context.hold(sizeof(double) * static_cast<std::uint64_t>(parts * n * rows.dim()),
                   "the rows that are left out, and the others");
  const std::vector<Index> order = drawn_order(n, request.seed);
  std::vector<Points> learnt, left_out;
  for (Index p = 0; p < parts; ++p) {
    const auto begin = static_cast<std::size_t>(p * n / parts),
               end = static_cast<std::size_t>((p + 1) * n / parts);
    std::vector<Index> out(order.begin() + static_cast<std::ptrdiff_t>(begin),
                           order.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<Index> rest(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(begin));
    rest.insert(rest.end(), order.begin() + static_cast<std::ptrdiff_t>(end), order.end());
    std::ranges::sort(out);
    std::ranges::sort(rest);
    left_out.push_back(rows_at(rows, out));
    learnt.push_back(rows_at(rows, rest));
  }
  std::vector<LeftOutDensity> models;
  for (std::size_t p = 0; p < learnt.size(); ++p)
    models.push_back(request.learn(learnt[p], left_out[p]));
  Index best = 1;
  double largest = kNever;
  for (Index k = 1; k <= request.most && k <= best + kPatience; ++k) {
    context.check_cancelled();
    double sum = 0;
    for (const LeftOutDensity& density : models) sum += density(k);
    if (!(sum > largest)) continue;
    largest = sum;
    best = k;
  }
  return best;
}

}  // namespace

ComponentRule rule_of(const Components& components, std::span<const ComponentRule> offered) {
  if (components.rule().empty()) return offered.front();
  std::vector<std::string_view> names;
  for (const ComponentRule rule : offered) {
    names.push_back(name_of(rule));
    if (names.back() == components.rule()) return rule;
  }
  throw Error(ErrorCode::bad_option_value,
              fmt::format("components = {}: there is no rule \"{}\" for this method",
                          printable(components.text()), printable(components.rule())),
              names.size() == 1 ? fmt::format("the only rule is {}", names.front())
                                : fmt::format("the rules are {}", fmt::join(names, ", ")));
}

ChosenComponents chosen_by(ComponentRule rule, Index count) {
  static constexpr std::array<std::string_view, 4> kBy = {"Minka's evidence", "parallel analysis",
                                                          "the broken stick",
                                                          "the likelihood of rows left out"};
  return {count, std::string(name_of(rule)), std::string(kBy[static_cast<std::size_t>(rule)])};
}

Vector minka_evidence(const Vector& values, Index n) {
  Vector evidence(std::max<Index>(values.size() - 1, 0));
  for (Index k = 1; k <= evidence.size(); ++k) evidence[k - 1] = evidence_of(values, n, k);
  return evidence;
}

Index choose_components(DataView rows, const RuleRequest& request, const Context& context) {
  Index found = 1;
  switch (request.rule) {
    case ComponentRule::minka:
      found = by_minka(rows, request, context);
      break;
    case ComponentRule::parallel:
      found = by_parallel(rows, request, context);
      break;
    case ComponentRule::broken_stick:
      found = by_broken_stick(rows, request, context);
      break;
    case ComponentRule::likelihood:
      found = by_likelihood(rows, request, context);
      break;
  }
  return std::clamp<Index>(found, 1, request.most);
}

}  // namespace mercer
