// The routines of the OpenMP API that give back what the runtime holds between regions [OpenMP 5.2, 18.6.1].
#include "openmp/forking/thread_end.hpp"
#include "openmp/routines/devices.hpp"
#include "openmp/routines/forms.hpp"

using namespace weir::openmp;

namespace {

enum : int { soft = 1, hard = 2, stop_tool = 3 };

/// After a soft pause threadprivate variables have kept their values, so the threads stay; they sleep already, or will when they
/// have waited as long as the settings say. The result: 0 is success.
int pause(int kind) {
  if (kind < soft || kind > stop_tool || !outside_of_regions()) return -1;
  if (kind != soft) end_crews();
  return 0;
}

}  // namespace

extern "C" {
int weir_omp_pause_resource(int kind, int device) { return is_host(device) ? pause(kind) : -1; }
int weir_omp_pause_resource_(const int* kind, const int* device) { return weir_omp_pause_resource(*kind, *device); }
int weir_omp_pause_resource_all(int kind) { return pause(kind); }
int weir_omp_pause_resource_all_(const int* kind) { return pause(*kind); }
// The same for LLVM's library for devices.
int __kmpc_pause_resource(int kind) { return pause(kind); }
}

FOUND_IN_BOTH(omp_pause_resource, "OMP_5.0")
FOUND_IN_BOTH(omp_pause_resource_, "OMP_5.0")
FOUND_IN_BOTH(omp_pause_resource_all, "OMP_5.0")
FOUND_IN_BOTH(omp_pause_resource_all_, "OMP_5.0")
