#include "tests/campaign/errors.h"

#include "mercer/kernels/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::campaign {
namespace {

// What rounding of entries may leave of an eigenvalue, generously: float32 tiles where they may be.
Long noise(const Configuration& asked, const Truth& truth) {
  const auto n = static_cast<Long>(truth.values.size());
  const Long unit = asked.precision == "single" ? 0x1p-24L : 0x1p-53L;
  return 64 * n * unit * (truth.largest + std::sqrt(n) * truth.largest_entry);
}

bool by_magnitude(const Configuration& asked) {
  return asked.indefinite == "flip" || asked.indefinite == "krein";
}

// Where rounding is said to be the reason, it may have been in the way more than it had to be.
bool nothing_positive(const Configuration& asked, const Truth& truth, const Error& error) {
  const bool rounding = error.message().find("rounding") != std::string::npos;
  const Long top = by_magnitude(asked) ? truth.largest : truth.values[0];
  return truth.zero || top <= (rounding ? 100 : 1) * noise(asked, truth);
}

bool truly_negative(const Configuration& asked, const Truth& truth) {
  const Long negative = -truth.values.cwiseMin(0).sum() / truth.values.cwiseAbs().sum();
  return asked.indefinite == "error" && negative > 0.9e-8L;
}

// Positive eigenvalues, raised or not, are less than the share asked for.
bool out_of_reach(const Configuration& asked, const Truth& truth) {
  const Index n = truth.values.size();
  const Long lowest = truth.values[n - 1];
  const Long raise = asked.indefinite == "shift" && lowest < 0 ? -lowest : 0;
  Long positive = 0, total = 0;
  for (const Long value : truth.values) {
    total += std::abs(value + raise);
    if (value > noise(asked, truth)) positive += value + raise;
  }
  total -= raise * static_cast<Long>(truth.removed);  // which stay 0
  return positive / total < static_cast<Long>(Components::parse(asked.components).share()) + 1e-9L;
}

// Out of the range of doubles, or near its ends.
bool out_of_range(const Configuration& asked, const Truth& truth) {
  for (const char* small : {"e-30", "e-31", "e-32"})  // a width that is hardly a number
    if (asked.kernel.find(small) != std::string::npos) return true;

  const Long digits = 0.30103L * truth.power + std::log10(std::max(truth.largest_entry, 1.0L));
  return digits > 290 || 0.30103L * truth.power < -290;
}

// Float tiles may be refused where the kernel has a scale of its own, as all sums have; others take
// that of the rows.
bool beyond_float(const Error& error, const Configuration& asked) {
  const bool far = asked.data.starts_with("sparse_offset");  // rows that are not moved
  if (asked.method == "pca") return false;
  const Kernel kernel(asked.kernel);
  const bool free = kernel.only<Linear>() != nullptr || kernel.only<PowerDistance>() != nullptr;
  if (free && !far) return false;
  return asked.precision == "single" && error.message().find("float") != std::string::npos;
}

bool too_many(const Configuration& asked, const Truth& truth, const Points& rows) {
  const Components wanted = Components::parse(asked.components);
  const bool linear = asked.as == "table" && (asked.method == "pca" || asked.kernel == "linear" ||
                                              asked.kernel.starts_with("linear:"));
  Index most = truth.values.size() - truth.removed;
  const bool offset =
      asked.method != "pca" && asked.kernel.starts_with("linear:offset") && !asked.center;
  if (linear) most = std::min(most, rows.cols() + (offset ? 1 : 0));
  if (asked.as == "table") most = std::min(most, rows.rows() - truth.removed);
  return wanted.count() > most;
}

bool equal_rows(const Points& rows) {
  for (Index i = 1; i < rows.rows(); ++i)
    if (rows.row(i) != rows.row(0)) return false;
  return true;
}

bool justified(const Error& error, const Configuration& asked, const Truth& truth,
               const Points& rows) {
  // By its number: what a program of other versions says is judged, too.
  constexpr int kShareOutOfReach = 248;
  if (static_cast<int>(error.code()) == kShareOutOfReach) return out_of_reach(asked, truth);
  switch (error.code()) {
    case ErrorCode::bad_option_value:  // a wish that cannot be met
      return asked.precision == "single" && asked.certify == "deterministic";
    case ErrorCode::needs_centring:
      return !asked.center;
    case ErrorCode::too_few_rows:
      return rows.rows() < 2 || rows.rows() <= truth.removed;
    case ErrorCode::too_many_components:
      return too_many(asked, truth, rows);
    case ErrorCode::indefinite_kernel:
      return truly_negative(asked, truth);
    case ErrorCode::no_positive_eigenvalue:
      return nothing_positive(asked, truth, error) || out_of_range(asked, truth);
    case ErrorCode::kernel_overflows:
      return out_of_range(asked, truth) || beyond_float(error, asked);
    default:
      return false;
  }
}

}  // namespace

void check_error(const Error& error, const Configuration& asked,
                 const std::function<Truth()>& truth, const Points& rows, Violations& out) {
  const bool equal = error.code() == ErrorCode::all_rows_equal && equal_rows(rows);
  if (equal || justified(error, asked, truth(), rows)) return;
  const bool slow = error.code() == ErrorCode::cancelled;
  out.push_back({slow ? "does not end" : "error " + code_text(error.code()), error.message()});
}

}  // namespace mercer::campaign
