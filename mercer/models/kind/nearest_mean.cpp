#include "mercer/models/kind/nearest_mean.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/one_product.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/models/judge.h"
#include "mercer/models/linear_fit.h"
#include "mercer/operators/centered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

// What is known of the class means: products with each other, with every row (for the rows'
// distances), and the classes' shares of the rows.
struct Means {
  Vector sizes, shares;
  Block products;  // <c, c'> up to a constant that is the same for all
  Block images;    // <c, phi(x_i)>, likewise; empty where the means are rows
  Vector squares;  // k(x_i, x_i), likewise
};

Means sizes_of(const Labels& labels) {
  Means means;
  means.sizes = Vector::Zero(static_cast<Index>(labels.classes.size()));
  for (const Index own : labels.of_row) means.sizes[own] += 1;
  means.shares = means.sizes / means.sizes.sum();
  return means;
}

// The function of each class less the one of all rows: coefficients add up to 0, so that constants
// of the kernel do not matter.
Block less_all(const Vector& shares) {
  Block weights = Block::Identity(shares.size(), shares.size());
  weights.colwise() -= shares;
  return weights;
}

Vector constants(const Means& means) {
  const double all = means.shares.dot(means.products * means.shares);
  return (means.products.diagonal().array() - all) / 2;
}

Points class_means(DataView rows, const Labels& labels, const Vector& sizes,
                   const Context& context) {
  Points sums = Points::Zero(sizes.size(), rows.dim());
  // About the first row, so that rows far from the origin lose no digits.
  Vector first(rows.dim()), row(rows.dim());
  rows.copy_row(0, first.data());
  for (Index i = 0; i < rows.n(); ++i) {
    if (i % kBlockRows == 0) context.check_cancelled();
    rows.copy_row(i, row.data());
    sums.row(labels.of_row[static_cast<std::size_t>(i)]) += (row - first).transpose();
  }
  sums.array().colwise() /= sizes.array();
  sums.rowwise() += first.transpose();
  return sums;
}

// <c, c'> of rows, about their mean.
Block products_of(const Points& means, const Vector& shares) {
  const Points moved = means.rowwise() - shares.transpose() * means;
  return moved * moved.transpose();
}

Kernel checked_kernel(const NearestMeanOptions& options, DataView rows, const Context& context,
                      Warnings& warnings) {
  if (options.as != Given::table) {
    const Warnings of_matrix = check_given(rows, options.as);
    warnings.insert(warnings.end(), of_matrix.begin(), of_matrix.end());
    return "linear";  // stands for the kernel that nobody knows
  }
  Kernel kernel = options.kernel.resolve(rows, context, &warnings);
  if (kernel.definite() == Definite::affine)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("{} is positive definite only where affine functions are removed: means "
                    "of classes have no distances there",
                    kernel.formula()),
        "choose another kernel: mercer list kernels");
  return kernel;
}

// The images of all rows under the class means, by one pass over the kernel matrix.
Block mean_coefficients(const Labels& labels, const Vector& sizes) {
  Block a = Block::Zero(static_cast<Index>(labels.of_row.size()), sizes.size());
  for (Index i = 0; i < a.rows(); ++i) {
    const Index own = labels.of_row[static_cast<std::size_t>(i)];
    a(i, own) = 1 / sizes[own];
  }
  return a;
}

void add_products(const Labels& labels, Means& means) {
  means.products = Block::Zero(means.sizes.size(), means.sizes.size());
  for (Index i = 0; i < means.images.rows(); ++i)
    means.products.row(labels.of_row[static_cast<std::size_t>(i)]) += means.images.row(i);
  means.products.array().colwise() /= means.sizes.array();
  means.products = ((means.products + means.products.transpose()) / 2).eval();
}

Block squared_distances(const Block& products) {
  const Vector own = products.diagonal();
  Block squares = -2 * products;
  squares.colwise() += own;
  squares.rowwise() += own.transpose();
  squares.diagonal().setZero();
  return squares;
}

// Distances that cannot be: what a kernel that is not positive semidefinite makes of them.
void warn_of_negative(const Means& means, Warnings& warnings) {
  if (means.squares.size() == 0) return;  // of features there are none
  const Vector own = means.products.diagonal();
  const double size = std::max(own.cwiseAbs().maxCoeff(), means.squares.cwiseAbs().maxCoeff());
  constexpr double kRounding = 1e-12;  // a thousand units, for sums of 1e5 terms
  Index count = 0;
  double least = 0;
  for (Index c = 0; c < own.size(); ++c)
    for (Index i = 0; i < means.squares.size(); ++i) {
      const double square = means.squares[i] - 2 * means.images(i, c) + own[c];
      if (square < -kRounding * size) ++count;
      least = std::min(least, square);
    }
  if (count == 0) return;
  warnings.push_back(
      {WarningCode::negative_eigenvalues,
       fmt::format("{} of {} squared distances between rows and class means are negative (down to "
                   "{:.4g}): the class of the smallest is taken all the same",
                   grouped(count), grouped(own.size() * means.squares.size()), least)});
}

double training_accuracy(const Block& figures, const Labels& labels) {
  Index right = 0;
  for (Index i = 0; i < figures.rows(); ++i) {
    Index best = 0;
    figures.row(i).maxCoeff(&best);
    right += best == labels.of_row[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(figures.rows());
}

void add_figures(const Means& means, double accuracy, Report& report) {
  const auto add = [&](const char* name, Value value) {
    report.figures.push_back({name, std::move(value), true});
  };
  add("class_sizes", Value::of(means.sizes));
  add("training_accuracy", accuracy);
  // By far the largest thing of a model with thousands of classes, and of no use there.
  if (is_shown(means.sizes.size(), means.sizes.size()))
    add("squared_distances", table_value(squared_distances(means.products)));
}

bool is_finite(const Value& value) {
  if (value.is_list()) return std::ranges::all_of(value.as_list(), is_finite);
  return std::isfinite(value.as_number());
}

}  // namespace

void NearestMeanOptions::check(const Value& given) const {
  if (as == Given::table) return;
  if (scale != Scaling::none)
    throw Error(ErrorCode::bad_option_value, "a kernel or distance matrix has no columns to scale",
                "drop --scale");
  if (!given["kernel"].is_null())
    throw Error(ErrorCode::bad_option_value,
                "a kernel or distance matrix comes with its kernel already",
                "drop --kernel, or drop --as");
}

void NearestMean::keep_means(const Prepared& prepared, const Context& context) {
  const Labels& labels = prepared.labels();
  Means means = sizes_of(labels);
  const Dataset points(class_means(prepared.rows, labels, means.sizes, context));
  means.products = products_of(points.view().to_points(), means.shares);
  expansion_.over_rows(points, make_frame(expansion_.kernel(), points, true, context),
                       less_all(means.shares), Vector::Zero(means.sizes.size()));
  // M (I - p1') in the frame of new rows: entries of M and p'Mp as their differences, which is all
  // that the constants need.
  const Block images = expansion_.values_of_blocks(nullptr, context)(points);
  expansion_.set_bias((images.diagonal() + images.transpose() * means.shares) / 2);
  const Block figures = expansion_.values_of_blocks(nullptr, context)(prepared.rows);
  add_figures(means, training_accuracy(figures, labels), report);
}

void NearestMean::keep_rows(const Prepared& prepared, Given given, const Context& context) {
  const DataView rows = prepared.rows;
  const Labels& labels = prepared.labels();
  Means means = sizes_of(labels);
  GramProblem problem{rows, expansion_.kernel(), true};
  problem.given = given;
  if (given == Given::table) {
    problem.facts.frame =
        std::make_shared<const Frame>(make_frame(problem.kernel, rows, true, context));
    problem.facts.integer_tiles = has_integer_tiles(problem.kernel, true, rows, context);
  }
  const Block a = mean_coefficients(labels, means.sizes), less = less_all(means.shares);
  detail::KernelProduct product = detail::kernel_product(problem, a, less, context);
  means.images = std::move(product.image);
  means.squares = std::move(product.diagonal);
  add_products(labels, means);
  warn_of_negative(means, report.warnings);
  const Vector bias = constants(means);
  Block figures = means.images * less;
  figures.rowwise() -= bias.transpose();
  add_figures(means, training_accuracy(figures, labels), report);
  Block coefficients = a * less;
  remove_means(coefficients);  // to the last digit: new rows rely on it
  if (product.scorer) {
    const Vector of_mean = product.scorer->bias;
    expansion_.over_features(std::move(*product.scorer), rows, prepared.owner.get(), {});
    expansion_.set_bias(of_mean + bias);
  } else if (given == Given::table) {
    expansion_.over_rows(detail::stored_points(rows, prepared.owner.get()), *problem.facts.frame,
                         std::move(coefficients), bias);
  } else {
    expansion_.over_pairs(given, std::move(coefficients), bias);
  }
  expansion_.find_reach(context);
}

NearestMean NearestMean::train(const Prepared& prepared, const NearestMeanOptions& options,
                               const Plan& /*plan*/, const Context& context) {
  const auto classes = static_cast<std::uint64_t>(prepared.labels().classes.size());
  Warnings warnings;
  NearestMean model{
      KernelExpansion(checked_kernel(options, prepared.rows, context, warnings), true)};
  model.report.warnings = std::move(warnings);
  const MemoryAccount::Hold held =
      context.hold(3 * sizeof(double) * static_cast<std::uint64_t>(prepared.rows.n()) * classes,
                   "a number for each row and class");
  model.means_are_rows_ =
      options.as == Given::table && model.expansion_.kernel().only<Linear>() != nullptr;
  if (model.means_are_rows_)
    model.keep_means(prepared, context);
  else
    model.keep_rows(prepared, options.as, context);
  for (const Figure& figure : model.report.figures)
    require(is_finite(figure.value), ErrorCode::kernel_overflows,
            "the products of class means are not finite",
            "give the rows in other units, such as --scale standard");
  return model;
}

void NearestMean::save(State& state) const {
  expansion_.save(state);
  state.values["means_are_rows"] = means_are_rows_;
}

NearestMean NearestMean::from(State state) {
  NearestMean model{KernelExpansion("linear", true)};
  model.load_common(state);
  const Fields fields(state.values);
  const auto classes = static_cast<Index>(model.input.labels->classes.size());
  if (classes < 2) fields.refuse("label", "there are no two classes");
  model.means_are_rows_ = fields.flag("means_are_rows");
  const Index n = model.means_are_rows_ ? classes : model.report.n;
  model.expansion_ = KernelExpansion::load(state, n, model.report.dim, classes, true);
  return model;
}

const ModelKind& nearest_mean_kind() {
  static const ModelKind kind = kind_of<NearestMean>();
  return kind;
}

}  // namespace mercer
