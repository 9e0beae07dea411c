#include "threads/scheduling/placement.hpp"

#include <algorithm>
#include <mutex>

#include <sched.h>

#include "machine/errno_kept.hpp"
#include "machine/raw_call.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/preferred.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

namespace {

// The change of the preferred processors that the thread has followed.
constinit thread_local std::uint32_t preferred_seen = 0;

// Not by the functions of the C library, which would change the member's affinity (kernel_state.cpp), and tell what the program shall
// hear.
bool get_mask(cpu_set_t& mask) {
  CPU_ZERO(&mask);
  return raw_call(SYS_sched_getaffinity, 0, sizeof mask, as_argument(&mask)) > 0;
}
bool set_mask(const cpu_set_t& mask) { return raw_call(SYS_sched_setaffinity, 0, sizeof mask, as_argument(&mask)) == 0; }

/// The first processor of a set that is not empty; the calling thread may go on to any of `allowed` afterwards.
void move_into(const cpu_set_t& set, const cpu_set_t& allowed) {
  std::size_t to = 0;
  while (!CPU_ISSET(to, &set)) ++to;
  cpu_set_t one, now;
  CPU_ZERO(&one);
  CPU_SET(to, &one);
  if (!set_mask(one)) return;
  // A mask that others have set meanwhile stays.
  if (get_mask(now) && CPU_EQUAL(&now, &one)) set_mask(allowed);
}

/// Without those on which other threads of ours drive processors. Is the calling thread's among them?
bool remove_taken(cpu_set_t& from, const processor& mine) {
  bool shared = false;
  for (const processor* p : pool->all) {
    const int its = p != &mine && !p->is_stood_in_for() ? p->runs_on() : -1;
    if (its < 0) continue;
    CPU_CLR(static_cast<std::size_t>(its), &from);
    shared |= its == mine.runs_on();
  }
  return shared;
}

}  // namespace

// Takes no memory from the heap: a body of this processor may hold the heap's lock.
void migrate_to_free_processor(const processor& mine) {
  const errno_kept around;
  const std::unique_lock lock(pool_lock, std::try_to_lock);
  if (!lock || std::ranges::find(pool->helpers, &mine) == pool->helpers.end()) return;
  cpu_set_t allowed;
  if (!get_mask(allowed)) return;
  cpu_set_t free = allowed;
  const bool shared = remove_taken(free, mine), astray = !preferred::has(mine.runs_on());
  if (!shared && !astray) return;
  cpu_set_t better = free;
  preferred::keep(better);
  if (CPU_COUNT(&better) != 0)
    move_into(better, allowed);
  else if (shared && CPU_COUNT(&free) != 0)
    move_into(free, allowed);
}

void prefer(std::span<const std::uint64_t> processors) {
  bool changed = false;
  for (std::size_t i = 0; i < preferred::most_words; ++i)
    changed |= preferred::words[i].exchange(i < processors.size() ? processors[i] : 0, std::memory_order_relaxed) !=
               (i < processors.size() ? processors[i] : 0);
  if (changed) preferred::times_changed.fetch_add(1, std::memory_order_relaxed);
}

void go_to_preferred() {
  const std::uint32_t now = preferred::changes();
  if (own_processor == nullptr || preferred_seen == now) return;
  preferred_seen = now;
  const errno_kept around;
  cpu_set_t allowed;
  if (preferred::has(sched_getcpu()) || !get_mask(allowed)) return;
  cpu_set_t preferred_all = allowed;
  preferred::keep(preferred_all);
  cpu_set_t free = preferred_all;
  {
    const std::lock_guard lock(pool_lock);
    remove_taken(free, *own_processor);
  }
  const cpu_set_t& to = CPU_COUNT(&free) != 0 ? free : preferred_all;
  if (CPU_COUNT(&to) != 0) move_into(to, allowed);
}

}  // namespace weir::threads
