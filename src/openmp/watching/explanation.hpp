// WEIR_EXPLAIN: at the end of the program, on how many processors the regions of each place have computed, and why.
#pragma once

#include <weir/machine/native.hpp>

#include "openmp/watching/region_clock.hpp"

namespace weir::openmp {

/// The sites of the calling thread, as long as its crew has them. What they have learned is kept until the program ends.
class explained_sites {
 public:
  explicit explained_sites(const native_region_sites& sites_of_crew);
  ~explained_sites();
  explained_sites(const explained_sites&) = delete;

 private:
  const native_region_sites& sites_;
};

/// The program has begun a parallel region.
void note_regions();
/// The number of processors on which it has begun, because others ran (careful_start.hpp).
void note_begun_on(unsigned processors);

}  // namespace weir::openmp
