#include "threads/scheduling/stealing.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>

#include <sched.h>

#include "machine/errno_kept.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"

namespace weir::threads {

bool steal_for(processor& mine) {
  const std::unique_lock lock(pool_lock, std::try_to_lock);
  return lock && std::ranges::any_of(pool->all, [&](processor* p) { return p != &mine && mine.steal(*p); });
}

processor* idle_helper() {
  const std::unique_lock lock(pool_lock, std::try_to_lock);
  if (!lock) return nullptr;
  // There may be more of them, for teams.
  const auto of_program = pool->helpers | std::views::take(processors_for_all);
  const auto found = std::ranges::find_if(of_program, [](const processor* p) { return p->sleeps() && !p->has_ready() && !p->is_stood_in_for(); });
  return found != of_program.end() ? *found : nullptr;
}

// Takes no memory from the heap: a body of this processor may hold the heap's lock.
void live_apart(const processor& mine) {
  const errno_kept around;
  const std::unique_lock lock(pool_lock, std::try_to_lock);
  if (!lock || std::ranges::find(pool->helpers, &mine) == pool->helpers.end()) return;
  // Not by the functions of the C library, which would change the member's affinity (kernel_state.cpp), and tell what the program
  // shall hear.
  const auto get = [](cpu_set_t& mask) {
    CPU_ZERO(&mask);
    return raw_call(SYS_sched_getaffinity, 0, sizeof mask, as_argument(&mask)) > 0;
  };
  const auto set = [](const cpu_set_t& mask) { return raw_call(SYS_sched_setaffinity, 0, sizeof mask, as_argument(&mask)) == 0; };
  cpu_set_t allowed;
  if (!get(allowed)) return;
  cpu_set_t free = allowed;
  bool shared = false;
  for (const processor* p : pool->all) {
    const int its = p != &mine && !p->is_stood_in_for() ? p->runs_on() : -1;
    if (its < 0) continue;
    CPU_CLR(static_cast<std::size_t>(its), &free);
    shared |= its == mine.runs_on();
  }
  if (!shared || CPU_COUNT(&free) == 0) return;
  std::size_t to = 0;
  while (!CPU_ISSET(to, &free)) ++to;
  cpu_set_t one, now;
  CPU_ZERO(&one);
  CPU_SET(to, &one);
  if (!set(one)) return;
  // A mask that others have set meanwhile stays.
  if (get(now) && CPU_EQUAL(&now, &one)) set(allowed);
}

}  // namespace weir::threads
