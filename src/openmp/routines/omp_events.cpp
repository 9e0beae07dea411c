// The routine of the OpenMP API for the events of detached tasks.
#include "openmp/routines/forms.hpp"
#include "openmp/tasks/event.hpp"

extern "C" {
void weir_omp_fulfill_event(weir::openmp::event_handle* handle) { weir::openmp::fulfil(handle); }
void weir_omp_fulfill_event_(weir::openmp::event_handle* handle) { weir::openmp::fulfil(handle); }  // omp_lib: by value
}
FOUND_IN_BOTH(omp_fulfill_event, "OMP_5.0.1")
FOUND_IN_BOTH(omp_fulfill_event_, "OMP_5.0.1")
