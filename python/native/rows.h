// Rows of Python as the library sees them, without a copy: a NumPy array that a DataView can
// describe, or the three arrays of compressed sparse rows. What does not fit is brought into such a
// form by mercer/_rows.py before.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/data/view.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace mercer::python {

namespace py = pybind11;

/// Whether a view of this array needs no copy: two dimensions, float64, float32 or uint8 of this
/// machine, aligned, strides that step forward and do not overlap.
bool viewable(const py::array& array);

/// A view, and what keeps its memory alive. To be made and destroyed with the GIL held.
class Rows {
 public:
  /// An array that is viewable, or (starts, columns, values, width) of types int64, int32 and
  /// float64. Throws TypeError for others, ValueError for sparse rows that are none.
  explicit Rows(const py::object& object);

  DataView view() const { return view_; }
  /// The same memory as a data set that keeps the array alive, so that a model may share it; only
  /// of dense rows in C order, else a copy.
  Dataset shared() const;
  /// Whether shared() needs no copy.
  bool sharable() const { return view_.contiguous_rows(); }

 private:
  py::object kept_;
  DataView view_;
};

/// A data set as an array without a copy, or as the tuple of sparse ones.
py::object array_of(const Dataset& data);

/// A vector as an array of its own.
py::array_t<double> array_of(const Vector& values);

}  // namespace mercer::python
