// An answer cut to its leading components.
#include "mercer/models/detail/gram/leading.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace leading_test {

TEST(KeepLeading, StatesTheAngleOfThoseThatStay) {
  EigenResult eigen;
  eigen.values = Vector{{4.0, 2.0, 2.0}};
  eigen.vectors = Block::Identity(5, 3);
  eigen.certificate.complete = true;
  eigen.certificate.angle = 1e-9;  // of all three
  eigen.certificate.residuals = Vector::Constant(3, 1e-6);
  eigen.certificate.eigenvalue_upper = eigen.values.array() + 1e-6;
  EigenResult cut = eigen;
  detail::keep_leading(cut, 2);
  EXPECT_TRUE(std::isinf(cut.certificate.angle)) << "two equal values are parted";
  EXPECT_EQ(cut.spectrum.next_value, 2);
  detail::keep_leading(eigen, 1);
  EXPECT_NEAR(eigen.certificate.angle, 4e-6 / 2, 1e-9);
}

}  // namespace leading_test
}  // namespace mercer
