#include "mercer/data/scale.h"

#include "mercer/core/check.h"
#include "mercer/core/error.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/data/summary.h"
#include "mercer/linalg/lapack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

const std::array<std::string, 4> kKinds = {"none", "standard", "range", "whiten"};
// Directions with less than this share of the largest variance are noise and are dropped.
constexpr double kLeastVariance = 1e-10;

// A constant column carries nothing: it is moved to 0 and left at that. The inverse of a denormal
// width is not a double; the largest one is near enough.
double inverse(double width) {
  return width > 0 ? std::min(1 / width, std::numeric_limits<double>::max()) : 1.0;
}

// Dense rows are in memory already, so that a copy is a matter of the plan; sparse ones may be a
// thousand times larger written out.
void check_memory(DataView rows, bool whiten, const Context& context) {
  if (!rows.sparse()) return;
  const double n = static_cast<double>(rows.n()), dim = static_cast<double>(rows.dim());
  // Whitening: the rows twice; covariance, eigenvectors and the map.
  const double need = sizeof(double) * (whiten ? 2 * n * dim + 3 * dim * dim : n * dim);
  if (need <= static_cast<double>(context.budget.memory)) return;
  throw Error(
      ErrorCode::over_memory,
      fmt::format("scaling makes sparse rows dense: {} x {} take {}, the memory budget is {}",
                  grouped(rows.n()), grouped(rows.dim()),
                  bytes(static_cast<std::uint64_t>(std::min(need, 1e19))),
                  bytes(context.budget.memory)),
      "drop --scale, or allow more memory (--memory)");
}

}  // namespace

Scaler::Scaler(std::string_view kind, DataView training, const Context& context) : kind_(kind) {
  if (std::ranges::find(kKinds, kind_) == kKinds.end())
    throw Error(ErrorCode::bad_option_value, "unknown scaling \"" + kind_ + "\"",
                suggest(kind_, kKinds, "scalings"));
  if (!active()) return;
  check_memory(training, kind_ == "whiten", context);
  const Summary summary = summarize(training, context);
  const Index dim = training.dim();
  shift_ = kind_ == "range" ? summary.minimum : summary.mean;
  factor_ = Vector::Ones(dim);
  if (kind_ == "standard") factor_ = summary.deviation.unaryExpr(&inverse);
  if (kind_ == "range") factor_ = (summary.maximum - summary.minimum).unaryExpr(&inverse);
  if (kind_ != "whiten") return;

  const double scale = power_of_two_scale(training, context);  // so that squares stay in range
  const Points centred = (training.to_points().rowwise() - shift_.transpose()) * scale;
  Block covariance = centred.transpose() * centred / static_cast<double>(training.n());
  const SymmetricReduction reduction(covariance, context);
  std::vector<Index> kept;
  for (Index i = dim - 1; i >= 0; --i)
    if (reduction.values()[i] > kLeastVariance * reduction.values()[dim - 1]) kept.push_back(i);
  const Block vectors = reduction.vectors(kept);
  Vector deviation(static_cast<Index>(kept.size()));
  for (Index j = 0; j < deviation.size(); ++j)
    deviation[j] = std::sqrt(reduction.values()[kept[static_cast<std::size_t>(j)]]) / scale;
  forward_ = vectors * deviation.cwiseInverse().asDiagonal() * vectors.transpose();
  back_ = vectors * deviation.asDiagonal() * vectors.transpose();
}

Points Scaler::apply(DataView rows, const Context& context) const {
  check_memory(rows, false, context);
  Points out = rows.to_points();
  if (!active()) return out;
  out = ((out.rowwise() - shift_.transpose()).array().rowwise() * factor_.transpose().array())
            .matrix();
  if (kind_ == "whiten") out = (out * forward_).eval();
  return out;
}

Points Scaler::undo(const Points& rows) const {
  if (!active()) return rows;
  Points out = kind_ == "whiten" ? Points(rows * back_) : rows;
  out = (out.array().rowwise() / factor_.transpose().array()).matrix();
  return out.rowwise() + shift_.transpose();
}

void Scaler::save(State& state) const {
  state.values["scale"] = kind_;
  if (!active()) return;
  state.arrays.push_back(Array::of("scale.shift", shift_));
  state.arrays.push_back(Array::of("scale.factor", factor_));
  if (kind_ != "whiten") return;
  state.arrays.push_back(Array::of("scale.forward", forward_));
  state.arrays.push_back(Array::of("scale.back", back_));
}

Scaler Scaler::load(const State& state, Index dim) {
  Scaler scaler;
  const Value& kind = state.values["scale"];
  if (!kind.is_null()) scaler.kind_ = Fields(state.values).text("scale");
  require(std::ranges::find(kKinds, scaler.kind_) != kKinds.end(), ErrorCode::bad_model_content,
          "scale: this version does not know the model's scaling");
  if (!scaler.active()) return scaler;
  const bool whiten = scaler.kind_ == "whiten";
  const Vector& shift = scaler.shift_ = state.array("scale.shift").as_vector();
  const Vector& factor = scaler.factor_ = state.array("scale.factor").as_vector();
  if (whiten) scaler.forward_ = state.array("scale.forward").as_points();
  if (whiten) scaler.back_ = state.array("scale.back").as_points();
  const auto square = [&](const Points& map) {
    return !whiten || (map.rows() == dim && map.cols() == dim && map.allFinite());
  };
  const bool fits = shift.size() == dim && factor.size() == dim && shift.allFinite() &&
                    factor.allFinite() && (factor.array() > 0).all() && square(scaler.forward_) &&
                    square(scaler.back_);
  require(fits, ErrorCode::bad_model_content,
          "the arrays \"scale.*\" are not a scaling of the model's columns");
  return scaler;
}

}  // namespace mercer
