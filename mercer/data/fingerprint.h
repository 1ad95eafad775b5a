// The fingerprint of a data set: two tables with the same one are the same table.
#pragma once

#include "mercer/data/view.h"

#include <memory>
#include <string>

namespace mercer {

/// 32 hexadecimal digits that depend on size and values of the data alone, not on their type or
/// order in memory. Sparse rows cost their non-zeros, and have other digits than the same rows
/// written out.
std::string fingerprint(DataView data);

/// The same of dense rows that come in parts.
class Fingerprinter {
 public:
  Fingerprinter(Index n, Index dim);
  ~Fingerprinter();
  Fingerprinter(const Fingerprinter&) = delete;
  Fingerprinter& operator=(const Fingerprinter&) = delete;
  void add(DataView rows);
  std::string text() const;

 private:
  struct Hash;
  std::unique_ptr<Hash> hash_;
};

}  // namespace mercer
