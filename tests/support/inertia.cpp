#include "tests/support/inertia.h"

#include <stdexcept>
#include <vector>

extern "C" void dsytrf_(const char*, const int*, double*, const int*, int*, double*, const int*,
                        int*);

namespace mercer::test {

Index count_above(const Block& symmetric, double shift) {
  const Index n = symmetric.rows();
  if (n == 0) return 0;
  Block a = symmetric;
  a.diagonal().array() -= shift;
  const int order = static_cast<int>(n), size = 64 * order;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  Vector work(size);
  int info = 0;
  dsytrf_("L", &order, a.data(), &order, pivots.data(), work.data(), &size, &info);
  if (info < 0) throw std::logic_error("dsytrf was called wrongly");  // > 0: a pivot is 0

  // D has blocks of order 1, and of order 2 where pivots are negative (in pairs).
  Index count = 0;
  for (Index j = 0; j < n; ++j) {
    if (pivots[static_cast<std::size_t>(j)] > 0) {
      count += a(j, j) > 0 ? 1 : 0;
      continue;
    }
    const double determinant = a(j, j) * a(j + 1, j + 1) - a(j + 1, j) * a(j + 1, j);
    if (determinant < 0)
      count += 1;
    else
      count += a(j, j) + a(j + 1, j + 1) > 0 ? 2 : 0;
    ++j;
  }
  return count;
}

}  // namespace mercer::test
