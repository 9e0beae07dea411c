#include "threads/scheduling/stealing.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>

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
  const auto of_program = pool->helpers | std::views::take(seats_now());
  const auto found = std::ranges::find_if(of_program, [](const processor* p) { return p->sleeps() && !p->has_ready() && !p->is_stood_in_for(); });
  return found != of_program.end() ? *found : nullptr;
}

}  // namespace weir::threads
