#include "mercer/data/scale.h"

#include "mercer/core/error.h"
#include "mercer/data/summary.h"
#include "mercer/linalg/lapack.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {
namespace {

const std::array<std::string, 4> kKinds = {"none", "standard", "range", "whiten"};
// Directions with less than this share of the largest variance are noise and are dropped.
constexpr double kLeastVariance = 1e-10;

}  // namespace

Scaler::Scaler(std::string_view kind, DataView training, const Context& context) : kind_(kind) {
  if (std::ranges::find(kKinds, kind_) == kKinds.end())
    throw Error(ErrorCode::bad_option_value, "unknown scaling \"" + kind_ + "\"",
                suggest(kind_, kKinds, "scalings"));
  if (!active()) return;
  const Summary summary = summarize(training, context);
  const Index dim = training.dim();
  // A constant column carries nothing: it is moved to 0 and left at that.
  const auto inverse = [](double width) { return width > 0 ? 1 / width : 1.0; };
  shift_ = kind_ == "range" ? summary.minimum : summary.mean;
  factor_ = Vector::Ones(dim);
  if (kind_ == "standard") factor_ = summary.deviation.unaryExpr(inverse);
  if (kind_ == "range") factor_ = (summary.maximum - summary.minimum).unaryExpr(inverse);
  if (kind_ != "whiten") return;

  const double scale = power_of_two_scale(training, context);  // so that squares stay in range
  const Points centred = (training.to_points().rowwise() - shift_.transpose()) * scale;
  Block covariance = centred.transpose() * centred / static_cast<double>(training.n());
  const SymmetricReduction reduction(covariance);
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

Points Scaler::apply(DataView rows) const {
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

Scaler Scaler::load(const State& state) {
  Scaler scaler;
  const Value& kind = state.values["scale"];
  if (!kind.is_null()) scaler.kind_ = kind.as_text();
  if (!scaler.active()) return scaler;
  scaler.shift_ = state.array("scale.shift").as_vector();
  scaler.factor_ = state.array("scale.factor").as_vector();
  if (scaler.kind_ != "whiten") return scaler;
  scaler.forward_ = state.array("scale.forward").as_points();
  scaler.back_ = state.array("scale.back").as_points();
  return scaler;
}

}  // namespace mercer
