// Abilities: what models can do. A model inherits those it has; whoever wants something of a model
// asks for the ability, never for the method:
//     if (const auto* able = ability<Predicts>(model)) ...
//     need<Predicts>(model).predict(rows, context);        an error that names the methods that can
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/models/model.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

class RowSource;

enum class Ability { transforms, inverts, predicts, rates, likelihood, imputes, samples, appends };
constexpr int kAbilities = 8;

/// "transform", "predict", ...: what the program calls it.
std::string_view name_of(Ability ability);

/// Receives rows or results, block after block in their order.
using TakeRows = std::function<void(DataView block)>;

/// New rows come in blocks of multiples of this.
constexpr Index kBlockRows = 512;

/// How many rows of a table, and which is the first of them.
struct RowCount {
  Index count = 0, first = 0;
};

/// Scores of new rows: coordinates in the space that was learnt.
class Transforms : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::transforms;

  /// Columns of a table of scores: by default one for each eigenvalue.
  virtual Index score_columns() const;

  /// Scores of new rows, one row each. Throws as check_width does, M212 for rows and M213 for
  /// results that are not finite.
  Block transform(DataView rows, const Context& context = {}) const;
  /// The same in blocks that fit into the memory that is left; M301 where not even small ones do.
  /// The numbers do not depend on the blocks.
  /// `doubtful`: counts the rows that are so far away that their scores have few digits.
  void transform_blocks(DataView rows, const Context& context, const TakeRows& take,
                        RowCount* doubtful = nullptr) const;
  /// The same of rows that come in chunks, whose scores must not depend on the rows beside them.
  void transform_chunks(const RowSource& rows, const Context& context, const TakeRows& take,
                        RowCount* doubtful = nullptr) const;
  /// Scores of the training rows, which the caller passes again (models that know them better
  /// override it).
  virtual void training_score_blocks(DataView rows, const Context& context,
                                     const TakeRows& take) const {
    transform_blocks(rows, context, take);
  }
  Block training_scores(DataView rows, const Context& context = {}) const;

  /// Whether the scores of the training rows are known without the table.
  bool knows_training_scores() const;
  /// Those scores; empty where they are not known.
  Block known_scores(const Context& context = {}) const;
  /// Scores of the training rows as the fit saw them: scaled.
  virtual Block fitted_scores(DataView seen, const Context& context) const;
  /// Whether they follow from what the model is made of.
  virtual bool holds_scores() const { return false; }

 protected:
  /// Where holds_scores().
  virtual Block held_scores() const { return {}; }
  /// Scores of some rows; rows of one table come in blocks that begin at multiples of kBlockRows.
  virtual Block project(DataView rows, const Context& context) const = 0;
  /// The same as a function for the blocks of one table. `all`: all its rows, for choices that must
  /// not depend on the blocks; null where they are scaled on the way.
  using Projection = std::function<Block(DataView block)>;
  virtual Projection projection(const DataView* /*all*/, const Context& context) const {
    return [this, &context](DataView block) { return project(block, context); };
  }
  /// Of some rows, those whose scores have few digits.
  virtual std::vector<Index> doubtful_rows(DataView /*rows*/, ConstBlockRef /*scores*/) const {
    return {};
  }
  /// Numbers that projecting a row copies; by default twice those of the row.
  virtual Index copied_numbers(DataView rows) const;
  /// Rows of every block, where the numbers would depend on them otherwise; 0: as many as fit.
  virtual Index fixed_block() const { return 0; }
};

/// From scores back to the columns of the table.
class Inverts : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::inverts;

  /// What the fit would have had to be told for a way back; empty where there is one.
  virtual std::string_view inverse_with() const { return {}; }
  /// Throws M712 for another number of columns than scores have.
  void check_scores(Index columns) const;
  /// Back to input space; throws as check_scores does, M212 for scores and M213 for results that
  /// are not finite.
  Points inverse(ConstBlockRef scores, const Context& context = {}) const;
  /// The same in blocks, as Transforms::transform_blocks.
  void inverse_blocks(DataView scores, const Context& context, const TakeRows& take) const;
  /// Rows whose scores lie far outside those of the training set: their inverse is an
  /// extrapolation.
  virtual std::vector<Index> extrapolated(ConstBlockRef) const { return {}; }

 protected:
  virtual Index scores_wanted() const = 0;
  virtual Points lift_back(ConstBlockRef scores, const Context& context) const = 0;
};

/// Predictions for new rows: numbers, or a class with one figure for each class.
class Predicts : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::predicts;

  /// Whether it predicts a class: the one whose column has the largest figure.
  virtual bool classifies() const = 0;
  /// The columns of a prediction: the classes, or the targets.
  std::vector<std::string> prediction_names() const;
  /// One row for each row, throws as Transforms::transform does.
  Block predict(DataView rows, const Context& context = {}) const;
  void predict_blocks(DataView rows, const Context& context, const TakeRows& take) const;

 protected:
  virtual Block predict_rows(DataView rows, const Context& context) const = 0;
};

/// One number for each row, whose meaning the method states.
class Rates : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::rates;
  /// What the number is, in a few words: the heading of its column.
  virtual std::string_view rating() const = 0;
  Vector rate(DataView rows, const Context& context = {}) const;

 protected:
  virtual Vector rate_rows(DataView rows, const Context& context) const = 0;
};

/// The logarithm of the density of each row under the model.
class Likelihood : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::likelihood;
  Vector log_density(DataView rows, const Context& context = {}) const;

 protected:
  virtual Vector log_density_of(DataView rows, const Context& context) const = 0;
};

/// Missing values of rows (NaN there) filled in by what the model expects.
class Imputes : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::imputes;
  /// The rows with nothing missing; what was there keeps every bit.
  Points impute(DataView rows, const Context& context = {}) const;
  /// The same in blocks, as Transforms::transform_blocks.
  void impute_blocks(DataView rows, const Context& context, const TakeRows& take) const;

 protected:
  /// Scaled rows with their gaps filled in.
  virtual Points fill_gaps(DataView rows, const Context& context) const = 0;
};

/// New rows drawn from the model; the same for the same seed.
class Samples : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::samples;
  /// A row is a function of the seed and its number alone: fewer rows are the first of more.
  /// Throws M213 for what is not finite.
  Points sample(Index n, std::uint64_t seed, const Context& context = {}) const;

 protected:
  /// Scaled rows.
  virtual Points draw(Index n, std::uint64_t seed, const Context& context) const = 0;
};

/// Learning goes on with further rows: the model becomes that of all rows.
class Appends : public virtual Model {
 public:
  static constexpr Ability kAbility = Ability::appends;
  virtual void append(DataView rows, const Context& context = {}) = 0;
};

/// A start for another fit of the rows that a model was fitted on: its training scores as unit
/// columns.
Block start_from(const Model& model, DataView rows, const Context& context = {});

/// Throws M714 for inverse, M715 for other abilities, naming the methods that have it.
[[noreturn]] void refuse_ability(Ability ability, const Model& model);

/// The ability, or null.
template <class A>
const A* ability(const Model& model) {
  const A* able = dynamic_cast<const A*>(&model);
  if constexpr (requires { able->inverse_with(); })
    if (able != nullptr && !able->inverse_with().empty()) return nullptr;
  return able;
}

/// The ability, or the error that says which methods have it.
template <class A>
const A& need(const Model& model) {
  if (const A* able = ability<A>(model)) return *able;
  refuse_ability(A::kAbility, model);
}

}  // namespace mercer
