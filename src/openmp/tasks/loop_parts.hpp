// How many tasks a taskloop has, and how many iterations each of them [OpenMP 5.2, 12.6].
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::openmp {

/// The first `longer` tasks have one iteration more than the others; with strict(grainsize), the last task has fewer.
struct loop_parts {
  std::uint64_t count, each, longer, last;

  std::uint64_t trips(std::uint64_t task) const { return task + 1 == count ? last : each + (task < longer ? 1 : 0); }

  /// Between `grain` and twice as many iterations in each task; strictly `grain` in each but the last.
  static loop_parts by_grain(std::uint64_t trips, std::uint64_t grain, bool strict) {
    grain = std::max<std::uint64_t>(grain, 1);
    if (!strict) return of(trips, std::max<std::uint64_t>(trips / grain, 1));
    const std::uint64_t count = (trips - 1) / grain + 1;
    return {count, grain, 0, trips - (count - 1) * grain};
  }
  /// This many tasks, unless there are fewer iterations. 0: the program leaves the number to the runtime, which makes enough
  /// tasks that no member has to wait long for the last one.
  static loop_parts by_count(std::uint64_t trips, std::uint64_t tasks, unsigned members) {
    return of(trips, std::clamp<std::uint64_t>(tasks != 0 ? tasks : 8ull * members, 1, trips));
  }

 private:
  static loop_parts of(std::uint64_t trips, std::uint64_t count) {
    const std::uint64_t each = trips / count, longer = trips % count;
    return {count, each, longer, each};
  }
};

}  // namespace weir::openmp
