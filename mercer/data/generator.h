// Toy and bundled data by name. Every generator is a pure function of its options: the same seed
// gives the same rows on every machine with the same mathematics library, and row i never depends
// on who drew first.
#pragma once

#include "mercer/core/index.h"
#include "mercer/data/dataset.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct GeneratorOptions {
  /// Rows; divided evenly among the classes, the first ones get the remainder.
  Index n = 500;
  /// Standard deviation of the normal noise added to every coordinate.
  double noise = 0.05;
  std::uint64_t seed = 0;
  /// Columns and classes of blobs, sources of mixtures; the other shapes have their own.
  Index dim = 2;
  Index classes = 3;
  /// Of sources: a name of the table in docs/how/kernel-ica.md; "random": one drawn for each;
  /// empty: all of them in turn.
  std::string density = {};
};

struct Generator {
  std::string_view name, summary;
  Dataset (*make)(const GeneratorOptions&);
  /// Names of the options that make a difference, with a comma and a space between them.
  std::string_view takes = "rows, noise, seed";
};

/// All generators, in the order of their names.
std::vector<const Generator*> generators();

/// The data set of this name; M112 for an unknown name, M102 for options outside their limits.
Dataset generate(std::string_view name, const GeneratorOptions& options);

}  // namespace mercer
