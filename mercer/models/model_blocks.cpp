// Scores of new rows and the way back, block by block. What comes out depends on each row alone:
// blocks begin at multiples of kBlockRows, which tiles divide, and choices that look at all rows
// are made once for a table.
#include "mercer/data/summary.h"
#include "mercer/models/model.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

// How many rows are worked on at once: blocks large enough for all threads, small enough for the
// memory that is left.
Index rows_at_once(Index n, std::uint64_t row_bytes, Index fixed, const Context& context) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
  if (fixed > 0) return std::min(n, fixed);
  const std::uint64_t room = std::min(kMost, context.memory_left() / 2);
  const auto blocks = static_cast<Index>(room / (row_bytes * kBlockRows));
  return std::min(n, std::max<Index>(blocks, 1) * kBlockRows);
}

template <class Matrix>
void check_finite(const Matrix& results, Index first, const char* what) {
  if (results.allFinite()) return;
  for (Index i = 0; i < results.rows(); ++i)
    if (!results.row(i).allFinite())
      throw Error(
          ErrorCode::number_overflows,
          fmt::format("row {}: its {} are larger than a double can hold", first + i + 1, what),
          "leave that row out: its values are far outside those of the training rows");
}

// The blocks as one matrix.
template <class Matrix>
TakeRows collect(Matrix& all) {
  return [&all, first = Index{0}](DataView block) mutable {
    for (Index i = 0; i < block.n(); ++i)
      for (Index j = 0; j < block.dim(); ++j) all(first + i, j) = block.at(i, j);
    first += block.n();
  };
}

}  // namespace

void Model::transform_blocks(DataView rows, const Context& context, const TakeRows& take,
                             RowCount* doubtful) const {
  if (doubtful != nullptr) *doubtful = {};
  check_width(rows.dim());
  // Throws M212 for what is not finite: a kernel would turn it into a number that looks like any
  // other.
  static_cast<void>(power_of_two_scale(rows, context));
  const bool scales = scaler.active();
  const Index numbers =
      (scales ? 2 * rows.dim() : 0) +
      copied_numbers(scales ? DataView(nullptr, Scalar::f64, 1, rows.dim(), 0, 0) : rows) +
      3 * score_columns();
  const std::uint64_t row_bytes = sizeof(double) * static_cast<std::uint64_t>(numbers);
  const Index step = rows_at_once(rows.n(), row_bytes, fixed_block(), context);
  const MemoryAccount::Hold held =
      context.hold(static_cast<std::uint64_t>(step) * row_bytes, "the scores of a block of rows");
  const Projection scores_of = projection(scales ? nullptr : &rows, context);
  for (Index begin = 0; begin < rows.n(); begin += step) {
    context.report("transform", static_cast<double>(begin) / static_cast<double>(rows.n()));
    const DataView part = rows.rows({begin, std::min(rows.n(), begin + step)});
    Points scaled;
    if (scales) scaled = scaler.apply(part, context);
    check_finite(scaled, begin, "scaled values");
    const DataView seen = scales ? DataView(scaled).numbered_from(begin) : part;
    const Block scores = scores_of(seen);
    check_finite(scores, begin, "scores");
    if (doubtful != nullptr)
      for (const Index row : doubtful_rows(seen, scores))
        if (doubtful->count++ == 0) doubtful->first = begin + row;
    take(scores);
  }
}

Index Model::copied_numbers(DataView rows) const {
  return 2 * (rows.sparse() ? rows.stored() / std::max<Index>(rows.n(), 1) + 1 : rows.dim());
}

Block Model::transform(DataView rows, const Context& context) const {
  Block scores(rows.n(), score_columns());
  transform_blocks(rows, context, collect(scores));
  return scores;
}

Block Model::training_scores(DataView rows, const Context& context) const {
  Block scores(rows.n(), score_columns());
  training_score_blocks(rows, context, collect(scores));
  return scores;
}

void Model::check_scores(Index columns) const {
  if (!has_inverse())
    throw Error(ErrorCode::no_inverse, fmt::format("a {} model has no inverse", kind()),
                "method pca has one");
  if (columns != score_columns())
    throw Error(ErrorCode::wrong_scores,
                fmt::format("the model has {} score columns, got {}", score_columns(), columns),
                "give scores made by the same model");
}

void Model::inverse_blocks(DataView scores, const Context& context, const TakeRows& take) const {
  check_scores(scores.dim());
  static_cast<void>(power_of_two_scale(scores, context));  // throws M212 for what is not finite
  const std::uint64_t row_bytes = sizeof(double) * (4 * static_cast<std::uint64_t>(report.dim) +
                                                    2 * static_cast<std::uint64_t>(scores.dim()));
  const Index step = rows_at_once(scores.n(), row_bytes, 0, context);
  const MemoryAccount::Hold held =
      context.hold(static_cast<std::uint64_t>(step) * row_bytes, "the rows of a block");
  for (Index begin = 0; begin < scores.n(); begin += step) {
    context.report("inverse", static_cast<double>(begin) / static_cast<double>(scores.n()));
    const Block part = scores.rows({begin, std::min(scores.n(), begin + step)}).to_points();
    const Points rows = scaler.undo(lift_back(part, context));
    check_finite(rows, begin, "values");
    take(rows);
  }
}

Points Model::inverse(ConstBlockRef scores, const Context& context) const {
  check_scores(scores.cols());
  Points rows(scores.rows(), report.dim);
  inverse_blocks(DataView(scores), context, collect(rows));
  return rows;
}

}  // namespace mercer
