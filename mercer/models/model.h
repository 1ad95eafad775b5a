// Model: what every fitted method can do. A model is a value that a fit returns; there is no
// unfitted one.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/state.h"
#include "mercer/core/types.h"
#include "mercer/data/dataset.h"
#include "mercer/data/scale.h"
#include "mercer/data/view.h"
#include "mercer/models/components.h"
#include "mercer/models/fit_report.h"
#include "mercer/models/tolerance.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Options of every method; each method reads those that concern it and refuses the others (M102).
struct FitOptions {
  std::string kernel = "gaussian";  // kernel methods
  Components components = {};
  Tolerance tolerance = {};
  bool center = true;
  std::string indefinite = "clip";   // kernel methods: clip, flip, shift, krein, error
  std::string whiten = "none";       // pca: none, pca, zca
  std::string scale = "none";        // none, standard, range, whiten
  std::string as = "table";          // kernel methods: table, kernel, distance, squared-distance
  std::string nullspace = "affine";  // thin plate splines: affine, constant
  std::string certify = "auto";    // proof that none is missed: deterministic, probabilistic, none
  Index seed = 0;                  // of random starts; any value gives the same answer
  const Dataset* owner = nullptr;  // of the rows: a model shares its memory; null: it copies them

  template <class Fields>
  void describe(Fields& field) {
    field("kernel", kernel, "kernel, such as gaussian:sigma=0.5 (mercer list kernels)");
    field("components", components, "count, share of variance in (0, 1), or all");
    field("tolerance", tolerance,
          "largest relative residual |K u - mu u| / mu_1, or eigenvalues:WIDTH");
    field("center", center, "do not centre the features");
    field("indefinite", indefinite, "negative eigenvalues: clip, flip, shift, krein or error");
    field("whiten", whiten, "pca: scores of unit variance: none, pca or zca");
    field("scale", scale, "scale the columns first: none, standard, range or whiten");
    field("as", as, "what the rows are: table, kernel, distance or squared-distance");
    field("nullspace", nullspace, "thin plate splines: functions removed, affine or constant");
    field("certify", certify,
          "proof that no component is missed: auto, deterministic, probabilistic or none");
    field("seed", seed, "of random starts: another one gives another answer within the tolerance");
  }
};

/// Receives rows or scores, block after block in their order.
using TakeRows = std::function<void(DataView block)>;

/// How many rows of a table, and which is the first of them.
struct RowCount {
  Index count = 0, first = 0;
};

/// Where the training rows came from; kept for checks and pictures, never needed for the
/// mathematics.
struct InputInfo {
  std::string name;                       // base name of the file
  std::string fingerprint;                // of the numbers
  std::vector<std::string> column_names;  // empty where there are none
  bool named_columns = false;  // names come from the file, so that new tables are matched by name
  Labels labels;
  std::string missing = "error";  // how missing values were treated: error, drop, mean, median
  Vector fill = {};               // mean, median: the figure of each column, for gaps in new rows
  Index rows_dropped = 0, cells_filled = 0;
  std::optional<Index> first_index = {};  // LibSVM: where the indices of the table began
};

class Model {
 public:
  virtual ~Model() = default;
  virtual std::string_view kind() const = 0;
  /// Name of the kernel, its formula and parameters; null for methods without one.
  virtual Value kernel() const { return {}; }
  /// Whether new rows are values against the training samples, not measurements.
  virtual bool needs_cross_matrix() const { return false; }
  /// Columns of a score table.
  virtual Index score_columns() const { return report.eigenvalues.size(); }

  /// Throws M713 for another number of columns than new rows must have, where they are values
  /// against the training samples, and M710 elsewhere.
  void check_width(Index columns) const;
  /// Scores of new rows, one row each. Throws as check_width does, M212 for rows and M213 for
  /// results that are not finite.
  Block transform(DataView rows, const Context& context) const;
  /// The same in blocks that fit into the memory that is left; M301 where not even small ones do.
  /// The numbers do not depend on the blocks.
  /// `doubtful`: counts the rows that are so far away that their scores have few digits.
  void transform_blocks(DataView rows, const Context& context, const TakeRows& take,
                        RowCount* doubtful = nullptr) const;
  /// Scores of the training rows, which the caller passes again (models that know them better
  /// override it).
  virtual void training_score_blocks(DataView rows, const Context& context,
                                     const TakeRows& take) const {
    transform_blocks(rows, context, take);
  }
  Block training_scores(DataView rows, const Context& context) const;

  /// Throws M714 for models without a way back, M712 for another number of columns.
  void check_scores(Index columns) const;
  /// Back to input space; throws as check_scores does, M212 for scores and M213 for results that
  /// are not finite.
  Points inverse(ConstBlockRef scores, const Context& context) const;
  /// The same in blocks, as transform_blocks.
  void inverse_blocks(DataView scores, const Context& context, const TakeRows& take) const;
  /// Rows whose scores lie far outside those of the training set: their inverse is an
  /// extrapolation.
  virtual std::vector<Index> extrapolated(ConstBlockRef) const { return {}; }

  State state() const;
  /// The same for writing it to a file: the arrays are the model's own, which must outlive it.
  State viewed_state() const;
  /// The model as `mercer fit --json` and `mercer info --json` show it.
  Value summary() const;

  FitReport report;
  InputInfo input;
  Scaler scaler;
  Value options;                                       // as given, for the record
  std::shared_ptr<const MemoryAccount::Hold> counted;  // what the model takes, where one counts

 protected:
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
  /// Models with a way back override both.
  virtual bool has_inverse() const { return false; }
  virtual Points lift_back(ConstBlockRef scores, const Context& context) const;
  virtual void save(State& state) const = 0;
  State state_with(bool views) const;
  /// Fills in what all models share.
  void load_common(const State& state);
};

/// One entry of the catalogue models/kind/: the member file defines `const ModelKind&
/// <name>_kind()`.
struct ModelKind {
  std::string_view name, summary;
  bool uses_kernel;
  std::unique_ptr<Model> (*fit)(DataView rows, const FitOptions& options, const Context& context);
  /// The plan of such a fit, with every candidate; nothing is run.
  Plan (*plan)(DataView rows, const FitOptions& options, const Context& context);
  /// Of a saved state, whose arrays it may keep; throws M703.
  std::unique_ptr<Model> (*load)(State state);
};

std::vector<const ModelKind*> model_kinds();
/// The method of this name; throws M112.
const ModelKind& model_kind(std::string_view name);

/// New rows come in blocks of multiples of this.
constexpr Index kBlockRows = 512;

/// Fits any method by name: checks the rows, applies the scaling, fits. A model that keeps the rows
/// copies those of a view, and shares those of a data set.
std::unique_ptr<Model> fit_model(std::string_view method, DataView rows, const FitOptions& options,
                                 const Context& context);
std::unique_ptr<Model> fit_model(std::string_view method, const Dataset& rows,
                                 const FitOptions& options, const Context& context);
/// The plan that fit_model would run.
Plan plan_model(std::string_view method, DataView rows, const FitOptions& options,
                const Context& context);
Plan plan_model(std::string_view method, const Dataset& rows, const FitOptions& options,
                const Context& context);
/// A model from its saved state; throws M703.
std::unique_ptr<Model> model_from(State state);

}  // namespace mercer
