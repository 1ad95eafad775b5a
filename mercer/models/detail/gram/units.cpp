#include "mercer/models/detail/gram/units.h"

namespace mercer::detail {

void leave_unit(GramFit& fit, double unit) {
  if (unit == 1) return;
  EigenResult& eigen = fit.eigen;
  for (Vector* values :
       {&eigen.values, &eigen.spectrum.all_values, &fit.means, &eigen.certificate.eigenvalue_upper,
        &fit.spectrum().certificate.eigenvalue_upper})
    *values *= unit;
  for (double* value : {&eigen.spectrum.trace, &eigen.spectrum.next_value,
                        &eigen.spectrum.lowest_value, &fit.expansion_error,
                        &eigen.certificate.complement, &fit.spectrum().certificate.complement})
    *value *= unit;
  eigen.images *= unit;
  fit.affine_image *= unit;
}

}  // namespace mercer::detail
