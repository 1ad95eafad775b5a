#include "mercer/operators/fourier_map.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/operators/fourier_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mercer {
namespace {

constexpr Index kPart = Index{1} << 18;  // rows that are sorted together
constexpr Index kDirectRows = 16;        // of a task
// Transforming a number of a grid takes as long as this many modes of a row, summed directly.
constexpr double kModesPerCell = 40;
constexpr Index kMostAlong = 1 << 24;

// sum_k G_k exp(2 pi i k.x/P), dimension after dimension, from the last.
class DirectSum {
 public:
  explicit DirectSum(const FourierShape& shape) : shape_(shape) {}

  Complex operator()(const double* row, const Complex* modes) {
    for (std::size_t a = 0; a < 3; ++a) {
      const Index m = shape_.modes[a];
      waves_[a].resize(2 * m + 1);
      const double turn = m == 0 ? 0 : 2 * std::numbers::pi * row[a] / shape_.period[a];
      for (Index k = -m; k <= m; ++k)
        waves_[a][k + m] = std::polar(1.0, turn * static_cast<double>(k));
    }
    Complex sum = 0;
    for (const Complex wave0 : waves_[0]) {
      Complex layer = 0;
      for (const Complex wave1 : waves_[1]) {
        const Eigen::Map<const Eigen::VectorXcd> line(modes, waves_[2].size());
        layer += wave1 * line.cwiseProduct(waves_[2]).sum();
        modes += waves_[2].size();
      }
      sum += wave0 * layer;
    }
    return sum;
  }

 private:
  const FourierShape& shape_;
  std::array<Eigen::VectorXcd, 3> waves_;
};

}  // namespace

FourierMap::Parts FourierMap::parts_for(const FourierKernel& kernel, Placement placement,
                                        const Vector& half, double eps) {
  const double cutoff = kernel.cutoff(eps);
  Parts parts{kernel, std::move(placement), half.array() + cutoff, {}, 0.2 * eps};
  parts.shape = fourier_shape(kernel, 2 * half.array() + cutoff, 0.8 * eps);
  return parts;
}

bool FourierMap::far(const double* row) const {
  for (Index i = 0; i < dim(); ++i)
    if (!(std::abs(row[i]) <= parts_.reach[i])) return true;
  return false;
}

Block FourierMap::direct(DataView rows, ConstModeRef modes, Index columns,
                         const Context& context) const {
  Block out = Block::Zero(rows.n(), columns);
  const std::vector<Range> tasks = tiles_of(rows.n(), kDirectRows);
  parallel_for(context, static_cast<Index>(tasks.size()), [&](Index t) {
    const Range part = tasks[static_cast<std::size_t>(t)];
    const Points placed = parts_.placement.rows(rows, part);
    DirectSum sum(parts_.shape);
    for (Index i = 0; i < part.size(); ++i) {
      if (far(placed.row(i).data())) continue;
      for (Index p = 0; p < modes.cols(); ++p) {
        const Complex pair = sum(placed.row(i).data(), modes.col(p).data());
        out(part.begin + i, 2 * p) = pair.real();
        if (2 * p + 1 < columns) out(part.begin + i, 2 * p + 1) = pair.imag();
      }
    }
  });
  return out;
}

void FourierMap::place(DataView rows, Range part, double* to) const {
  Eigen::Map<Points> placed(to, part.size(), dim());
  placed = parts_.placement.rows(rows, part);
  for (Index i = 0; i < part.size(); ++i)
    if (far(placed.row(i).data())) placed.row(i).setZero();
}

// Answers of rows that are far are put to 0 in the end.
Block FourierMap::times(DataView rows, ConstBlockRef w, const Context& context) const {
  const FourierBasis basis(parts_.kernel, parts_.shape, parts_.tolerance);
  const NonuniformFft& transform = basis.transform();
  const Index n = rows.n(), columns = w.cols();
  const ModeBlock modes = basis.modes_of(w);
  if (static_cast<double>(n) * parts_.shape.count() <
      kModesPerCell * static_cast<double>(transform.cells()))
    return direct(rows, modes, columns, context);
  Block out(n, columns);
  for (Index first = 0; first < modes.cols(); first += transform.pairs_at_once()) {
    const Index pairs = std::min(transform.pairs_at_once(), modes.cols() - first);
    const Index held = std::min(2 * pairs, columns - 2 * first);
    const FineGrid grid = transform.fine_grid(modes.middleCols(first, pairs), context);
    for (const Range part : tiles_of(n, kPart)) {
      const auto source = [&](Range chunk, double* to) {
        place(rows, {part.begin + chunk.begin, part.begin + chunk.end}, to);
      };
      const SortedRows sorted(part.size(), parts_.reach, source, context);
      transform.read(grid, sorted, out.block(part.begin, 2 * first, part.size(), held), context);
    }
    context.report("transform",
                   static_cast<double>(first + pairs) / static_cast<double>(modes.cols()));
  }
  Vector row(dim());
  for (Index i = 0; i < n; ++i) {
    rows.copy_row(i, row.data());
    row = row * parts_.placement.scale - parts_.placement.centre;
    if (far(row.data())) out.row(i).setZero();
  }
  return out;
}

void FourierMap::save(State& state) const {
  Value value;
  value["name"] = name();
  value["nu"] = parts_.kernel.nu;
  value["width"] = parts_.kernel.width;
  value["scale"] = parts_.placement.scale;
  value["tolerance"] = parts_.tolerance;
  value["error"] = parts_.shape.error;
  value["modes"] = Value::list();
  Vector period(dim());
  for (Index i = 0; i < dim(); ++i) {
    value["modes"].push_back(
        static_cast<std::int64_t>(parts_.shape.modes[static_cast<std::size_t>(i)]));
    period[i] = parts_.shape.period[static_cast<std::size_t>(i)];
  }
  state.arrays.push_back(Array::of("feature_centre", parts_.placement.centre));
  state.arrays.push_back(Array::of("feature_reach", parts_.reach));
  state.arrays.push_back(Array::of("feature_period", period));
  state.values["features"] = std::move(value);
}

std::shared_ptr<const FourierMap> FourierMap::from(const State& state, Index dim) {
  const Fields fields = Fields(state.values).object("features");
  const auto axes = [&](const char* name) {
    const Vector values = state.array(name).as_vector();
    if (values.size() != dim || !values.allFinite())
      throw Error(ErrorCode::bad_model_content,
                  fmt::format("array \"{}\" is not one finite number for each column", name));
    return values;
  };
  if (dim > 3) fields.refuse("name", fmt::format("a Fourier series has no {} columns", dim));
  constexpr double kSmallest = std::numeric_limits<double>::min();
  Parts parts{{fields.number("nu"), fields.number("width", kSmallest)},
              {fields.number("scale", kSmallest), axes("feature_centre")},
              axes("feature_reach"),
              {},
              fields.number("tolerance", kSmallest, 1)};
  const double nu = parts.kernel.nu;
  if (nu != 0 && nu != 1.5 && nu != 2.5) fields.refuse("nu", "expected 0, 1.5 or 2.5");
  const Vector period = axes("feature_period");
  const Value::List& modes = fields.list("modes", dim);
  parts.shape.dim = dim;
  parts.shape.error = fields.number("error", 0);
  for (Index i = 0; i < dim; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    const Index m = modes[axis].is_integer() ? modes[axis].as_integer() : -1;
    if (m < 0 || m > kMostAlong) fields.refuse("modes", "expected whole numbers up to 2^24");
    require(period[i] > 0 && parts.reach[i] >= 0 && parts.reach[i] <= period[i],
            ErrorCode::bad_model_content,
            "arrays \"feature_period\" and \"feature_reach\": a reach exceeds its period");
    parts.shape.modes[axis] = m;
    parts.shape.period[axis] = period[i];
  }
  // The weights of the model have a row for every feature: more cannot be meant.
  const Array& weights = state.array("feature_weights");
  if (weights.shape.empty() || parts.shape.count() != static_cast<double>(weights.shape[0]))
    fields.refuse("modes", "array \"feature_weights\" has another number of features");
  return std::make_shared<const FourierMap>(std::move(parts));
}

}  // namespace mercer
