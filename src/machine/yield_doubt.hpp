// Does a yield to the kernel give another program a whole time slice? There is one state for the whole process, because other
// programs on the processors affect all teams alike.
//
// If more programs run than there are processors when the process begins, yields are doubted. This is only a guess: the programs
// may run on other processors, or in a session or a control group of their own, in which case a yield returns at once. Trial
// yields now and then decide.
//
//      .---------.  begin()  .-----------------.  `first_waits`, then `apart` times  .---------------.  many came  .---------.
//      | trusted |---------->| doubted:        |---- what a slice has taken --------->| a trial: one  |--- back --->| trusted |
//      '---------'           | waiters sleep   |<----------- one took a slice -------| waiter yields |   at once   '---------'
//                            '-----------------'                                     '---------------'
//
// A single yield shows nothing: a thread that has had less than its share of the processor gets the processor back at once, until
// it has caught up.
//
// While yields are trusted, each team finds out by itself whether they cost slices (weir/waiting_automatic.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace weir {

/// Times are in ticks. Thread-safe. All words are relaxed: no other data goes with them, and a lost update makes a trial come
/// a little sooner or later.
class yield_doubt {
 public:
  /// The number of waits before the first trial, which may cost the team a slice. It is more than the waits of 100 regions of 8
  /// threads (some 900), which in all take only as long as a few slices. With 512 these regions took up to 1.12 of the time on
  /// libgomp. If the guess is wrong, a wait costs some 10 us more (measured: a team of 4 made 4,000 barriers in 1.0 to 1.4 of the
  /// time).
  static constexpr std::uint32_t first_waits = 1024;
  /// The next trial comes after this many times the duration of the last one, so trials take at most 2 % of the time.
  static constexpr double apart = 50;
  /// A yield that finds no other thread takes 0.4 us. A yield to a member that sleeps at once takes a few microseconds more. A
  /// yield to another program takes a slice (0.7 to 4 ms).
  static constexpr double at_once_us = 50, slice_us = 500;
  /// This many quick yields in a row end the doubt. A thread may lag behind its share by a tick of the kernel's clock (up to 10
  /// ms), and a yield gives up one of its slices (0.1 ms or more).
  static constexpr std::uint32_t many = 128;
  /// The time after which another member goes on with the trial, in case the wait of the first member has ended.
  static constexpr double again_us = 100;

  void begin() { next_.store(after_waits, std::memory_order_relaxed); }
  bool holds() const { return next_.load(std::memory_order_relaxed) != 0; }

  /// Asked once in a wait, before the waiter would yield: shall it sleep instead?
  bool at_wait(std::uint64_t now, double ticks_per_us) {
    std::uint64_t next = next_.load(std::memory_order_relaxed);
    if (next == 0) [[likely]] return false;
    if (next == after_waits) {
      const std::uint32_t waits = waits_.load(std::memory_order_relaxed) + 1;
      waits_.store(waits, std::memory_order_relaxed);
      if (waits < first_waits) return true;
    } else if (now < next) {
      return true;
    }
    // Only one of several waiters that come here yields.
    return !next_.compare_exchange_strong(next, now + in_ticks(again_us, ticks_per_us), std::memory_order_relaxed);
  }

  /// While yields were doubted, a thread yielded to the kernel from `from` until `to`.
  void yielded(std::uint64_t from, std::uint64_t to, double ticks_per_us) {
    const std::uint64_t took = to - from;
    if (took > in_ticks(slice_us, ticks_per_us)) {
      at_once_.store(0, std::memory_order_relaxed);
      next_.store(to + static_cast<std::uint64_t>(apart * static_cast<double>(took)), std::memory_order_relaxed);
    } else if (took < in_ticks(at_once_us, ticks_per_us)) {
      const std::uint32_t now = at_once_.load(std::memory_order_relaxed) + 1;
      at_once_.store(now, std::memory_order_relaxed);
      if (now == many) next_.store(0, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::uint64_t after_waits = std::numeric_limits<std::uint64_t>::max();
  static std::uint64_t in_ticks(double us, double ticks_per_us) { return static_cast<std::uint64_t>(us * ticks_per_us); }

  std::atomic<std::uint64_t> next_{0};   // when the next trial is due; 0: yields are trusted
  std::atomic<std::uint32_t> waits_{0};  // before the first trial
  std::atomic<std::uint32_t> at_once_{0};  // yields in a row
};

extern constinit yield_doubt doubt_of_yields;

}  // namespace weir
