#include "threads/scheduling/placement.hpp"

#include <algorithm>
#include <mutex>

#include <sched.h>

#include "machine/processor_set.hpp"
#include "system/raw_call.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

namespace {

// Not by the functions of the C library, which would change the member's affinity (kernel_state.cpp), and tell what the program
// shall hear.
bool get_mask(processor_set& mask) {
  mask = {};
  return raw_call(SYS_sched_getaffinity, 0, sizeof mask.words, as_argument(mask.words.data())) > 0;
}
bool set_mask(const processor_set& mask) {
  return raw_call(SYS_sched_setaffinity, 0, sizeof mask.words, as_argument(mask.words.data())) == 0;
}

/// The first processor of a set that is not empty; the calling thread may go on to any of `allowed` afterwards.
void move_into(const processor_set& set, const processor_set& allowed) {
  processor_set one, now;
  one.add(set.lowest());
  if (!set_mask(one)) return;
  // A mask that others have set meanwhile stays.
  if (get_mask(now) && now == one) set_mask(allowed);
}

/// Without those on which other threads of ours drive processors. Is the calling thread's among them?
bool remove_taken(processor_set& from, const processor& mine) {
  bool shared = false;
  for (const processor* p : pool->all) {
    const int its = p != &mine && !p->is_stood_in_for() ? p->runs_on() : -1;
    if (its < 0) continue;
    from.remove(static_cast<unsigned>(its));
    shared |= its == mine.runs_on();
  }
  return shared;
}

}  // namespace

// Takes no memory from the heap: a body of this processor may hold the heap's lock. Nor does it touch errno: in the idle context
// that is the errno of a body which may run elsewhere, so not even its own value may be stored again.
void migrate_to_free_processor(const processor& mine) {
  const std::unique_lock lock(pool_lock, std::try_to_lock);
  if (!lock || std::ranges::find(pool->helpers, &mine) == pool->helpers.end()) return;
  processor_set allowed;
  if (!get_mask(allowed)) return;
  processor_set free = allowed;
  if (remove_taken(free, mine) && !free.empty()) move_into(free, allowed);
}

}  // namespace weir::threads
