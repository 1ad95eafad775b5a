// Nothing is read or written beyond the end of an array: each stands at the end of a page behind
// which there is no memory, so that a step too far ends the program. Kernels of a BLAS are written
// in assembly, which no sanitizer sees into; this test runs with each set of them
// (`blas_kernels_all`).
#include "mercer/linalg/blas.h"
#include "mercer/linalg/symmetric_loops.h"
#include "mercer/linalg/tridiagonal.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mercer {
namespace page_end_test {

// Room for one matrix at a time, whose last number is the last of a page.
class PageEnd {
 public:
  PageEnd() {
    memory_ = static_cast<char*>(
        mmap(nullptr, kBytes + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + kBytes, page(), PROT_NONE);
  }
  ~PageEnd() { munmap(memory_, kBytes + page()); }
  PageEnd(const PageEnd&) = delete;
  PageEnd& operator=(const PageEnd&) = delete;

  Eigen::Map<Block> holding(const Block& numbers) {
    Eigen::Map<Block> here(reinterpret_cast<double*>(memory_ + kBytes) - numbers.size(),
                           numbers.rows(), numbers.cols());
    here = numbers;
    return here;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 22;
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  char* memory_;
};

Block random_block(Index rows, Index cols) {
  return test::random_points({.n = rows, .dim = cols, .seed = 9});
}

TEST(PageEnd, ProductsStayInsideTheirArrays) {
  PageEnd first, second, third;
  for (const Index m : {1, 2, 3, 4, 7, 8, 15, 33, 64, 70})
    for (const Index n : {1, 2, 3, 5, 8, 16, 31, 67}) {
      const Block a = random_block(m, n), x = random_block(n, 1), z = random_block(m, 1);
      auto out = third.holding(Block::Zero(m, 1));
      gemv(Transpose::no, 1, first.holding(a), second.holding(x).data(), 0, out.data());
      EXPECT_LE((out - a * x).norm(), 1e-12);
      auto turned = third.holding(Block::Zero(n, 1));
      gemv(Transpose::yes, 1, first.holding(a), second.holding(z).data(), 0, turned.data());
      EXPECT_LE((turned - a.transpose() * z).norm(), 1e-12);
      auto square = third.holding(Block::Zero(n, n));
      gemm(Transpose::yes, Transpose::no, 1, first.holding(a), second.holding(a), 0, square);
      EXPECT_LE((square - a.transpose() * a).norm(), 1e-11);
    }
}

TEST(PageEnd, SymmetricProductsAndReductionsStayInsideTheirArrays) {
  PageEnd first, second, third;
  for (const Index n : {1, 2, 3, 4, 5, 8, 9, 31, 32, 33, 47, 70}) {
    const Block half = random_block(n, n), a = half + half.transpose(), x = random_block(n, 1);
    auto y = third.holding(Block::Zero(n, 1));
    add_symmetric_product({first.holding(a).data(), n, n, n}, second.holding(x).data(), y.data());
    EXPECT_LE((y - a * x).norm(), 1e-11);
    const Tridiagonal form = reduce_to_tridiagonal(first.holding(a), WhenLate::fail, {});
    EXPECT_LE(std::abs(form.diagonal.sum() * form.unit - a.trace()), 1e-11);
  }
}

}  // namespace page_end_test
}  // namespace mercer
