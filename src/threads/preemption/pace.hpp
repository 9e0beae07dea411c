// How often the monitor looks, depending on the cost of a look on this machine, and on what the looks find.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace weir::threads {

/// Times in nanoseconds.
class pace {
 public:
  static constexpr unsigned last_level = 5;

  pace() = default;
  /// With looks and ticks at this distance at the latest, whatever they cost, and whatever they find: for tests. 0: by the price.
  explicit pace(std::uint64_t between_ticks) : said_(between_ticks * 2 / 3) {}

  /// A look, with the sleep before it and the wake-up, has taken this much of the monitor thread's processor time.
  void took(std::uint64_t processor_time) { price_ = (7 * price_ + processor_time) / 8; }
  std::uint64_t price() const { return price_; }
  /// After a look. `found`: it has found a body that spins or blocks. `had`: what the monitor's thread has had of the processors
  /// until now. Members that only compute gain nothing by looks, and each look takes a processor from one of them.
  void looked(bool found, std::uint64_t had, std::uint64_t now) {
    if (!found && now - began_ < window) return;
    if (found) {
      rarer_ = 1;
    } else if (const std::uint64_t took = had - had_; took > (now - began_) / most_in_vain) {
      rarer_ = std::min(2 * rarer_, rarest);
    } else if (took < (now - began_) / most_in_vain / 4) {
      rarer_ = std::max(rarer_ / 2, std::uint64_t{1});
    }
    began_ = now;
    had_ = had;
  }

  /// The shortest time between two looks; at this distance the monitor takes two fifths of a processor. The lower bound: a tick
  /// costs the members a switch and two fences, for which hardly any machine takes less. The upper bound: a body that waits for a
  /// look waits in vain.
  std::uint64_t soon() const { return said_ != 0 ? said_ : std::clamp(price_ * 5 / 2, shortest, longest) * rarer_; }
  /// The time until the next look, which grows with the number of looks that have found nothing new.
  std::uint64_t after(unsigned level) const {
    return said_ != 0 ? between_ticks() : std::max(times[std::min(level, last_level)] / rarer_, std::uint64_t{1}) * soon();
  }
  /// Looks that are due within this time are made together.
  std::uint64_t together() const { return soon() / 4; }
  /// Where bodies spin, all running bodies get ticks at this distance; bodies that compute go on after a tick. In a pipeline a
  /// body spins for a moment at each step. At half of this distance the threads of neighbouring steps hardly ever run together,
  /// and workloads/wavefront takes six times as long.
  std::uint64_t between_ticks() const { return soon() * 3 / 2; }

 private:
  static constexpr std::uint64_t times[] = {1, 1, 2, 8, 32, 128};
  static_assert(std::size(times) == last_level + 1);
  static constexpr std::uint64_t shortest = 12'500, longest = 125'000;
  static constexpr std::uint64_t window = 20'000'000, most_in_vain = 100, rarest = 16;
  std::uint64_t said_ = 0;
  std::uint64_t began_ = 0, had_ = 0;  // of the window
  std::uint64_t rarer_ = 1;            // the factor of the distances, but for the longest
  std::uint64_t price_ = 40'000;  // until some have been measured: 35 to 55 us on 2 virtual processors, nested virtualization
};

}  // namespace weir::threads
