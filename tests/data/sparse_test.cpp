// Sparse rows against the same rows written out: figures, scalings, missing values, fingerprints,
// and the points of a model. The dense functions have tests of their own and are the oracle here.
#include "mercer/data/sparse.h"

#include "mercer/data/fingerprint.h"
#include "mercer/data/missing.h"
#include "mercer/data/scale.h"
#include "mercer/data/summary.h"
#include "mercer/io/model.h"
#include "mercer/models/detail/stored_points.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace mercer {
namespace sparse_test {

using test::code_of;
using test::kUnit;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Mostly zeros; the last column has none, the first nothing else.
Points mostly_zeros(Index n, Index dim, std::uint64_t seed) {
  Points x = test::random_points({.n = n, .dim = dim, .seed = seed});
  const Points choice = test::random_points({.n = n, .dim = dim, .seed = seed + 1000});
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j + 1 < dim; ++j)
      if (j == 0 || choice(i, j) < 0.8) x(i, j) = 0;
  return x;
}

/// Non-zeros compressed; every `stored_zero`-th zero is stored as well.
Dataset sparse_of(const Points& x, Index stored_zero = std::numeric_limits<Index>::max()) {
  SparseRows rows;
  Index zeros = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      if (x(i, j) == 0 && ++zeros % stored_zero != 0) continue;
      rows.columns.push_back(static_cast<std::int32_t>(j));
      rows.values.push_back(x(i, j));
    }
    rows.starts.push_back(static_cast<Index>(rows.values.size()));
  }
  return {std::move(rows), x.cols()};
}

bool same(const Points& a, const Points& b) {
  const auto equal = [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); };
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data(), equal);
}

TEST(SparseCopy, TakesRowsOutOfTheMiddle) {
  const Points x = mostly_zeros(30, 6, 1);
  const Dataset sparse = sparse_of(x);
  const Dataset part(sparse_copy(sparse.view().rows({7, 19})), 6);
  EXPECT_EQ(part.n(), 12);
  EXPECT_TRUE(part.view().to_points() == x.middleRows(7, 12));
  EXPECT_EQ(Dataset(sparse_copy(sparse.view().rows({4, 4})), 6).n(), 0);
}

TEST(SparseSummary, EqualsThatOfTheRowsWrittenOut) {
  Points x = mostly_zeros(2500, 9, 2);
  x.col(8).array() += 3;  // no zeros, and positive for the most part
  x.col(3) = x.col(3).cwiseAbs();
  x.col(4) = -x.col(4).cwiseAbs() * 1e200;
  x.col(5) *= 1e-250;
  for (const Index stored : {Index{1000000}, Index{7}, Index{1}}) {
    const Summary a = summarize(x, {}), b = summarize(sparse_of(x, stored), {});
    EXPECT_TRUE(a.minimum == b.minimum);
    EXPECT_TRUE(a.maximum == b.maximum);
    for (Index j = 0; j < 9; ++j) {
      const double width = a.maximum[j] - a.minimum[j];
      EXPECT_LE(std::abs(a.mean[j] - b.mean[j]), 2500 * kUnit * width) << j;
      EXPECT_LE(std::abs(a.deviation[j] - b.deviation[j]), 2500 * kUnit * width) << j;
    }
    EXPECT_EQ(a.constant_columns, 1);
    EXPECT_EQ(b.constant_columns, 1);
    EXPECT_EQ(power_of_two_scale(x, {}), power_of_two_scale(sparse_of(x, stored), {}));
  }
}

TEST(SparseSummary, SeesEqualRowsAndEmptyOnes) {
  Points equal = Points::Zero(4, 3);
  equal.col(1).setConstant(2.5);
  EXPECT_TRUE(summarize(sparse_of(equal), {}).all_rows_equal);
  equal(2, 1) = 0;
  EXPECT_FALSE(summarize(sparse_of(equal), {}).all_rows_equal);
  const Points nothing = Points::Zero(4, 3);
  EXPECT_TRUE(summarize(sparse_of(nothing), {}).all_rows_equal);
  EXPECT_EQ(power_of_two_scale(sparse_of(nothing), {}), 1);
}

TEST(SparseSummary, NamesTheFirstValueThatIsNotFinite) {
  Points x = mostly_zeros(20, 5, 3);
  x(11, 2) = -HUGE_VAL;
  x(12, 1) = kNan;
  for (const bool scale_only : {false, true}) {
    try {
      if (scale_only)
        power_of_two_scale(sparse_of(x), {});
      else
        summarize(sparse_of(x), {});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::missing_values);
      EXPECT_EQ(error.place(), "row 12, column 3");
    }
  }
}

// Three columns of a million: only what is stored may cost anything.
TEST(SparseSummary, ManyColumnsCostNothing) {
  SparseRows rows;
  constexpr Index kDim = 1'000'000, kRows = 20'000;
  for (Index i = 0; i < kRows; ++i) {
    rows.columns.insert(rows.columns.end(), {5, 600'000, 999'999});
    rows.values.insert(rows.values.end(), {1.0, i % 2 == 0 ? 2.0 : 4.0, -8.0});
    rows.starts.push_back(static_cast<Index>(rows.values.size()));
  }
  const Dataset data(std::move(rows), kDim);
  const Summary summary = summarize(data, {});
  EXPECT_EQ(summary.constant_columns, kDim - 1);
  EXPECT_EQ(summary.mean[600'000], 3);
  EXPECT_EQ(summary.deviation[600'000], 1);
  EXPECT_EQ(power_of_two_scale(data, {}), 0x1p-4);
  EXPECT_EQ(treat_missing(data, Missing::median).figures[600'000], 3);
  EXPECT_EQ(fingerprint(data).size(), 32U);
  State state;
  detail::save_points(state, detail::stored_points(data));
  EXPECT_EQ(detail::load_points(state, kDim).view().at(1, 600'000), 4);
  EXPECT_EQ(
      code_of([&] { Scaler("standard", data, {.budget = {.memory = 1u << 30}, .observer = {}}); }),
      "M301");
}

TEST(SparseMissing, EveryPolicyGivesWhatItGivesDenseRows) {
  Points x = mostly_zeros(60, 7, 4);
  x(3, 2) = x(17, 2) = x(17, 5) = x(40, 0) = x(59, 6) = kNan;
  for (const Index stored : {Index{1000000}, Index{3}}) {
    Dataset sparse = sparse_of(x, stored);
    sparse.ids.assign(60, "row");
    for (const Missing policy : {Missing::drop, Missing::mean, Missing::median, Missing::keep}) {
      const WithoutMissing a = treat_missing(Dataset(x), policy), b = treat_missing(sparse, policy);
      EXPECT_TRUE(b.data.sparse());
      EXPECT_EQ(static_cast<Index>(b.data.ids.size()), b.data.n());
      EXPECT_EQ(a.rows_dropped, b.rows_dropped);
      EXPECT_EQ(a.cells_filled, b.cells_filled);
      ASSERT_EQ(a.figures.size(), b.figures.size());
      EXPECT_LE(test::max_abs(a.figures - b.figures), 60 * kUnit);
      const Points filled = b.data.view().to_points();
      if (policy == Missing::mean)
        EXPECT_LE(test::max_abs(a.data.view().to_points() - filled), 60 * kUnit);
      else
        EXPECT_TRUE(same(a.data.view().to_points(), filled));
    }
    EXPECT_EQ(code_of([&] { treat_missing(sparse, Missing::error); }), "M212");
  }
}

TEST(SparseMissing, TheMedianCountsZerosBetweenTheSigns) {
  // Two negative, three zero, four positive values and a gap: the fifth of nine is 0. Without the
  // zeros, it would be positive.
  Points x(10, 1);
  x << -5, 0, 7, kNan, 0, -1, 2, 0, 3, 9;
  EXPECT_EQ(treat_missing(sparse_of(x), Missing::median).figures[0], 0);
  EXPECT_NEAR(treat_missing(sparse_of(x), Missing::mean).figures[0], 15.0 / 9, 4 * kUnit);
  x << -5, 0, 7, kNan, kNan, -1, 2, 1, 3, 9;  // eight: between 1 and 2
  EXPECT_EQ(treat_missing(sparse_of(x), Missing::median).figures[0], 1.5);
  x << -5, 0, -7, kNan, kNan, -1, -2, -1, 3, 9;
  EXPECT_EQ(treat_missing(sparse_of(x), Missing::median).figures[0], -1);
  x << -5, 0, 0, kNan, -4, -3, -2, 0, 0, 9;  // the first zero is the middle one
  EXPECT_EQ(treat_missing(sparse_of(x), Missing::median).figures[0], 0);
  x << 5, 0, 0, kNan, 4, 3, 2, 0, 0, 9;  // the first positive value is
  EXPECT_EQ(treat_missing(sparse_of(x), Missing::median).figures[0], 2);
}

TEST(SparseMissing, NeverTouchesInfinityAndNamesItsPlace) {
  Points x = mostly_zeros(10, 4, 5);
  x(6, 1) = HUGE_VAL;
  for (const Missing policy :
       {Missing::error, Missing::drop, Missing::mean, Missing::median, Missing::keep}) {
    try {
      treat_missing(sparse_of(x), policy);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::missing_values);
      EXPECT_NE(error.message().find("row 7, column 2"), std::string::npos) << error.message();
    }
  }
}

TEST(SparseScaler, LearnsAndAppliesWhatItDoesForDenseRows) {
  const Points x = mostly_zeros(80, 6, 6), fresh = mostly_zeros(9, 6, 7);
  for (const char* kind : {"none", "standard", "range", "whiten"}) {
    const Scaler a(kind, x, {}), b(kind, sparse_of(x), {});
    EXPECT_LE(test::max_abs(a.apply(fresh) - b.apply(sparse_of(fresh))), 1e5 * kUnit) << kind;
  }
}

TEST(SparseScaler, WhatScalingTakesIsCheckedBeforeItIsTaken) {
  const Dataset wide(SparseRows{std::vector<Index>(1'000'001, 0), {}, {}}, 1'000'000);
  const Context gigabyte{.budget = {.memory = 1u << 30}, .observer = {}};
  for (const char* kind : {"standard", "range", "whiten"}) {
    try {
      Scaler(kind, wide, gigabyte);
      FAIL() << kind;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::over_memory);
      EXPECT_NE(error.hint().find("drop --scale"), std::string::npos);
    }
  }
  EXPECT_FALSE(Scaler("none", wide, gigabyte).active());
  const Scaler narrow("standard", mostly_zeros(20, 4, 8), {});
  const Dataset many(SparseRows{std::vector<Index>(1'000'001, 0), {}, {}}, 4);
  EXPECT_EQ(code_of([&] { narrow.apply(many, {.budget = {.memory = 1 << 20}, .observer = {}}); }),
            "M301");
  EXPECT_EQ(narrow.apply(many, gigabyte).rows(), 1'000'000);
}

TEST(SparseFingerprint, DependsOnEveryValueAndPlaceAndNotOnStoredZeros) {
  const Points x = mostly_zeros(25, 8, 9);
  const std::string print = fingerprint(sparse_of(x));
  EXPECT_EQ(print, fingerprint(sparse_of(x, 2)));
  EXPECT_EQ(fingerprint(sparse_of(x.topRows(12))), fingerprint(sparse_of(x).view().rows({0, 12})));
  std::vector<std::string> seen = {print, fingerprint(sparse_of(x.leftCols(7)))};
  for (Index i = 0; i < 25; ++i)
    for (Index j = 0; j < 8; ++j) {
      Points y = x;
      y(i, j) += 1;
      seen.push_back(fingerprint(sparse_of(y)));
    }
  Points moved = x;  // a value one row further: the same numbers in the same columns
  moved.col(7).segment(3, 2).reverseInPlace();
  seen.push_back(fingerprint(sparse_of(moved)));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

State state_of(const Dataset& points) {
  State state;
  detail::save_points(state, points);
  return state;
}

Array& array_of(State& state, const std::string& name) {
  for (Array& array : state.arrays)
    if (array.name == name) return array;
  throw std::runtime_error("no array " + name);
}

template <class T>
void put(State& state, const std::string& name, std::size_t place, T value) {
  std::memcpy(array_of(state, name).bytes.data() + place * sizeof value, &value, sizeof value);
}

TEST(StoredPoints, ComeBackFromAState) {
  const Points x = mostly_zeros(40, 6, 10);
  const Dataset sparse = detail::stored_points(sparse_of(x).view().rows({5, 35}));
  EXPECT_TRUE(sparse.sparse());
  State state = state_of(sparse);
  EXPECT_EQ(state.find("points"), nullptr);
  const Dataset loaded = detail::load_points(state, 6);
  EXPECT_TRUE(loaded.sparse());
  EXPECT_TRUE(loaded.view().to_points() == x.middleRows(5, 30));

  const Eigen::MatrixXf singles = x.cast<float>();
  State of_singles = state_of(detail::stored_points(singles));
  const Dataset dense = detail::load_points(of_singles, 6);
  EXPECT_FALSE(dense.sparse());
  EXPECT_EQ(dense.type(), Scalar::f32);
  EXPECT_TRUE(dense.view().to_points() == Points(singles.cast<double>()));
}

TEST(StoredPoints, RowsOfNothingComeBack) {
  State state = state_of(sparse_of(Points::Zero(3, 2)));
  const Dataset empty = detail::load_points(state, 2);
  EXPECT_TRUE(empty.view().to_points() == Points::Zero(3, 2));
}

TEST(StoredPoints, RefuseDenseArraysOfAnotherShape) {
  State state = state_of(Dataset(mostly_zeros(4, 3, 11)));
  EXPECT_EQ(code_of([&] { detail::load_points(state, 4); }), "M703");
  state.arrays[0].shape = {12};
  EXPECT_EQ(code_of([&] { detail::load_points(state, 3); }), "M703");
  State none;
  EXPECT_EQ(code_of([&] { detail::load_points(none, 3); }), "M703");
}

TEST(StoredPoints, RefuseSparseArraysThatAreNoRows) {
  Points x(3, 4);
  x << 1, 0, 2, 0, 0, 0, 0, 3, 4, 5, 6, 7;  // starts 0 2 3 7
  const auto refused = [&](auto&& damage, Index dim = 4) {
    State state = state_of(sparse_of(x));
    damage(state);
    return code_of([&] { detail::load_points(state, dim); }) == "M703";
  };
  using S = State;
  EXPECT_FALSE(refused([](S&) {}));
  EXPECT_TRUE(refused([](S&) {}, 3));
  EXPECT_TRUE(refused([](S& s) { put<std::int64_t>(s, "points.starts", 0, 1); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int64_t>(s, "points.starts", 0, -1); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int64_t>(s, "points.starts", 1, 4); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int64_t>(s, "points.starts", 1, 1LL << 60); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int64_t>(s, "points.starts", 3, 6); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int64_t>(s, "points.starts", 3, 8); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int32_t>(s, "points.columns", 0, -1); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int32_t>(s, "points.columns", 2, 4); }));
  EXPECT_TRUE(refused([](S& s) { put<std::int32_t>(s, "points.columns", 4, 0); }));  // twice
  EXPECT_TRUE(refused([](S& s) { put<std::int32_t>(s, "points.columns", 4, 3); }));
  EXPECT_TRUE(refused([](S& s) { put<double>(s, "points.values", 4, kNan); }));
  EXPECT_TRUE(refused([](S& s) { array_of(s, "points.columns").name = "else"; }));
  EXPECT_TRUE(refused([](S& s) { array_of(s, "points.values").name = "else"; }));
  EXPECT_TRUE(refused([](S& s) { array_of(s, "points.starts").shape = {2, 2}; }));
  EXPECT_TRUE(refused([](S& s) { array_of(s, "points.values").type = ArrayType::I64; }));
  EXPECT_TRUE(refused([](S& s) {
    Array& values = array_of(s, "points.values");
    values.shape = {6};
    values.bytes.resize(6 * sizeof(double));
  }));
  EXPECT_TRUE(refused([](S& s) {
    Array& starts = array_of(s, "points.starts");
    starts.shape = {0};
    starts.bytes.clear();
  }));
}

}  // namespace sparse_test
}  // namespace mercer
