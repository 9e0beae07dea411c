// BLAS by its C interface, and some routines of LAPACK by the Fortran interface: OpenBLAS has both.
#pragma once

#include <cblas.h>

extern "C" {
void dgesv_(const int* size, const int* right_sides, double* matrix, const int* stride, int* pivots, double* right,
            const int* right_stride, int* info);
void dpotrf_(const char* triangle, const int* size, double* matrix, const int* stride, int* info);
int blas_thread_shutdown_();  // of OpenBLAS, which has no header for it
}

namespace workloads {

/// From now on, the calling thread computes each call. OpenBLAS's own threads, which spin for a tenth of a second after the
/// library is loaded, end. The order matters, since changing their number starts them.
inline void let_callers_compute() {
  openblas_set_num_threads(1);
  blas_thread_shutdown_();
}

}  // namespace workloads
