#include "mercer/operators/gauss_clusters.h"

#include "mercer/core/parallel.h"
#include "mercer/operators/taylor_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer {
namespace {

constexpr Index kMostDegree = 150;
constexpr Index kSampleClusters = 256;  // a sample of about 1000 rows tells no more apart
constexpr Index kReachRows = 64;        // rows of the sample whose neighbours are counted
constexpr double kAnywhere = std::numeric_limits<double>::infinity();
// So few clusters have centres that most rows are nearer to than the cutoff. Then it is worth
// looking up how far the farthest row is: an expansion for nearer rows has fewer terms.
constexpr Index kFewForDegrees = 8;
constexpr Index kChunk = 8192;  // rows of a task

// Farthest point first: each new centre is the row farthest from those before.
class FarthestFirst {
 public:
  explicit FarthestFirst(const Points& rows)
      : rows_(rows),
        squares_(Vector::Constant(rows.rows(), std::numeric_limits<double>::infinity())),
        owners_(static_cast<std::size_t>(rows.rows()), 0) {}

  const std::vector<Index>& centres() const { return centres_; }
  const std::vector<Index>& owners() const { return owners_; }
  double squared_distance(Index row) const { return squares_[row]; }

  Index farthest() const {
    Index at = 0;
    if (!centres_.empty()) squares_.maxCoeff(&at);
    return at;
  }

  void add(Index row) {
    const auto number = static_cast<Index>(centres_.size());
    centres_.push_back(row);
    for (Index i = 0; i < rows_.rows(); ++i) {
      const double square = (rows_.row(i) - rows_.row(row)).squaredNorm();
      if (square >= squares_[i]) continue;
      squares_[i] = square;
      owners_[static_cast<std::size_t>(i)] = number;
    }
  }

 private:
  const Points& rows_;
  Vector squares_;  // to the nearest centre
  std::vector<Index> centres_, owners_;
};

// log of exp(-(a^2+b^2)/2) T with T = sum_{k>=p} z^k/k!, z = ab, and by how much it grows with b:
// d/db = -b + a T_{p-1}/T_p.
struct Left {
  double log = 0, slope = 0;
};

Left left_out(double a, double b, double p) {
  const double z = a * b;
  double term = 1, sum = 1;
  for (double k = p + 1; term > 1e-17 * sum; ++k) {
    term *= z / k;
    sum += term;
  }
  return {p * std::log(z) - std::lgamma(p + 1) + std::log(sum) - (a * a + b * b) / 2,
          a * (1 + p / (z * sum)) - b};
}

// The largest over b. The logarithm is concave, and the slope at b >= a + p/b negative.
double log_truncation(double radius, Index degree, double reach) {
  const auto p = static_cast<double>(degree);
  double low = radius, high = std::min((radius + std::sqrt(radius * radius + 4 * p)) / 2, reach);
  Left at = left_out(radius, high, p);
  if (at.slope >= 0) return at.log;
  while (high - low > 1e-4 * high) {
    const double b = (low + high) / 2;
    at = left_out(radius, b, p);
    (at.slope > 0 ? low : high) = b;
  }
  return at.log + std::abs(at.slope) * (high - low);  // above a concave function everywhere
}

// Degrees by radius for trials: rounded up to steps of 3 %, each found once.
class DegreeTable {
 public:
  explicit DegreeTable(double eps) : eps_(eps) {}

  Index at(double radius) {
    if (!(radius > 1e-9)) return radius > 0 ? truncation_degree(1e-9, eps_, kAnywhere) : 1;
    const double step = std::ceil(std::log(radius * 1e9) / kStep);
    if (step > 1e4) return 0;
    const auto place = static_cast<std::size_t>(step);
    if (known_.size() <= place) known_.resize(place + 1, -1);
    if (known_[place] < 0)
      known_[place] = truncation_degree(1e-9 * std::exp(step * kStep), eps_, kAnywhere);
    return known_[place];
  }

 private:
  static constexpr double kStep = 0.03;
  double eps_;
  std::vector<Index> known_;
};

// Work of a row in terms: its own expansion, those it sees, finding both.
struct Trial {
  ClusterShape shape;
  double work = std::numeric_limits<double>::infinity();
};

// No row is farther from a centre than this.
double farthest_row(const Points& centres, const Vector& radii, Index c) {
  return ((centres.rowwise() - centres.row(c)).rowwise().norm() + radii).maxCoeff();
}

// Clusters of a search about the middle of their boxes.
struct Middles {
  Points centres;
  Vector radii;
};

Middles middles_of(const Points& rows, const FarthestFirst& search) {
  const auto clusters = static_cast<Index>(search.centres().size());
  const auto owner = [&](Index i) { return search.owners()[static_cast<std::size_t>(i)]; };
  Points low = Points::Constant(clusters, rows.cols(), std::numeric_limits<double>::infinity());
  Points high = -low;
  for (Index i = 0; i < rows.rows(); ++i) {
    low.row(owner(i)) = low.row(owner(i)).cwiseMin(rows.row(i));
    high.row(owner(i)) = high.row(owner(i)).cwiseMax(rows.row(i));
  }
  Middles middles{(low + high) / 2, Vector::Zero(clusters)};
  for (Index i = 0; i < rows.rows(); ++i) {
    double& radius = middles.radii[owner(i)];
    radius = std::max(radius, (rows.row(i) - middles.centres.row(owner(i))).norm());
  }
  return middles;
}

Trial tried(const Points& rows, const FarthestFirst& search, DegreeTable& degrees, double eps) {
  const double cutoff = gauss_cutoff(eps);
  const auto [centres, radii] = middles_of(rows, search);
  const auto clusters = static_cast<Index>(search.centres().size());
  Vector terms(clusters);
  Trial trial;
  for (Index c = 0; c < clusters; ++c) {
    const Index degree = clusters > kFewForDegrees
                             ? degrees.at(radii[c])
                             : truncation_degree(radii[c], eps, farthest_row(centres, radii, c));
    terms[c] = degree == 0 ? 2 * kMostClusterTerms : monomial_count(rows.cols(), degree - 1);
    trial.shape.degree = std::max(trial.shape.degree, degree);
  }
  if (terms.maxCoeff() > kMostClusterTerms) return {};
  double own = 0, seen = 0, reach = 0;
  const Index step = std::max<Index>(1, rows.rows() / kReachRows), n = rows.rows();
  for (Index i = 0; i < n; ++i) own += terms[search.owners()[static_cast<std::size_t>(i)]];
  Index asked = 0;
  for (Index i = 0; i < n; i += step, ++asked)
    for (Index c = 0; c < clusters; ++c) {
      if ((rows.row(i) - centres.row(c)).norm() > cutoff + radii[c]) continue;
      seen += terms[c];
      reach += 1;
    }
  trial.shape.clusters = clusters;
  trial.shape.reach = reach / static_cast<double>(asked);
  trial.shape.terms = own / static_cast<double>(n);
  trial.work = trial.shape.terms + seen / static_cast<double>(asked) +
               static_cast<double>(clusters * rows.cols());
  return trial;
}

// The cheapest number of clusters; `search` ends a little beyond it.
Trial best_trial(const Points& rows, FarthestFirst& search, double eps) {
  Trial best;
  DegreeTable degrees(eps);
  Index next = 1;
  const Index most = std::min(kSampleClusters, std::max<Index>(1, rows.rows() / 4));
  for (Index k = 1; k <= most; ++k) {
    search.add(search.farthest());
    if (k < next) continue;
    next = k + std::max<Index>(1, k / 3);
    const Trial trial = tried(rows, search, degrees, eps);
    if (trial.work < best.work) best = trial;
    if (trial.work > 2 * best.work || trial.shape.degree == 1) break;
  }
  return best;
}

// Nearest of the centres for every row, and the square of the distance.
void assign(const Points& z, const Points& centres, std::vector<Index>& owners, Vector& squares,
            const Context& context) {
  const std::vector<Range> chunks = tiles_of(z.rows(), kChunk / 8);
  const Index dim = z.cols();
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    for (Index i = chunks[static_cast<std::size_t>(t)].begin;
         i < chunks[static_cast<std::size_t>(t)].end; ++i) {
      const double* x = z.data() + i * dim;
      double least = std::numeric_limits<double>::infinity();
      Index owner = 0;
      for (Index c = 0; c < centres.rows(); ++c) {
        const double* y = centres.data() + c * dim;
        double square = 0;
        for (Index j = 0; j < dim; ++j) square += (x[j] - y[j]) * (x[j] - y[j]);
        if (square >= least) continue;
        least = square;
        owner = c;
      }
      owners[static_cast<std::size_t>(i)] = owner;
      squares[i] = least;
    }
  });
}

// Adds the farthest row as a centre until no expansion has too many terms: rows that a sample
// missed.
void add_outliers(const Points& z, Points& centres, std::vector<Index>& owners, Vector& squares,
                  double eps, const Context& context) {
  const std::vector<Range> chunks = tiles_of(z.rows(), kChunk);
  for (;;) {
    Index far = 0;
    const double radius = std::sqrt(squares.maxCoeff(&far));
    const Index owner = owners[static_cast<std::size_t>(far)];
    const Index degree = truncation_degree(
        radius, eps, farthest_row(centres, Vector::Constant(centres.rows(), radius), owner));
    if (degree > 0 && monomial_count(z.cols(), degree - 1) <= kMostClusterTerms) return;
    const Index number = centres.rows();
    centres.conservativeResize(number + 1, Eigen::NoChange);
    centres.row(number) = z.row(far);
    parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
      const Range chunk = chunks[static_cast<std::size_t>(t)];
      for (Index i = chunk.begin; i < chunk.end; ++i) {
        const double square = (z.row(i) - z.row(far)).squaredNorm();
        if (square >= squares[i]) continue;
        squares[i] = square;
        owners[static_cast<std::size_t>(i)] = number;
      }
    });
  }
}

// Rows cluster by cluster, in the order of the table within each; empty clusters vanish.
void sort_rows(GaussClusters& made, const Points& z, const std::vector<Index>& owners,
               const Points& centres) {
  const Index count = centres.rows();
  made.centres.resize(count, z.cols());
  std::vector<Index> starts(static_cast<std::size_t>(count) + 1, 0);
  for (const Index owner : owners) ++starts[static_cast<std::size_t>(owner) + 1];
  for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c) {
    starts[c + 1] += starts[c];
    if (starts[c + 1] == starts[c]) continue;
    made.centres.row(static_cast<Index>(made.ranges.size())) = centres.row(static_cast<Index>(c));
    made.ranges.push_back({starts[c], starts[c + 1]});
  }
  made.centres.conservativeResize(static_cast<Index>(made.ranges.size()), Eigen::NoChange);
  made.order.resize(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i)
    made.order[static_cast<std::size_t>(starts[static_cast<std::size_t>(owners[i])]++)] =
        static_cast<Index>(i);
  made.rows.resize(z.rows(), z.cols());
  for (Index i = 0; i < z.rows(); ++i)
    made.rows.row(i) = z.row(made.order[static_cast<std::size_t>(i)]);
}

// The centre that is nearest to the farthest row: the one found, the middle of the box, the mean.
void place_centre(GaussClusters& made, Index c) {
  const Range range = made.ranges[static_cast<std::size_t>(c)];
  const auto rows = made.rows.middleRows(range.begin, range.size());
  const Eigen::RowVectorXd middle = (rows.colwise().minCoeff() + rows.colwise().maxCoeff()) / 2;
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  const auto radius_from = [&](const Eigen::RowVectorXd& centre) {
    return std::sqrt((rows.rowwise() - centre).rowwise().squaredNorm().maxCoeff());
  };
  made.radii[c] = radius_from(made.centres.row(c));
  for (const Eigen::RowVectorXd& centre : {middle, mean}) {
    const double radius = radius_from(centre);
    if (radius >= made.radii[c]) continue;
    made.radii[c] = radius;
    made.centres.row(c) = centre;
  }
}

}  // namespace

double gauss_cutoff(double eps) { return std::sqrt(2 * std::log(1 / eps)); }

double truncation_error(double radius, Index p, double reach) {
  return radius > 0 ? std::exp(log_truncation(radius, p, std::max(reach, radius))) : 0;
}

Index truncation_degree(double radius, double eps, double reach) {
  if (!(radius > 0)) return 1;
  if (!(radius < 1e3)) return 0;
  const double wanted = std::log(eps);
  reach = std::clamp(reach, radius, radius + gauss_cutoff(eps));
  Index below = 0, enough = 1;  // the error falls with the degree
  while (log_truncation(radius, enough, reach) > wanted) {
    below = enough;
    if (enough == kMostDegree) return 0;
    enough = std::min(2 * enough, kMostDegree);
  }
  while (enough - below > 1) {
    const Index p = (below + enough) / 2;
    (log_truncation(radius, p, reach) > wanted ? below : enough) = p;
  }
  return enough;
}

ClusterShape cluster_shape(const Points& sample, double sigma, double eps) {
  if (sample.rows() == 0 || !(sigma > 0) || !(eps > 0 && eps < 1)) return {};
  const Points rows = sample / sigma;
  FarthestFirst search(rows);
  return best_trial(rows, search, eps).shape;
}

Index GaussClusters::degree() const { return *std::max_element(degrees.begin(), degrees.end()); }

GaussClusters gauss_clusters(Points z, double sigma, double eps, Index wanted,
                             const Context& context) {
  z /= sigma;
  const Index n = z.rows(), step = std::max<Index>(1, n / 4096);
  Points sample((n + step - 1) / step, z.cols());
  for (Index i = 0; i < sample.rows(); ++i) sample.row(i) = z.row(i * step);
  FarthestFirst search(sample);
  do search.add(search.farthest());
  while (static_cast<Index>(search.centres().size()) < wanted &&
         search.squared_distance(search.farthest()) > 0);
  Points centres = middles_of(sample, search).centres;
  std::vector<Index> owners(static_cast<std::size_t>(n));
  Vector squares(n);
  assign(z, centres, owners, squares, context);
  add_outliers(z, centres, owners, squares, eps, context);

  GaussClusters made;
  sort_rows(made, z, owners, centres);
  const auto count = static_cast<Index>(made.ranges.size());
  made.radii.resize(count);
  made.degrees.resize(static_cast<std::size_t>(count));
  made.cutoff = gauss_cutoff(eps);
  parallel_for(context, count, [&](Index c) { place_centre(made, c); });
  Vector errors(count);
  parallel_for(context, count, [&](Index c) {
    const double reach =
        std::min(made.cutoff + made.radii[c], farthest_row(made.centres, made.radii, c));
    const Index found = truncation_degree(made.radii[c], eps, reach);
    // Centres have moved a little: the error says so where that was too much.
    const Index degree = found > 0 ? found : kMostDegree;
    made.degrees[static_cast<std::size_t>(c)] = degree;
    errors[c] = truncation_error(made.radii[c], degree, reach);
  });
  made.error = errors.maxCoeff();
  // Where everything is within reach of everything nothing is left out.
  const Eigen::RowVectorXd extent = z.colwise().maxCoeff() - z.colwise().minCoeff();
  if (extent.norm() > made.cutoff) made.error = std::max(made.error, eps);
  return made;
}

}  // namespace mercer
