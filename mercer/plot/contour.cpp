#include "mercer/plot/contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace mercer::plot {
namespace {

// Edges of the grid have numbers: those along x first, then those along y.
class CellWalk {
 public:
  CellWalk(const Field& field, double level)
      : field_(field),
        level_(level),
        rows_(field.values.rows()),
        columns_(field.values.cols()),
        along_x_(rows_ * (columns_ - 1)) {}

  // Two ends for each segment, numbers of edges.
  std::vector<std::array<Index, 2>> segments() const {
    std::vector<std::array<Index, 2>> found;
    for (Index r = 0; r + 1 < rows_; ++r)
      for (Index c = 0; c + 1 < columns_; ++c) add_cell(r, c, found);
    return found;
  }

  // Where the level crosses an edge.
  Place on_edge(Index edge) const {
    if (edge < along_x_) {
      const Index r = edge / (columns_ - 1), c = edge % (columns_ - 1);
      const double t = share(field_.values(r, c), field_.values(r, c + 1));
      return {field_.x_of(c) + t * (field_.x_of(c + 1) - field_.x_of(c)), field_.y_of(r)};
    }
    const Index r = (edge - along_x_) / columns_, c = (edge - along_x_) % columns_;
    const double t = share(field_.values(r, c), field_.values(r + 1, c));
    return {field_.x_of(c), field_.y_of(r) + t * (field_.y_of(r + 1) - field_.y_of(r))};
  }

 private:
  double share(double from, double to) const { return (level_ - from) / (to - from); }
  bool above(Index r, Index c) const { return field_.values(r, c) >= level_; }

  void add_cell(Index r, Index c, std::vector<std::array<Index, 2>>& found) const {
    const double sum = field_.values(r, c) + field_.values(r, c + 1) + field_.values(r + 1, c) +
                       field_.values(r + 1, c + 1);
    if (!std::isfinite(sum)) return;
    const bool a = above(r, c), b = above(r, c + 1), d = above(r + 1, c + 1), e = above(r + 1, c);
    // Edges below, right, above, left of the cell, where they are crossed.
    const std::array<Index, 4> edges = {r * (columns_ - 1) + c, along_x_ + r * columns_ + c + 1,
                                        (r + 1) * (columns_ - 1) + c, along_x_ + r * columns_ + c};
    const std::array<bool, 4> crossed = {a != b, b != d, d != e, e != a};
    std::vector<Index> ends;
    for (std::size_t i = 0; i < 4; ++i)
      if (crossed[i]) ends.push_back(edges[i]);
    if (ends.size() == 2) found.push_back({ends[0], ends[1]});
    if (ends.size() < 4) return;
    // A saddle: the corner at the lower left is on the side of the middle, or cut off.
    if (a == (sum / 4 >= level_)) {
      found.push_back({edges[0], edges[1]});
      found.push_back({edges[2], edges[3]});
    } else {
      found.push_back({edges[3], edges[0]});
      found.push_back({edges[1], edges[2]});
    }
  }

  const Field& field_;
  double level_;
  Index rows_, columns_, along_x_;
};

// At most two segments meet at an edge: joins them into chains of edges.
class Chains {
 public:
  explicit Chains(const std::vector<std::array<Index, 2>>& segments)
      : segments_(segments), used_(segments.size(), false) {
    for (std::size_t i = 0; i < segments.size(); ++i)
      for (const Index edge : segments[i]) at_edge_[edge].push_back(i);
  }

  std::vector<std::vector<Index>> all() {
    std::vector<std::vector<Index>> chains;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (used_[i]) continue;
      used_[i] = true;
      std::vector<Index> chain = {segments_[i][0], segments_[i][1]};
      grow(chain);
      if (chain.front() != chain.back()) {
        std::ranges::reverse(chain);
        grow(chain);
      }
      chains.push_back(std::move(chain));
    }
    return chains;
  }

 private:
  void grow(std::vector<Index>& chain) {
    while (const std::size_t* next = unused_at(chain.back())) {
      const auto& [from, to] = segments_[*next];
      used_[*next] = true;
      chain.push_back(from == chain.back() ? to : from);
    }
  }

  const std::size_t* unused_at(Index edge) const {
    for (const std::size_t& i : at_edge_.at(edge))
      if (!used_[i]) return &i;
    return nullptr;
  }

  const std::vector<std::array<Index, 2>>& segments_;
  std::vector<bool> used_;
  std::unordered_map<Index, std::vector<std::size_t>> at_edge_;
};

}  // namespace

std::vector<std::vector<Place>> contour_lines(const Field& field, double level) {
  std::vector<std::vector<Place>> lines;
  if (field.values.rows() < 2 || field.values.cols() < 2) return lines;
  const CellWalk walk(field, level);
  const auto segments = walk.segments();
  for (const std::vector<Index>& chain : Chains(segments).all()) {
    std::vector<Place>& line = lines.emplace_back();
    for (const Index edge : chain) line.push_back(walk.on_edge(edge));
  }
  return lines;
}

std::vector<double> contour_levels(const Field& field, int about) {
  std::vector<double> values(field.values.data(), field.values.data() + field.values.size());
  const Extent extent = extent_of(values);
  std::vector<double> levels;
  for (const double level : nice_ticks(extent, about).at)
    if (level > extent.low && level < extent.high) levels.push_back(level);
  return levels;
}

}  // namespace mercer::plot
