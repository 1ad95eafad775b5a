// What a caller allows: memory, threads, precision; and the context every long call is given.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/index.h"
#include "mercer/core/memory_account.h"
#include "mercer/core/observer.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace mercer {

struct Machine;

/// Floating-point type inside kernel tiles; sums, eigenproblems and results are always double.
enum class Precision { automatic, single_, double_ };

constexpr std::string_view name_of(Precision precision) {
  switch (precision) {
    case Precision::single_:
      return "single";
    case Precision::double_:
      return "double";
    case Precision::automatic:
      break;
  }
  return "auto";
}

struct Budget {
  /// Peak bytes of everything the call allocates, and of the rows it is given.
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  /// Bytes of that which others hold: what a plan has is the rest.
  std::uint64_t taken = 0;
  std::uint64_t room() const { return taken < memory ? memory - taken : 0; }
  /// Seconds the caller is willing to wait; the observer says when they are over.
  double seconds = std::numeric_limits<double>::infinity();
  /// Rates of this machine, where they were measured; null: the table in the sources.
  const Machine* machine = nullptr;
  /// Worker threads; 0 means all processors this process may use.
  Index threads = 0;
  Precision precision = Precision::automatic;
  /// Rows of a tile; 0 means the default. Changes rounding, never the answer beyond it.
  Index tile = 0;
  /// Names of an operator and a solver that must be used; empty means the planner chooses.
  std::string operator_name = {};
  std::string solver_name = {};
};

class Journal;
class RowNotes;

struct Context {
  Budget budget;
  Observer observer;
  /// Where the results of costly steps are kept, for runs that may be interrupted; or null.
  Journal* journal = nullptr;
  /// Who holds how much of budget.memory; without one every step is judged by itself. With one, the
  /// rows that a fit is given are held on it already.
  std::optional<MemoryAccount> account = {};
  /// The search for eigenpairs that a call is part of: told with its progress.
  std::optional<SearchProgress> search = {};
  /// Where new rows are noted that a kernel does not reach (W249); null: nobody asks.
  RowNotes* out_of_reach = nullptr;

  /// Bytes that nobody holds yet.
  std::uint64_t memory_left() const { return account ? account->left() : budget.memory; }
  /// Counts so many bytes as taken until the hold is gone; throws M301 where they are not left.
  MemoryAccount::Hold hold(std::uint64_t bytes, std::string_view what) const {
    return (account ? *account : MemoryAccount(budget.memory)).hold(bytes, what);
  }

  /// The budget of a plan whose price contains rows of so many bytes.
  Budget planning(std::uint64_t row_bytes) const {
    const std::uint64_t held = budget.taken + (account ? account->held() : 0);
    Budget rest = budget;
    rest.taken = held > row_bytes ? held - row_bytes : 0;
    return rest;
  }

  bool cancelled() const { return observer.cancelled && observer.cancelled(); }
  /// Throws M001 when the caller asked to stop, M303 when the time allowed is over.
  void check_cancelled() const {
    if (cancelled()) throw Error(ErrorCode::cancelled, "cancelled");
    if (observer.out_of_time && observer.out_of_time())
      throw Error(ErrorCode::out_of_time, "the time allowed ran out before there was an answer",
                  "allow more with --time, or fit on fewer rows");
  }
  void report(std::string_view phase, double done) const {
    if (observer.progress) observer.progress({phase, done, search});
  }
};

}  // namespace mercer
