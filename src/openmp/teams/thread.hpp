// What the runtime knows about a thread: the member that it is at present, and the crews of its regions.
#pragma once

#include <vector>

#include "openmp/teams/above.hpp"

namespace weir::openmp {

struct team;
class crew;

struct thread_state {
  // The crews by the depth of the region that the thread encounters; null: none. At the end of the process the crews are left
  // alone, because exit handlers may begin regions.
  std::vector<crew*>* crews = nullptr;
  bool is_worker = false;
  team* initial = nullptr;              // the team that it is in outside of all regions
  std::vector<team*>* targets = nullptr;  // its team at the beginning of a target region, by depth; null: none
};

extern constinit thread_local thread_state this_thread;
extern constinit thread_local member* current;  // null: the runtime does not know this thread yet

/// The calling thread as a member of its innermost team; outside of all regions that is a team of its own.
inline member& self() {
  member* const now = current;
  return now != nullptr ? *now : begin_initial_team();
}

}  // namespace weir::openmp
