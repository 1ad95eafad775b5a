// What the tests of both scalings share.
#pragma once

#include "mercer/models/report.h"
#include "tests/support/reference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mercer::mds_cases {

/// A stored table of tools/make_mds_reference.
inline Points read_reference(const std::string& name) {
  return test::read_reference("mds_" + name);
}

inline Points distances(const Points& x, const Points& y) {
  Points d(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j) d(i, j) = (x.row(i) - y.row(j)).norm();
  return d;
}

inline double figure(const Report& report, const std::string& name) {
  for (const Figure& one : report.figures)
    if (one.name == name) return one.value.as_number();
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

}  // namespace mercer::mds_cases
