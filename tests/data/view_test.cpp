// Views of samples: any element type, either order, any stride, never a copy.
#include "mercer/data/view.h"

#include "mercer/data/dataset.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace view_test {

TEST(DataView, SeesRowMajorAndColumnMajorMatricesAlike) {
  const Points rows = test::random_points({.n = 5, .dim = 3, .seed = 1});
  const Block columns = rows;
  const DataView a = rows, b = columns;
  EXPECT_EQ(a.n(), 5);
  EXPECT_EQ(a.dim(), 3);
  EXPECT_TRUE(a.contiguous_rows());
  EXPECT_FALSE(b.contiguous_rows());
  EXPECT_EQ(a.data(), rows.data());
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 3; ++j) {
      EXPECT_EQ(a.at(i, j), rows(i, j));
      EXPECT_EQ(b.at(i, j), rows(i, j));
    }
  EXPECT_TRUE(a.to_points() == rows);
  EXPECT_TRUE(b.to_points() == rows);
}

TEST(DataView, KnowsItsElementType) {
  const Eigen::MatrixXf single = Eigen::MatrixXf::Constant(2, 2, 0.5F);
  const Eigen::Matrix<unsigned char, -1, -1> bytes =
      Eigen::Matrix<unsigned char, -1, -1>::Constant(2, 2, 255);
  EXPECT_EQ(DataView(single).type(), Scalar::f32);
  EXPECT_EQ(DataView(bytes).type(), Scalar::u8);
  EXPECT_EQ(DataView(single).at(1, 1), 0.5);
  EXPECT_EQ(DataView(bytes).at(1, 0), 255);
  EXPECT_EQ(DataView(bytes).to_points()(0, 1), 255);
}

TEST(DataView, SeesBlocksAndMapsWithStrides) {
  const Points x = test::random_points({.n = 8, .dim = 6, .seed = 2});
  const DataView inner = x.block(2, 1, 4, 3);
  EXPECT_EQ(inner.at(3, 2), x(5, 3));
  EXPECT_FALSE(inner.contiguous_rows());
  using Strided = Eigen::Map<const Points, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  const Strided every_second(x.data(), 4, 3, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(12, 2));
  const DataView strided = every_second;
  EXPECT_EQ(strided.at(1, 2), x(2, 4));
  EXPECT_TRUE(strided.to_points() == Points(every_second));
}

TEST(DataView, NegativeStridesReadBackwards) {
  const Points x = test::random_points({.n = 4, .dim = 2, .seed = 3});
  const DataView reversed(x.row(3).data(), Scalar::f64, 4, 2, -2, 1);
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(reversed.at(i, 1), x(3 - i, 1));
}

TEST(DataView, ARangeOfRowsIsAView) {
  const Points x = test::random_points({.n = 9, .dim = 2, .seed = 4});
  const Block columns = x;
  const Eigen::MatrixXf single = x.cast<float>();
  const DataView part = DataView(x).rows({3, 7}), other = DataView(columns).rows({3, 7});
  EXPECT_EQ(part.n(), 4);
  EXPECT_TRUE(part.to_points() == x.middleRows(3, 4));
  EXPECT_TRUE(other.to_points() == x.middleRows(3, 4));
  EXPECT_EQ(DataView(single).rows({3, 7}).at(0, 1), static_cast<double>(single(3, 1)));
  EXPECT_EQ(DataView(x).rows({9, 9}).n(), 0);
}

TEST(Dataset, KeepsItsTypeAndSharesItsNumbers) {
  const Points x = test::random_points({.n = 4, .dim = 3, .seed = 5});
  const Dataset data(x), copy = data;
  EXPECT_EQ(data.view().data(), copy.view().data());
  EXPECT_TRUE(data.view().to_points() == x);
  EXPECT_EQ(Dataset().view().n(), 0);
}

TEST(Dataset, ChosenRowsAndColumnsTakeTheirNamesAlong) {
  Dataset data(test::random_points({.n = 4, .dim = 3, .seed = 6}));
  data.column_names = {"a", "b", "c"};
  data.labels = Labels::from_texts("class", {"x", "y", "x", "z"});
  data.ids = {"1", "2", "3", "4"};
  EXPECT_EQ(data.labels.classes, (std::vector<std::string>{"x", "y", "z"}));
  const Dataset part = data.rows({3, 0}).columns({2, 1});
  EXPECT_EQ(part.n(), 2);
  EXPECT_EQ(part.view().at(0, 0), data.view().at(3, 2));
  EXPECT_EQ(part.view().at(1, 1), data.view().at(0, 1));
  EXPECT_EQ(part.column_names, (std::vector<std::string>{"c", "b"}));
  EXPECT_EQ(part.labels.of_row, (std::vector<Index>{2, 0}));
  EXPECT_EQ(part.ids, (std::vector<std::string>{"4", "1"}));
}

}  // namespace view_test
}  // namespace mercer
