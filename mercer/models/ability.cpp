#include "mercer/models/ability.h"

#include "mercer/data/observed.h"
#include "mercer/data/row_source.h"
#include "mercer/data/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Results for new rows, block by block. What comes out depends on each row alone: blocks begin at
// multiples of kBlockRows, which tiles divide, and choices that look at all rows are made once for
// a table.
namespace mercer {
namespace {

// How many rows are worked on at once: blocks large enough for all threads, small enough for the
// memory that is left, and so many that progress can be seen.
Index rows_at_once(Index n, std::uint64_t row_bytes, Index fixed, const Context& context) {
  constexpr std::uint64_t kMost = std::uint64_t{16} << 20;
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

// Gaps stay gaps when rows are scaled; anything else must be a number.
void check_numbers(const Points& scaled, Index first, bool gaps) {
  if (!gaps) return check_finite(scaled, first, "scaled values");
  const Points known = scaled.unaryExpr([](double x) { return std::isnan(x) ? 0.0 : x; });
  check_finite(known, first, "scaled values");
}

// One walk over the rows of a table.
struct Walk {
  const char* phase;      // for progress
  const char* results;    // what comes out, for messages
  Index copied = 0;       // numbers that the work on a row copies
  Index columns = 0;      // of the results
  Index fixed_block = 0;  // rows of every block; 0: as many as fit
  bool gaps = false;      // rows may have gaps
};

Index usually_copied(DataView rows) {
  return 2 * (rows.sparse() ? rows.stored() / std::max<Index>(rows.n(), 1) + 1 : rows.dim());
}

// The rows as the model's scaling leaves them, when nobody has scaled them yet.
DataView stand_in(const Model& model, DataView rows) {
  const bool as_they_are = !model.scaler.active() && model.on == nullptr;
  return as_they_are ? rows : DataView(nullptr, Scalar::f64, 1, model.report.dim, 0, 0);
}

// Calls work(block as the model sees it, number of its first row) for block after block; gives what
// it returns to take. `begun`: rows of the table before these.
template <class Work>
void walk_own(const Model& model, DataView rows, Index begun, const Walk& how,
              const Context& context, const TakeRows& take, const Work& work) {
  // Throws M212 for what is not finite: a kernel would turn it into a number that looks like any
  // other.
  if (how.gaps)
    static_cast<void>(has_gaps(rows, context));
  else
    static_cast<void>(power_of_two_scale(rows, context));
  const bool scales = model.scaler.active();
  const Index numbers = (scales ? 2 * rows.dim() : 0) + how.copied + 3 * how.columns;
  const std::uint64_t row_bytes = sizeof(double) * static_cast<std::uint64_t>(numbers);
  const Index step = rows_at_once(rows.n(), row_bytes, how.fixed_block, context);
  const MemoryAccount::Hold held =
      context.hold(static_cast<std::uint64_t>(step) * row_bytes, "the scores of a block of rows");
  for (Index begin = 0; begin < rows.n(); begin += step) {
    context.report(how.phase, static_cast<double>(begin) / static_cast<double>(rows.n()));
    const DataView part = rows.rows({begin, std::min(rows.n(), begin + step)});
    Points scaled;
    if (scales) scaled = model.scaler.apply(part, context);
    const Index first = part.number_of(0) - 1;  // of the table, of which this may be a part
    check_numbers(scaled, first, how.gaps);
    const DataView seen = scales ? DataView(scaled).numbered_from(first) : part;
    const Block results = work(seen, begun + begin);
    check_finite(results, first, how.results);
    take(results);
  }
}

// The same for the rows of a table, which may be those of another model, whose scores are rows of
// this one.
template <class Work>
void walk(const Model& model, DataView rows, const Walk& how, const Context& context,
          const TakeRows& take, const Work& work) {
  model.check_width(rows.dim());
  if (model.on == nullptr) return walk_own(model, rows, 0, how, context, take, work);
  Index begun = 0;
  need<Transforms>(*model.on).transform_blocks(rows, context, [&](DataView scores) {
    const Index first = rows.number_of(0) - 1 + begun;
    walk_own(model, scores.numbered_from(first), begun, how, context, take, work);
    begun += scores.n();
  });
}

// What comes out of a model is not a row of the table that went into another one first.
void refuse_on_scores(const Model& model, const char* what) {
  if (model.on == nullptr) return;
  throw Error(ErrorCode::lacks_ability,
              fmt::format("a {} model on the scores of a {} model has no {}", model.kind(),
                          model.on->kind(), what),
              "fit it on the table itself");
}

// A method whose result is one number for each row.
template <class Work>
Vector one_each(const Model& model, DataView rows, const char* phase, const Context& context,
                const Work& work) {
  Block all(rows.n(), 1);
  const Walk how{.phase = phase,
                 .results = "figures",
                 .copied = usually_copied(stand_in(model, rows)),
                 .columns = 1,
                 .gaps = model.takes_gaps()};
  walk(model, rows, how, context, collect(all),
       [&](DataView seen, Index) { return Block(work(seen)); });
  return all.col(0);
}

}  // namespace

std::string_view name_of(Ability ability) {
  static constexpr std::array<std::string_view, kAbilities> kNames = {
      "transform", "inverse", "predict", "score", "likelihood", "impute", "sample", "append"};
  return kNames[static_cast<std::size_t>(ability)];
}

Index Transforms::score_columns() const {
  return report.spectrum ? report.spectrum->eigenvalues.size() : 0;
}

void Transforms::transform_blocks(DataView rows, const Context& context, const TakeRows& take,
                                  RowCount* doubtful) const {
  if (doubtful != nullptr) *doubtful = {};
  check_width(rows.dim());
  const bool seen_whole = !scaler.active() && on == nullptr;
  const Projection scores_of = projection(seen_whole ? &rows : nullptr, context);
  const Walk how{.phase = "transform",
                 .results = "scores",
                 .copied = copied_numbers(stand_in(*this, rows)),
                 .columns = score_columns(),
                 .fixed_block = fixed_block(),
                 .gaps = takes_gaps()};
  walk(*this, rows, how, context, take, [&](DataView seen, Index begin) {
    Block scores = scores_of(seen);
    if (doubtful != nullptr && scores.allFinite())
      for (const Index row : doubtful_rows(seen, scores))
        if (doubtful->count++ == 0) doubtful->first = begin + row;
    return scores;
  });
}

void Transforms::transform_chunks(const RowSource& rows, const Context& context,
                                  const TakeRows& take, RowCount* doubtful) const {
  RowCount all;
  Index done = 0;
  rows.each_chunk([&](DataView chunk) {
    RowCount here;
    transform_blocks(chunk, context, take, &here);
    if (all.count == 0) all.first = done + here.first;
    all.count += here.count;
    done += chunk.n();
  });
  if (doubtful != nullptr) *doubtful = all;
}

Index Transforms::copied_numbers(DataView rows) const { return usually_copied(rows); }

Block Transforms::transform(DataView rows, const Context& context) const {
  Block scores(rows.n(), score_columns());
  transform_blocks(rows, context, collect(scores));
  return scores;
}

bool Transforms::knows_training_scores() const {
  return holds_scores() || kept_scores->size() > 0 || (stored_rows() != nullptr && on == nullptr);
}

Block Transforms::known_scores(const Context& context) const {
  if (holds_scores()) return held_scores();
  if (kept_scores->size() > 0) return *kept_scores;
  if (stored_rows() == nullptr || on != nullptr) return {};
  return fitted_scores(*stored_rows(), context);
}

Block Transforms::fitted_scores(DataView seen, const Context& context) const {
  const Projection project_block = projection(&seen, context);
  const auto numbers = copied_numbers(seen) + 3 * score_columns();
  const auto bytes = sizeof(double) * static_cast<std::uint64_t>(numbers);
  const Index step = rows_at_once(seen.n(), bytes, fixed_block(), context);
  Block scores(seen.n(), score_columns());
  for (Index begin = 0; begin < seen.n(); begin += step) {
    const Range part{begin, std::min(seen.n(), begin + step)};
    scores.middleRows(part.begin, part.size()) = project_block(seen.rows(part));
  }
  return scores;
}

Block Transforms::training_scores(DataView rows, const Context& context) const {
  Block scores(rows.n(), score_columns());
  training_score_blocks(rows, context, collect(scores));
  return scores;
}

Block start_from(const Model& model, DataView rows, const Context& context) {
  Block start = need<Transforms>(model).training_scores(rows, context);
  for (Index j = 0; j < start.cols(); ++j) {
    const double length = start.col(j).norm();
    if (length > 0) start.col(j) /= length;
  }
  return start;
}

void Inverts::check_scores(Index columns) const {
  if (columns == scores_wanted()) return;
  throw Error(ErrorCode::wrong_scores,
              fmt::format("the model has {} score columns, got {}", scores_wanted(), columns),
              "give scores made by the same model");
}

void Inverts::inverse_blocks(DataView scores, const Context& context, const TakeRows& take) const {
  refuse_on_scores(*this, "inverse");
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

Points Inverts::inverse(ConstBlockRef scores, const Context& context) const {
  check_scores(scores.cols());
  Points rows(scores.rows(), report.dim);
  inverse_blocks(DataView(scores), context, collect(rows));
  return rows;
}

std::vector<std::string> Predicts::prediction_names() const {
  return classifies() ? input.labels->classes : input.target_names;
}

void Predicts::predict_blocks(DataView rows, const Context& context, const TakeRows& take) const {
  const Walk how{"predict", "predictions", usually_copied(stand_in(*this, rows)),
                 static_cast<Index>(prediction_names().size())};
  walk(*this, rows, how, context, take,
       [&](DataView seen, Index) { return predict_rows(seen, context); });
}

Block Predicts::predict(DataView rows, const Context& context) const {
  Block all(rows.n(), static_cast<Index>(prediction_names().size()));
  predict_blocks(rows, context, collect(all));
  return all;
}

Vector Rates::rate(DataView rows, const Context& context) const {
  return one_each(*this, rows, "score", context,
                  [&](DataView seen) { return rate_rows(seen, context); });
}

Vector Likelihood::log_density(DataView rows, const Context& context) const {
  return one_each(*this, rows, "likelihood", context,
                  [&](DataView seen) { return log_density_of(seen, context); });
}

// What was there comes from the rows themselves: scaling and back would change its last digits.
void Imputes::impute_blocks(DataView rows, const Context& context, const TakeRows& take) const {
  const Walk how{.phase = "impute",
                 .results = "values",
                 .copied = usually_copied(stand_in(*this, rows)),
                 .columns = report.dim,
                 .gaps = true};
  refuse_on_scores(*this, "values to fill in");
  check_width(rows.dim());
  if (scaler.kind() == "whiten" && has_gaps(rows, context))
    throw Error(
        ErrorCode::bad_option_value,
        "the model's columns are mixed by --scale whiten: rows with missing values cannot be",
        "fit it with --scale standard");
  walk(*this, rows, how, context, take, [&](DataView seen, Index begin) {
    Points whole = scaler.undo(fill_gaps(seen, context));
    for (Index i = 0; i < whole.rows(); ++i)
      for (Index j = 0; j < whole.cols(); ++j)
        if (const double known = rows.at(begin + i, j); !std::isnan(known)) whole(i, j) = known;
    return Block(whole);
  });
}

Points Imputes::impute(DataView rows, const Context& context) const {
  Points all(rows.n(), report.dim);
  impute_blocks(rows, context, collect(all));
  return all;
}

Points Samples::sample(Index n, std::uint64_t seed, const Context& context) const {
  refuse_on_scores(*this, "rows to draw");
  const MemoryAccount::Hold held = context.hold(
      2 * sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(report.dim),
      "the rows that are drawn");
  Points rows = scaler.undo(draw(n, seed, context));
  check_finite(rows, 0, "values");
  return rows;
}

}  // namespace mercer
