// Fisher's discriminants in the range of a kernel, where the total scatter of the scores z is
// T = diag(mu): with S_b between the classes and S_w = T - S_b within them,
//   S_b w = l (S_w + e I) w   <=>   S_b w = l' (T + e I) w,   l' = l / (1 + l)
// and the right side is a problem of the size of the classes: with B = U'Y D^-1/2, Y the
// indicators and D the sizes of the classes,
//   G = B' diag(mu / (mu + e)) B,   G q = l' q,   scores  U diag(mu / (mu + e)) B q.
// What that gives is solved once more among these few scores, where the scatter within classes is
// summed over the rows: 1 - l' would have no digits where classes are far apart.
#pragma once

#include "mercer/models/class_counts.h"
#include "mercer/models/detail/discriminant/kernel_range.h"

namespace mercer::detail {

struct Discriminants {
  Vector values;  // l, descending
  Block along;    // v: values at the training rows are U v; within scatter + ridge is (n - C) I
  Block scores;   // U v
  Block means;    // of each class, a row
};

/// Means of U in each class times its size: U'Y.
Block class_sums(const KernelRange& range, const ClassCounts& classes, const Context& context);

/// `ridge`: e. `try_ridge`: the share of the trace that is named where e is 0 and S_w is singular.
/// Throws M257 where classes have one mean, M271 where nothing varies within them.
Discriminants find_discriminants(const KernelRange& range, const ClassCounts& classes,
                                 const Block& sums, double ridge, double try_share,
                                 const Context& context);

/// Keeps the leading ones.
void keep_discriminants(Discriminants& found, Index count);

}  // namespace mercer::detail
