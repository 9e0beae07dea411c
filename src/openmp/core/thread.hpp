// What the runtime knows of a thread.
#pragma once

#include <vector>

#include "openmp/core/team.hpp"

namespace weir::openmp {

class crew;

struct thread_state {
  // By the depth of the region that it opens. Null: none. Where the process ends they are left: regions may be opened at exit.
  std::vector<crew*>* crews = nullptr;
  team* initial = nullptr;   // that it is in outside of all regions
  std::vector<team*>* of_targets = nullptr;  // that it is in at the beginning of a target region, by depth. Null: none
  int global = -1;
};

}  // namespace weir::openmp
