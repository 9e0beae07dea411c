// How much do other programs want the processors that a thread runs on?
#pragma once

#include <cstdint>
#include <utility>

namespace weir::openmp {

/// As a thread sees it that asks now and then. `Clock`: ticks(), ticks_per_microsecond(), and waited_for_processor(), the ticks
/// for which the thread has been ready to run while others had the processors. Not thread-safe.
template <class Clock>
class other_programs {
 public:
  /// The part of the time for which the thread has waited for a processor, between the last two looks. There is a look only if
  /// the last one was some slices ago.
  float waited(std::uint64_t now) {
    const std::uint64_t passed = now - looked_at_;
    if (static_cast<double>(passed) < between_looks_ms * 1000 * Clock::ticks_per_microsecond()) return part_;
    looked_at_ = now;
    const std::uint64_t waited = Clock::waited_for_processor();
    // The thread may have gone to another kernel thread, which has waited for less.
    const std::uint64_t before = std::exchange(waited_, waited), lately = waited > before ? waited - before : 0;
    return part_ = static_cast<float>(lately) / static_cast<float>(passed);
  }

 private:
  static constexpr double between_looks_ms = 20;  // a look takes some microseconds

  std::uint64_t looked_at_ = Clock::ticks(), waited_ = Clock::waited_for_processor();
  float part_ = 0;
};

}  // namespace weir::openmp
