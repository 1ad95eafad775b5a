// The one-word language of kernels: what it means and what it refuses.
#include "mercer/kernels/kernel.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace parse_test {

std::string code_of(const std::string& spec) {
  return test::code_of([&] { Kernel{spec}; });
}

TEST(Spec, NamesAndDefaults) {
  EXPECT_EQ(Kernel("gaussian").spec(), "gaussian:sigma=median");
  EXPECT_EQ(Kernel("gaussian:sigma=median").spec(), "gaussian:sigma=median");
  EXPECT_EQ(Kernel("linear").spec(), "linear:offset=0");
  EXPECT_EQ(Kernel("polynomial").spec(), "polynomial:degree=3,scale=1,offset=1");
  EXPECT_EQ(Kernel("sigmoid").spec(), "sigmoid:scale=1,offset=0");
}

TEST(Spec, ParametersComeInAnyOrder) {
  EXPECT_EQ(Kernel("polynomial:offset=2,degree=4").spec(), "polynomial:degree=4,scale=1,offset=2");
}

TEST(Spec, TimesBindsTighterThanPlus) {
  const Kernel kernel("gaussian:sigma=1+2*linear*polynomial:degree=2+0.5*linear");
  ASSERT_EQ(kernel.terms().size(), 3U);
  EXPECT_EQ(kernel.terms()[1].weight, 2);
  EXPECT_EQ(kernel.terms()[1].factors.size(), 2U);
  EXPECT_EQ(kernel.terms()[2].weight, 0.5);
}

TEST(Spec, NumbersMayStandAnywhereInAProductAndMultiply) {
  EXPECT_EQ(Kernel("2*linear*3").terms()[0].weight, 6);
  EXPECT_EQ(Kernel("linear*0.5*linear").terms()[0].factors.size(), 2U);
  EXPECT_EQ(Kernel("-1*linear").terms()[0].weight, -1);
}

TEST(Spec, ANumberEndsWhereItCannotGoOn) {
  const Kernel large("1e+5*linear");
  ASSERT_EQ(large.terms().size(), 1U);
  EXPECT_EQ(large.terms()[0].weight, 1e5);
  EXPECT_EQ(Kernel("gaussian:sigma=1e+2+linear").terms().size(), 2U);
  EXPECT_EQ(Kernel("gaussian:sigma=1+linear").terms().size(), 2U);
  EXPECT_EQ(Kernel("gaussian:sigma=.5").spec(), "gaussian:sigma=0.5");
  EXPECT_EQ(Kernel("linear:offset=-2e-3").spec(), "linear:offset=-0.002");
}

TEST(Spec, SumsAndProductsHaveTheValueOfTheirParts) {
  const Points x = test::random_points({.n = 6, .dim = 3, .seed = 1});
  const Block g = test::dense_kernel("gaussian:sigma=2", x), l = test::dense_kernel("linear", x),
              p = test::dense_kernel("polynomial:degree=2", x);
  const Block sum = test::dense_kernel("gaussian:sigma=2+0.5*linear*polynomial:degree=2", x);
  const Block expected = g + 0.5 * l.cwiseProduct(p);
  EXPECT_LE(test::max_abs(sum - expected), 8 * test::kUnit * test::max_abs(expected));
}

TEST(Spec, UnknownKernelsAreM103AndTheNearestIsNamed) {
  EXPECT_EQ(code_of("rfb"), "M103");
  EXPECT_EQ(code_of("gaussian:sigma=1+lineer"), "M103");
  try {
    Kernel("gausian");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("gaussian"), std::string::npos);
    EXPECT_NE(error.hint().find("polynomial"), std::string::npos);  // and all of them
  }
}

TEST(Spec, UnknownParametersAreM104) {
  EXPECT_EQ(code_of("gaussian:sgima=1"), "M104");
  EXPECT_EQ(code_of("linear:degree=2"), "M104");
}

TEST(Spec, ValuesOutOfRangeAreM105) {
  for (const char* spec :
       {"gaussian:sigma=0", "gaussian:sigma=-1", "gaussian:sigma=nan", "gaussian:sigma=inf",
        "gaussian:sigma=wide", "gaussian:sigma=1e400", "gaussian:gamma=0", "gaussian:gamma=-2",
        "gaussian:sigma=3x", "polynomial:degree=0", "polynomial:degree=-2", "polynomial:scale=0",
        "polynomial:degree=1e7", "polynomial:offset=nan", "sigmoid:scale=inf",
        "linear:offset=median"})
    EXPECT_EQ(code_of(spec), "M105") << spec;
}

TEST(Spec, AWordInPlaceOfANumberIsNamedAndAnExampleGiven) {
  try {
    static_cast<void>(Kernel("gaussian:sigma=wide"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("\"wide\" is not a number"), std::string::npos)
        << error.message();
    EXPECT_NE(error.hint().find("gaussian:sigma=1"), std::string::npos) << error.hint();
    EXPECT_NE(error.hint().find("sigma=median"), std::string::npos) << error.hint();
  }
}

TEST(Spec, TheSameQuantityTwiceIsM106) {
  for (const char* spec : {"gaussian:sigma=1,gamma=1", "gaussian:sigma=1,sigma=1",
                           "polynomial:scale=1,gamma=2", "sigmoid:coef0=1,offset=1"})
    EXPECT_EQ(code_of(spec), "M106") << spec;
}

TEST(Spec, ADegreeThatIsNotWholeIsM107) {
  EXPECT_EQ(code_of("polynomial:degree=2.5"), "M107");
  EXPECT_EQ(code_of("polydot:degree=0.5"), "M107");
}

TEST(Spec, WhatIsNotTheGrammarIsM111) {
  for (const char* spec : {"",
                           "+",
                           "*",
                           "linear+",
                           "+linear",
                           "linear*",
                           "*linear",
                           "2",
                           "2*3",
                           "linear linear",
                           "linear(",
                           "(linear)",
                           "gaussian:",
                           "gaussian:sigma",
                           "gaussian:sigma=",
                           "gaussian:=1",
                           "gaussian:sigma=1,",
                           "gaussian:sigma=1,,gamma=2",
                           "linear++linear",
                           "1e999*linear",
                           "linear;",
                           " linear",
                           "linear "})
    EXPECT_EQ(code_of(spec), "M111") << "'" << spec << "'";
}

TEST(Spec, AnErrorNamesThePlaceAndDefusesTheText) {
  try {
    Kernel("linear+\x1b[31m");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message().find('\x1b'), std::string::npos);
    EXPECT_EQ(error.place(), "character 8");
  }
}

TEST(Spec, RandomTextNeverDoesWorseThanAnError) {
  const std::string alphabet = "gaussianlinearpoly:=,+*.-0123456789eE_( \x80\n";
  const Random random(3);
  for (std::uint64_t trial = 0; trial < 5000; ++trial) {
    std::string spec = trial % 2 ? "gaussian:sigma=" : "";
    for (std::uint64_t i = 0; i < random.below(20, 100 * trial); ++i)
      spec += alphabet[random.below(alphabet.size(), 100 * trial + 1 + i)];
    const std::string code = code_of(spec);
    if (code == "no error") {
      EXPECT_EQ(Kernel(Kernel(spec).spec()).spec(), Kernel(spec).spec());
    } else {
      EXPECT_EQ(code.substr(0, 2), "M1") << spec;
    }
  }
}

TEST(Kernel, KnowsWhichOfItsFormsAreDefinite) {
  EXPECT_EQ(Kernel("gaussian").definite(), Definite::always);
  EXPECT_EQ(Kernel("linear:offset=-1").definite(), Definite::centred);
  EXPECT_EQ(Kernel("polynomial:offset=-1").definite(), Definite::no);
  EXPECT_EQ(Kernel("gaussian+linear").definite(), Definite::always);
  EXPECT_EQ(Kernel("gaussian+linear:offset=-1").definite(), Definite::centred);
  EXPECT_EQ(Kernel("gaussian*linear:offset=-1").definite(), Definite::no);
  EXPECT_EQ(Kernel("gaussian+-1*linear").definite(), Definite::no);
  EXPECT_EQ(Kernel("sigmoid").definite(), Definite::no);
}

TEST(Kernel, DescribesItself) {
  const Kernel kernel("gaussian:sigma=2");
  EXPECT_EQ(kernel.formula(), "exp(-|x-y|^2/(2*2^2))");
  EXPECT_EQ(kernel.describe()["gamma"].as_number(), 0.125);
  EXPECT_EQ(kernel.describe()["parameters"]["sigma"].as_number(), 2);
  EXPECT_FALSE(Kernel("gaussian").resolved());
  EXPECT_TRUE(kernel.resolved());
}

}  // namespace parse_test
}  // namespace mercer
