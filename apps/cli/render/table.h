// A plain text table: columns as wide as their widest cell (counted in characters, not bytes).
#pragma once

#include <string>
#include <vector>

namespace mercer::cli {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mercer::cli
