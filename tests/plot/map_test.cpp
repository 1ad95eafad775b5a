// Which scores are drawn as a map, where a centimetre is as much to the right as upwards.
#include "mercer/core/random.h"
#include "mercer/models/kind/mds.h"
#include "mercer/models/kind/metric_mds.h"
#include "mercer/models/kind/pca.h"
#include "mercer/plot/kind.h"

#include <gtest/gtest.h>

namespace mercer::plot {
namespace map_test {

Dataset some_rows() {
  const Random random(1);
  Points rows(30, 4);
  for (Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = random.uniform(static_cast<std::uint64_t>(i)) * (i % 4 == 0 ? 9 : 1);
  return Dataset(rows);
}

// Of the panel that shows two components, by itself and among all pairs.
bool has_one_unit(const Model& model, std::string_view kind, std::size_t panel) {
  const PlotSource source(model, PlotTable{some_rows()}, Context{});
  return figure_of(plot_kind(kind, source), source, {}).panels[panel].equal;
}

TEST(Maps, HaveOneUnitWhereDistancesAreKept) {
  const Dataset rows = some_rows();
  EXPECT_TRUE(has_one_unit(Mds::fit(rows, {.components = 2}), "scatter", 0));
  EXPECT_TRUE(has_one_unit(MetricMds::fit(rows, {.components = 2}), "scatter", 0));
  EXPECT_FALSE(has_one_unit(Pca::fit(rows, {.components = 2}), "scatter", 0));
  EXPECT_FALSE(has_one_unit(Mds::fit(rows, {.components = 2}), "pairs", 1));  // axes are shared
}

}  // namespace map_test
}  // namespace mercer::plot
