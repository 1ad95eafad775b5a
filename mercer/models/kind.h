// ModelKind: one entry of the catalogue models/kind/. A method is a class that inherits its
// abilities and Method<itself, its options>, and gives
//     static constexpr std::string_view kName, kSummary;
//     static constexpr Takes kTakes{...};                             optional: what it learns from
//     static constexpr std::string_view kInverseOption;      optional: Inverts only with this
//     option static M train(const Prepared&, const Options&, const Plan&, const Context&); static
//     Plan plan_for(const Prepared&, const Options&, const Context&);      where it has a plan
//     static M from(State);                                              a saved one
// The member file kind/<name>.cpp defines `const ModelKind& <name>_kind()`, one line with kind_of.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/core/value.h"
#include "mercer/models/ability.h"
#include "mercer/models/option.h"
#include "mercer/models/prepare.h"
#include "mercer/operators/given.h"
#include "mercer/plan/plan.h"

#include <memory>
#include <string_view>
#include <vector>

namespace mercer {

/// The abilities of a method.
class Abilities {
 public:
  template <class M>
  static constexpr Abilities of() {
    Abilities all;
    all.add_if<M, Transforms>();
    if constexpr (requires { M::kInverseOption; })
      all.inverse_option_ = M::kInverseOption;
    else
      all.add_if<M, Inverts>();
    all.add_if<M, Predicts>();
    all.add_if<M, Rates>();
    all.add_if<M, Likelihood>();
    all.add_if<M, Imputes>();
    all.add_if<M, Samples>();
    all.add_if<M, Appends>();
    return all;
  }
  constexpr bool has(Ability ability) const { return (bits_ >> static_cast<int>(ability)) & 1; }
  /// The option with which its models have a way back, where not all have one; else empty.
  constexpr std::string_view inverse_option() const { return inverse_option_; }

 private:
  template <class M, class A>
  constexpr void add_if() {
    if (std::is_base_of_v<A, M>) bits_ |= 1U << static_cast<int>(A::kAbility);
  }
  unsigned bits_ = 0;
  std::string_view inverse_option_ = {};
};

struct ModelKind {
  std::string_view name, summary;
  Takes takes;
  Abilities abilities;
  /// Its options; `given` below is an object with some of them. The four functions throw M101 for
  /// names that are not among them, M102 for values that an option cannot have.
  std::vector<OptionInfo> (*options)();
  /// All options with their values.
  Value (*record)(const Value& given);
  Prepared (*prepare)(const Training& training, const Value& given, const Context& context);
  /// The plan of such a fit, with every candidate; nothing is run. Empty for methods without one.
  Plan (*plan)(const Prepared& prepared, const Value& given, const Context& context);
  /// Runs that plan.
  std::unique_ptr<Model> (*fit)(const Prepared& prepared, const Value& given, const Plan& plan,
                                const Context& context);
  /// Of a saved state, whose arrays it may keep; throws M703.
  std::unique_ptr<Model> (*load)(State state);

  bool has_option(std::string_view option) const;
  /// What other programs and languages need to call it: name, summary, abilities, what it learns
  /// from, its options.
  Value describe() const;
};

std::vector<const ModelKind*> model_kinds();
/// The method of this name; throws M112.
const ModelKind& model_kind(std::string_view name);
/// The method that is used where none is named.
constexpr std::string_view kDefaultMethod = "kernel_pca";

/// Fits any method by name: prepares, plans, runs the plan.
std::unique_ptr<Model> fit_model(std::string_view method, const Training& training,
                                 const Value& options = {}, const Context& context = {});
/// Lets a model that was fitted on the scores of another one take that one's rows: it holds it, and
/// is saved with it. Throws M703 where the scores do not fit.
void stand_on(Model& model, std::shared_ptr<const Model> on);
/// A model from its saved state; throws M703.
std::unique_ptr<Model> model_from(State state);

namespace detail {

/// What is the same for every fit: scaling, warnings, input and options go into the model.
void complete(Model& model, const Prepared& prepared, Value options);

template <class M>
constexpr Takes takes_of() {
  if constexpr (requires { M::kTakes; })
    return M::kTakes;
  else
    return {};
}

template <class Options>
PrepareSettings settings_of(const Options& options) {
  PrepareSettings settings;
  if constexpr (requires { options.scale; }) settings.scale = options.scale;
  if constexpr (requires { options.as; }) settings.pairs = options.as != Given::table;
  if constexpr (requires { options.center; }) settings.needs_difference = options.center;
  return settings;
}

template <class M>
typename M::Options options_from(const Value& given) {
  auto options = read_options<typename M::Options>(given);
  if constexpr (requires { options.check(given); }) options.check(given);
  return options;
}

template <class M>
Plan plan_as(const Prepared& prepared, const typename M::Options& options, const Context& context) {
  if constexpr (requires { M::plan_for(prepared, options, context); }) {
    try {
      return M::plan_for(prepared, options, context);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::over_memory || prepared.sizes_only) throw;
      Prepared sizes = prepared;
      sizes.sizes_only = true;
      static_cast<void>(M::plan_for(sizes, options, context));
      throw;
    }
  } else {
    return {};
  }
}

/// Where memory does not suffice for a look at the rows, the error says what the whole fit would
/// need, as far as sizes tell: who allows that much is not refused again.
template <class M>
Prepared prepare_as(const Training& training, const typename M::Options& options,
                    const Context& context) {
  try {
    return prepare(M::kName, training, takes_of<M>(), settings_of(options), context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::over_memory) throw;
    Context counted = context;
    const Prepared sizes = sizes_of(training, takes_of<M>(), settings_of(options), counted);
    static_cast<void>(plan_as<M>(sizes, options, counted));
    throw;
  }
}

template <class M>
M fit_as(const Prepared& prepared, const typename M::Options& options, const Plan& plan,
         const Context& context) {
  M model = M::train(prepared, options, plan, context);
  complete(model, prepared, record_of(options));
  return model;
}

}  // namespace detail

/// The front door of a method for callers in C++.
template <class M, class O>
class Method {
 public:
  using Options = O;
  /// Prepares, plans and fits.
  static M fit(const Training& training, const O& options = {}, const Context& context = {}) {
    const Prepared prepared = prepared_for(training, options, context);
    const Plan plan = detail::plan_as<M>(prepared, options, context);
    return detail::fit_as<M>(prepared, options, plan, context);
  }
  /// The plan fit() would run, with every candidate.
  static Plan plan(const Training& training, const O& options = {}, const Context& context = {}) {
    const Prepared prepared = prepared_for(training, options, context);
    Plan plan = detail::plan_as<M>(prepared, options, context);
    plan.problem = nullptr;  // it views the rows that were prepared here
    return plan;
  }

 private:
  static Prepared prepared_for(const Training& training, const O& options, const Context& context) {
    if constexpr (requires { options.check(Value{}); }) options.check(changed_options(options));
    return detail::prepare_as<M>(training, options, context);
  }
};

/// The entry of a method.
template <class M>
ModelKind kind_of() {
  return {M::kName,
          M::kSummary,
          detail::takes_of<M>(),
          Abilities::of<M>(),
          [] { return options_of<typename M::Options>(); },
          [](const Value& given) { return record_of(detail::options_from<M>(given)); },
          [](const Training& training, const Value& given, const Context& context) {
            return detail::prepare_as<M>(training, detail::options_from<M>(given), context);
          },
          [](const Prepared& prepared, const Value& given, const Context& context) {
            return detail::plan_as<M>(prepared, detail::options_from<M>(given), context);
          },
          [](const Prepared& prepared, const Value& given, const Plan& plan,
             const Context& context) -> std::unique_ptr<Model> {
            return std::make_unique<M>(
                detail::fit_as<M>(prepared, detail::options_from<M>(given), plan, context));
          },
          [](State state) -> std::unique_ptr<Model> {
            return std::make_unique<M>(M::from(std::move(state)));
          }};
}

}  // namespace mercer
