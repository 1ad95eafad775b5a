// One small model of each kind that a file may hold, for tests that damage them: every type of
// points, every kind of features, given matrices, policies, scalings, whitenings.
#pragma once

#include "mercer/core/random.h"
#include "mercer/data/dataset.h"
#include "mercer/models/kind.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace mercer::test {

struct ZooModel {
  std::string name;
  State state;
};

inline Points zoo_rows(Index n, Index dim) {
  const Random random(3);
  Points x(n, dim);
  for (Index i = 0; i < x.size(); ++i)
    x.data()[i] = random.uniform(static_cast<std::uint64_t>(i)) * 2 - 0.5;
  return x;
}

inline Dataset zoo_sparse(const Points& x) {
  SparseRows rows;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = i % 2; j < x.cols(); j += 2) {
      rows.columns.push_back(static_cast<std::int32_t>(j));
      rows.values.push_back(x(i, j));
    }
    rows.starts.push_back(static_cast<Index>(rows.values.size()));
  }
  return {std::move(rows), x.cols()};
}

inline Points zoo_distances(const Points& x, bool squared) {
  Points d(x.rows(), x.rows());
  for (Index i = 0; i < d.rows(); ++i)
    for (Index j = 0; j < d.cols(); ++j) {
      d(i, j) = (x.row(i) - x.row(j)).squaredNorm();
      if (!squared) d(i, j) = std::sqrt(d(i, j));
    }
  return d;
}

/// Everything a table can leave in a model: names, labels, figures for gaps.
inline void add_input(Model& model) {
  InputInfo& input = model.input;
  input.name = "t.csv";
  input.fingerprint = "0123";
  input.named_columns = true;
  std::vector<std::string> names;
  for (Index j = 0; j < model.report.dim; ++j) names.push_back("column " + std::to_string(j));
  input.column_names = std::move(names);
  Labels labels{"class", {"a", "b"}, {}};
  for (Index i = 0; i < model.report.n; ++i) labels.of_row.push_back(i % 2);
  input.labels = std::move(labels);
  input.missing.policy = "mean";
  input.missing.fill = Vector::Constant(model.report.dim, 0.25);
  input.missing.rows_dropped = 1;
  input.use.put_aside(1, "id", aside::kRowNames);
  input.use.encoded.push_back({"kind", "frequency", {"a", "b"}, {0.25, 0.75}});
  input.use.encoded.push_back({"town", "onehot", {"p", "q"}, {}});
  input.use.width = model.report.dim + 1;
  input.missing.cells_filled = 2;
  model.options["components"] = "2";
  model.options["center"] = true;
  model.report.spectrum->clusters.push_back({0, 1});
  model.report.warnings.push_back({WarningCode::scales_differ, "columns differ"});
}

inline std::vector<ZooModel> model_zoo() {
  std::vector<ZooModel> zoo;
  Context context;
  context.budget.threads = 1;
  const auto add = [&](std::string name, const char* method, DataView rows, const Value& options,
                       bool with_input = false) {
    const auto model = fit_model(method, rows, options, context);
    if (with_input) add_input(*model);
    zoo.push_back({std::move(name), model->state()});
  };
  const auto kernel = [](std::string spec, Index components = 2) {
    return Value(Value::Object{{"kernel", std::move(spec)}, {"components", components}});
  };
  const auto given = [](std::string as) { return Value(Value::Object{{"as", std::move(as)}}); };
  const auto linear = [](std::string whiten, std::string scale) {
    return Value(Value::Object{
        {"components", 2}, {"whiten", std::move(whiten)}, {"scale", std::move(scale)}});
  };
  const auto through = [&](const char* operator_name, const char* spec, const Points& rows) {
    context.budget.operator_name = operator_name;
    add(operator_name, "kernel_pca", rows, kernel(spec));
    context.budget.operator_name = {};
  };

  const Points x = zoo_rows(12, 5), many = zoo_rows(90, 2), line = zoo_rows(90, 1);
  const Eigen::Matrix<float, -1, -1, Eigen::RowMajor> singles = x.cast<float>();
  const Eigen::Matrix<unsigned char, -1, -1, Eigen::RowMajor> bytes =
      (x.array() * 50 + 100).cast<unsigned char>();
  const Dataset sparse = zoo_sparse(x);
  add("dense, with names", "kernel_pca", x, kernel("gaussian:sigma=0.7"), true);
  add("single", "kernel_pca", singles, kernel("laplacian:length=2"));
  add("bytes", "kernel_pca", bytes, kernel("poly:degree=2,scale=0.001"));
  add("sparse", "kernel_pca", sparse, kernel("gaussian:sigma=0.7"), true);
  add("sum of kernels", "kernel_pca", x, kernel("gaussian:sigma=1+0.5*linear"));
  add("thin plate spline", "kernel_pca", many, kernel("thin_plate_spline"));
  through("polynomial_features", "poly:degree=2", many);
  through("taylor_features", "gaussian:sigma=4", many);
  through("fourier_features", "gaussian:sigma=2", line);
  through("cholesky_features", "gaussian:sigma=2", many);
  add("matrix", "kernel_pca", Points(x * x.transpose()), given("kernel"));
  add("distances", "kernel_pca", zoo_distances(x, false), given("distance"));
  add("squared distances", "kernel_pca", zoo_distances(x, true), given("squared-distance"));
  Value back = kernel("gaussian:sigma=0.7");
  back["preimage"] = true;
  back["alpha"] = 0.1;
  add("with a way back", "kernel_pca", x, back);
  Value krein = kernel("sigmoid:scale=1,offset=1", 3);
  krein["indefinite"] = "krein";
  add("krein", "kernel_pca", x, krein);
  Value eigenvalues = kernel("gaussian:sigma=0.7");
  eigenvalues["tolerance"] = "eigenvalues:0.01";
  add("eigenvalues only", "kernel_pca", x, eigenvalues);
  add("pca", "pca", x, linear("none", "none"), true);
  add("pca, whitened", "pca", x, linear("pca", "standard"));
  add("pca, zca", "pca", x, linear("zca", "range"));
  add("pca, scaled", "pca", x, linear("none", "whiten"));
  add("mds", "mds", x, Value());
  Value raised = given("squared-distance");
  raised["additive"] = "cailliez";
  raised["out-of-sample"] = "trosset-priebe";
  add("mds, raised", "mds", zoo_distances(zoo_distances(x, true), true), raised);
  add("metric_mds", "metric_mds", x, Value());
  add("metric_mds of distances", "metric_mds", zoo_distances(x, false), given("distance"));
  return zoo;
}

}  // namespace mercer::test
