// What the runtime knows of a thread.
#pragma once

#include <memory>
#include <vector>

#include "team.hpp"

namespace weir::openmp {

class crew;

struct thread_state {
  std::vector<crew*> crews;  // by the depth of the region that it opens
  std::unique_ptr<team> initial;
  int global = -1;
  ~thread_state();
};

thread_state& here();

}  // namespace weir::openmp
