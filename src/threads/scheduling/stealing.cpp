#include "threads/scheduling/stealing.hpp"

#include <algorithm>
#include <mutex>

#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"

namespace weir::threads {

bool steal_for(processor& thief) {
  const std::unique_lock lock(pool_lock, std::try_to_lock);
  if (!lock) return false;
  const auto at = std::ranges::find(pool->processors, &thief);
  if (at == pool->processors.end()) return false;  // it is about to end
  const auto place = static_cast<std::size_t>(at - pool->processors.begin());
  return thief.others.any_of(pool->processors.size(), place,
                             [&thief](std::size_t other) { return thief.steal(*pool->processors[other]); });
}

processor* helper_in_use(unsigned number) {
  const std::unique_lock lock(pool_lock, std::try_to_lock);
  const unsigned usable = seats_now();
  return lock && usable != 0 && usable <= pool->helpers.size() ? pool->helpers[number % usable] : nullptr;
}

}  // namespace weir::threads
