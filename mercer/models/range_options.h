// Options of the methods that seek directions in the range of a kernel: what these are made of.
#pragma once

#include "mercer/core/choice.h"
#include "mercer/models/components.h"

#include <array>
#include <string_view>

namespace mercer {

/// What discriminants are made of.
enum class Span { automatic, components, landmarks };

inline constexpr std::array<std::string_view, 3> kSpanWords = {"auto", "components", "landmarks"};
constexpr ChoiceWords choice_words(Span) { return {"span", "spans", kSpanWords}; }

/// For options with the members rank, span and seed.
template <class Fields, class Options>
void describe_range(Fields& field, Options& options) {
  field("rank", options.rank,
        "kernel components that discriminants are made of: a count, share of their variance, all, "
        "or auto (all of few rows, else 1000 landmarks)");
  field("span", options.span,
        "what they are made of: components, landmarks (functions of a few rows) or auto");
  field("seed", options.seed,
        "of random starts: another one gives another answer within the tolerance");
}

}  // namespace mercer
