// Journal: results of the costly steps of a run, kept outside it. Everything between these steps is
// deterministic, so a run that is started again and handed the old results walks the same path to
// the same bytes: no solver has to save a state of its own.
#pragma once

#include <span>

namespace mercer {

class Journal {
 public:
  virtual ~Journal() = default;
  using Numbers = std::span<double>;
  using ConstNumbers = std::span<const double>;

  /// Fills in the result of the next step, where an earlier run made this step from the same input;
  /// false where it must be computed.
  virtual bool replay(ConstNumbers input, std::span<const Numbers> result) = 0;
  /// Keeps the result of the step that was asked for last.
  virtual void record(std::span<const ConstNumbers> result) = 0;

 protected:
  Journal() = default;
  Journal(const Journal&) = default;
  Journal& operator=(const Journal&) = default;
};

}  // namespace mercer
