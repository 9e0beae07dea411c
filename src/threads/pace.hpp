// How often the monitor looks: by what a look costs on this machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace weir::threads {

/// Times in nanoseconds.
class pace {
 public:
  static constexpr unsigned last_level = 5;

  /// A look has taken the monitor's thread so long on a processor, the sleep before and its end among it.
  void took(std::uint64_t processor_time) { price_ = (7 * price_ + processor_time) / 8; }
  /// From one look to the next that is to come soon: the monitor takes two fifths of a processor then. Between the bounds: a tick
  /// costs the members a switch and two fences, which hardly any machine does in less, and who waits for a look waits in vain.
  std::uint64_t soon() const { return std::clamp(price_ * 5 / 2, shortest, longest); }
  /// The later the more looks have found nothing new.
  std::uint64_t after(unsigned level) const { return times[std::min(level, last_level)] * soon(); }
  /// Looks that are due within so long are one.
  std::uint64_t together() const { return soon() / 4; }
  /// Where bodies spin, all that run get ticks at this distance: those that compute go on. In a pipeline a body spins for a moment
  /// at each step; with half of it the threads of neighbouring steps hardly ever run together, and workloads/wavefront takes six
  /// times as long.
  std::uint64_t between_ticks() const { return soon() * 3 / 2; }

 private:
  static constexpr std::uint64_t times[] = {1, 1, 2, 8, 32, 128};
  static_assert(std::size(times) == last_level + 1);
  static constexpr std::uint64_t shortest = 12'500, longest = 125'000;
  std::uint64_t price_ = 40'000;  // until some have been measured: 35 to 55 us on 2 virtual processors, nested virtualization
};

}  // namespace weir::threads
