// Values of other programs as they are stored in tests/oracle/reference.
#pragma once

#include "mercer/core/text.h"
#include "mercer/core/types.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace mercer::test {

/// A bare matrix of numbers separated by commas.
inline Points read_reference(const std::string& name) {
  std::ifstream file(std::string(MERCER_TEST_DATA) + "/" + name + ".csv");
  EXPECT_TRUE(file.good()) << name;
  std::vector<double> numbers;
  Index rows = 0;
  for (std::string line; std::getline(file, line); ++rows)
    for (const std::string& cell : split(line, ','))
      numbers.push_back(parse_number(trim(cell)).value());
  if (rows == 0) return {};
  EXPECT_EQ(static_cast<Index>(numbers.size()) % rows, 0) << name;
  return Eigen::Map<Points>(numbers.data(), rows, static_cast<Index>(numbers.size()) / rows);
}

}  // namespace mercer::test
