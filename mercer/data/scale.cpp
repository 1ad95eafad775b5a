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

// Directions with less than this share of the largest variance are noise and are dropped.
constexpr double kLeastVariance = 1e-10;

// A constant column carries nothing: it is moved to 0 and left at that. The inverse of a denormal
// width is not a double; the largest one is near enough.
double inverse(double width) {
  return width > 0 ? std::min(1 / width, std::numeric_limits<double>::max()) : 1.0;
}

// Rows of a step: results do not depend on how many there are beside them.
constexpr Index kStep = 512;

// Dense rows are in memory already; sparse ones may be a thousand times larger written out.
void check_memory(DataView rows, const Context& context) {
  if (!rows.sparse()) return;
  const double n = static_cast<double>(rows.n()), dim = static_cast<double>(rows.dim());
  const double need = sizeof(double) * n * dim;
  if (need <= static_cast<double>(context.budget.memory)) return;
  throw Error(
      ErrorCode::over_memory,
      fmt::format("scaling makes sparse rows dense: {} x {} take {}, the memory budget is {}",
                  grouped(rows.n()), grouped(rows.dim()),
                  bytes(static_cast<std::uint64_t>(std::min(need, 1e19))),
                  bytes(context.budget.memory)),
      "drop --scale, or allow more memory (--memory)");
}

// The covariance, its reduction, its eigenvectors and the two maps.
MemoryAccount::Hold hold_matrices(Index dim, const Context& context) {
  const auto columns = static_cast<std::uint64_t>(dim);
  return context.hold(5 * columns * columns * sizeof(double), "the matrices of --scale whiten");
}

// C'C of the centred rows C = (x - shift) * scale, a few rows at a time.
Block scatter_of(DataView rows, const Vector& shift, double scale, const Context& context) {
  Block sum = Block::Zero(rows.dim(), rows.dim());
  for (Index begin = 0; begin < rows.n(); begin += kStep) {
    context.check_cancelled();
    Points part = rows.rows({begin, std::min(rows.n(), begin + kStep)}).to_points();
    part = (part.rowwise() - shift.transpose()) * scale;
    sum.noalias() += part.transpose() * part;
  }
  return sum;
}

// rows * map, a few rows at a time.
void multiply(Points& rows, const Points& map) {
  Points part;
  for (Index begin = 0; begin < rows.rows(); begin += kStep) {
    auto here = rows.middleRows(begin, std::min(kStep, rows.rows() - begin));
    part.noalias() = here * map;
    here = part;
  }
}

}  // namespace

Scaler::Scaler(Choice<Scaling> kind, const Vector& minimum, const Vector& maximum,
               const Vector& mean, const Vector& deviation)
    : kind_(kind.word()) {
  if (active()) take(minimum, maximum, mean, deviation);
}

Scaler::Scaler(Choice<Scaling> kind, DataView training, const Context& context)
    : kind_(kind.word()) {
  if (!active()) return;
  check_memory(training, context);
  const Summary summary = summarize(training, context);
  take(summary.minimum, summary.maximum, summary.mean, summary.deviation);
  const Index dim = training.dim();
  if (kind_ != "whiten") return;

  const double scale = power_of_two_scale(training, context);  // so that squares stay in range
  const MemoryAccount::Hold held = hold_matrices(dim, context);
  Block covariance =
      scatter_of(training, shift_, scale, context) / static_cast<double>(training.n());
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

Scaler::Scaler(Choice<Scaling> kind, const Summary& summary) : kind_(kind.word()) {
  if (!active()) return;
  if (kind_ == "whiten")
    throw Error(ErrorCode::bad_option_value,
                "--scale whiten: rows with missing values cannot be whitened",
                "use --scale standard, or fill the gaps first: --missing mean or median");
  take(summary.minimum, summary.maximum, summary.mean, summary.deviation);
}

void Scaler::take(const Vector& minimum, const Vector& maximum, const Vector& mean,
                  const Vector& deviation) {
  shift_ = kind_ == "range" ? minimum : mean;
  factor_ = Vector::Ones(shift_.size());
  if (kind_ == "standard") factor_ = deviation.unaryExpr(&inverse);
  if (kind_ == "range") factor_ = (maximum - minimum).unaryExpr(&inverse);
}

Points Scaler::apply(DataView rows, const Context& context) const {
  check_memory(rows, context);
  Points out = rows.to_points();
  if (!active()) return out;
  out = ((out.rowwise() - shift_.transpose()).array().rowwise() * factor_.transpose().array())
            .matrix();
  if (kind_ == "whiten") multiply(out, forward_);
  return out;
}

Points Scaler::undo(Points rows) const {
  if (!active()) return rows;
  if (kind_ == "whiten") multiply(rows, back_);
  rows = (rows.array().rowwise() / factor_.transpose().array()).matrix();
  rows.rowwise() += shift_.transpose();
  return rows;
}

// d(scaled) = d(x) * factor, and then forward, which is symmetric.
Block Scaler::slopes(ConstBlockRef of_scaled) const {
  if (!active()) return of_scaled;
  const Block turned = kind_ == "whiten" ? Block(forward_ * of_scaled) : Block(of_scaled);
  return factor_.asDiagonal() * turned;
}

void Scaler::save(State& state) const {
  state.values["scale"] = kind_;
  if (!active()) return;
  state.add("scale.shift", shift_);
  state.add("scale.factor", factor_);
  if (kind_ != "whiten") return;
  state.add("scale.forward", forward_);
  state.add("scale.back", back_);
}

Scaler Scaler::load(const State& state, Index dim) {
  Scaler scaler;
  const Value& kind = state.values["scale"];
  if (!kind.is_null()) scaler.kind_ = Fields(state.values).text("scale");
  require(std::ranges::find(kScalingWords, scaler.kind_) != kScalingWords.end(),
          ErrorCode::bad_model_content, "scale: this version does not know the model's scaling");
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
