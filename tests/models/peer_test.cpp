// Agreement with other programs: scikit-learn's KernelPCA, kernlab's kpca and R's prcomp, on digits
// and wine, training rows and new ones, from values stored in tests/oracle/reference. Eigenvalues
// to 1e-10 relative, scores to 1e-8 of the column's largest. Peers centre the matrix by subtracting
// means of its size, so their own error is about N u max|K|: where that exceeds 1e-10 mu_k it is
// the tolerance, and our value is held to 1e-10 by 113-bit arithmetic.
#include "mercer/core/text.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/oracle/quad_reference.h"
#include "tests/support/dense.h"
#include "tests/support/reference.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace mercer {
namespace peer_test {

using oracle::Quad;
using test::kUnit;

const std::string kFolder = MERCER_TEST_DATA;

bool exists(const std::string& name) {
  return std::filesystem::exists(kFolder + "/" + name + ".csv");
}

struct Split {
  Points training, fresh;
};

Split read_digits() {
  std::ifstream file(kFolder + "/../../../assets/digits/digits.bin", std::ios::binary);
  std::vector<char> bytes(450 * 64);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.good());
  Points all(450, 64);
  for (Index i = 0; i < all.size(); ++i)
    all.data()[i] = static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return {all.topRows(400), all.bottomRows(50)};
}

Split read_wine() {
  const Block all = test::read_reference("wine");
  Split split{Points(89, 13), Points(89, 13)};
  for (Index i = 0; i < 178; ++i)
    (i % 2 == 0 ? split.training : split.fresh).row(i / 2) = all.row(i);
  return split;
}

struct Case {
  std::string peer, data, kernel, stem;
};

std::vector<Case> all_cases() {
  std::ifstream file(kFolder + "/cases.csv");
  std::vector<Case> cases;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(trim(line), ';');
    cases.push_back({cells.at(0), cells.at(1), cells.at(2), cells.at(3)});
  }
  return cases;
}

/// The peer's numbers in our conventions.
struct Peer {
  Vector mu;
  Block scores, fresh;  // fresh may be empty

  Peer(const Case& c, double n) {
    scores = test::read_reference(c.stem + "_scores");
    if (exists(c.stem + "_new")) fresh = test::read_reference(c.stem + "_new");
    if (c.peer == "prcomp") {
      mu = (n - 1) * test::read_reference(c.stem + "_sdev").col(0).cwiseAbs2();
      return;
    }
    mu = test::read_reference(c.stem + "_eigenvalues").col(0);
    if (c.peer != "kernlab") return;
    mu *= n;
    scores /= std::sqrt(n);
    fresh /= std::sqrt(n);
  }
};

/// Worst error of a column, relative to its largest entry, after turning it as `signs` says.
Vector column_errors(const Block& ours, const Block& theirs, const Vector& signs) {
  Vector errors(ours.cols());
  for (Index j = 0; j < ours.cols(); ++j)
    errors[j] =
        test::max_abs(signs[j] * ours.col(j) - theirs.col(j)) / test::max_abs(theirs.col(j));
  return errors;
}

class PeerAgreement : public testing::TestWithParam<Case> {
 protected:
  Split data = GetParam().data == "digits" ? read_digits() : read_wine();
  Index n = data.training.rows();
  Peer peer{GetParam(), static_cast<double>(n)};

  /// N u max|K| / mu_k: what the peer's own centring leaves of a value. prcomp centres the rows.
  Vector peer_rounding() const {
    if (GetParam().peer == "prcomp") return Vector::Zero(8);
    const double largest = test::max_abs(test::dense_kernel(GetParam().kernel, data.training));
    return static_cast<double>(n) * kUnit * largest * peer.mu.cwiseInverse();
  }
  void compare(const Vector& mu, const Block& scores, const Block& fresh) const {
    ASSERT_EQ(mu.size(), 8);
    const Vector rounding = peer_rounding();
    Vector signs(8);
    for (Index j = 0; j < 8; ++j) signs[j] = scores.col(j).dot(peer.scores.col(j)) < 0 ? -1 : 1;
    const Vector training = column_errors(scores, peer.scores, signs);
    const Vector beyond =
        peer.fresh.size() > 0 ? column_errors(fresh, peer.fresh, signs) : Vector::Zero(8);
    for (Index j = 0; j < 8; ++j) {
      EXPECT_LE(std::abs(mu[j] - peer.mu[j]) / peer.mu[j], std::max(1e-10, rounding[j])) << j;
      EXPECT_LE(training[j], std::max(1e-8, rounding[j])) << j;
      EXPECT_LE(beyond[j], std::max(1e-8, rounding[j])) << j;
    }
    RecordProperty("eigenvalues", brief(test::max_abs((mu - peer.mu).cwiseQuotient(peer.mu))));
    RecordProperty("scores", brief(test::max_abs(training)));
    RecordProperty("new", brief(test::max_abs(beyond)));
  }
};
INSTANTIATE_TEST_SUITE_P(Cases, PeerAgreement, testing::ValuesIn(all_cases()),
                         [](const auto& tested) { return tested.param.stem; });

TEST_P(PeerAgreement, EigenvaluesAndScoresOfTrainingAndNewRows) {
  const KernelPca model =
      KernelPca::fit(data.training, {.kernel = GetParam().kernel, .components = 8});
  compare(model.report.spectrum->eigenvalues, model.scores(), model.transform(data.fresh, {}));
}

TEST_P(PeerAgreement, PcaAgreesWithThePeersLinearMethods) {
  if (GetParam().kernel != "linear") return;
  const Pca model = Pca::fit(data.training, {.components = 8});
  compare(model.report.spectrum->eigenvalues, model.transform(data.training, {}),
          model.transform(data.fresh, {}));
  if (GetParam().peer != "prcomp") return;
  const Block axes = test::read_reference(GetParam().stem + "_rotation");
  EXPECT_LE(test::difference_up_to_sign(model.axes(), axes), 1e-8);
  EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues / static_cast<double>(n - 1) -
                          test::read_reference(GetParam().stem + "_sdev").col(0).cwiseAbs2()),
            1e-10 * model.report.spectrum->eigenvalues[0]);
}

Quad quad_tanh(Quad x) {
  const Quad e = expq(-2 * x);
  return (1 - e) / (1 + e);
}

/// Our eigenvalues and scores on wine against 113 bits.
template <class QuadKernel>
void compare_with_quad(const char* spec, const QuadKernel& quad) {
  const Points training = read_wine().training;
  const KernelPca model = KernelPca::fit(training, {.kernel = spec, .components = 8});
  const oracle::QuadEigen exact = oracle::quad_kernel_pca(training, quad);
  const Vector mu = exact.values.head(8);
  const Vector errors = (model.report.spectrum->eigenvalues - mu).cwiseQuotient(mu).cwiseAbs();
  EXPECT_LE(errors.maxCoeff(), 1e-10) << spec << ": " << errors.transpose();
  const Block scores = exact.vectors.leftCols(8) * mu.cwiseSqrt().asDiagonal();
  for (Index j = 0; j < 8; ++j)
    EXPECT_LE(test::difference_up_to_sign(model.scores().col(j), scores.col(j)),
              1e-8 * test::max_abs(scores.col(j)))
        << spec << " component " << j;
  testing::Test::RecordProperty(Kernel(spec).describe()["name"].as_text(),
                                brief(errors.maxCoeff()));
}

TEST(QuadAgreement, WineToTenDigitsWherePeersDisagree) {
  compare_with_quad("linear", oracle::quad_dot);
  compare_with_quad("gaussian:gamma=1e-5", oracle::quad_gaussian(Gaussian::sigma_of_gamma(1e-5)));
  compare_with_quad("polynomial:degree=3,scale=1e-6,offset=1",
                    [](const Quad* x, const Quad* y, Index dim) {
                      const Quad base = Quad(1e-6) * oracle::quad_dot(x, y, dim) + 1;
                      return base * base * base;
                    });
  compare_with_quad("sigmoid:scale=1e-7,offset=0.5", [](const Quad* x, const Quad* y, Index dim) {
    return quad_tanh(Quad(1e-7) * oracle::quad_dot(x, y, dim) + Quad(0.5));
  });
}

}  // namespace peer_test
}  // namespace mercer
