/* The suite's runtime is OpenMP's. */
#include "construct.h"

#include <omp.h>

int weir_threads(void) { return omp_get_max_threads(); }

/* A runtime keeps its team where malloc places it at the first region. After other allocations the team may share lines with
 * them, and libgomp's barrier then costs more than twice as much. So a region precedes all allocations, as in EPCC's own
 * suite. */
void weir_start_team(void) {
  omp_set_dynamic(0);
#pragma omp parallel
  weir_delay();
}

void *weir_runtime(void) { return (void *)(size_t)omp_get_num_threads; }
