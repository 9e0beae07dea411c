// How many of its processors a process is best off with while other programs take them from its threads.
//
// Threads that wait for each other want their processors at the same time. Where others have each processor for a part of the
// time, they seldom get that, and those that have a processor wait for one that has none, a slice of the kernel's each time. On
// as many virtual processors as the process gets processors, a thread that waits gives its virtual processor to the one that it
// waits for [process control: Tucker and Gupta 1989]. Here each process finds by itself what it gets, from what the kernel tells
// of its threads: no other program must take part, and it gains alone.
//
//   all ------- for some looks: kept from processors, and waiting for each other -------> fewer
//    ^                                                                                     |
//    '---- they wait no more; or it is time to try, and nobody has kept them lately -------'
//
// A trial that finds the others still there ends at once, and the next one comes later. Threads that do not wait for each other
// keep all processors: each gets what it can.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::threads {

/// What has been seen since the look before. Times in nanoseconds.
struct lately_seen {
  std::uint64_t wall = 0, process = 0;  // by the clock, and of processors to the whole process
  // Some threads, all together: how long they ran, and were ready to run while others, perhaps of the same process, had the
  // processors.
  std::uint64_t ran = 0, delayed = 0;
  unsigned running = 0, waiting = 0;  // threads that have run; of those, that have waited for others
};

/// Times in nanoseconds.
class deprivation {
 public:
  static constexpr std::uint64_t ms = 1'000'000;
  static constexpr std::uint64_t between_calm_looks = 100 * ms, between_looks = 25 * ms, between_idle_looks = 500 * ms;
  static constexpr std::uint64_t first_try_after = 250 * ms, last_try_after = 4000 * ms, tried_for = 1000 * ms;
  static constexpr unsigned looks_for_fewer = 3, looks_for_fewer_again = 2, looks_without_waits = 8, looks_until_idle = 16;

  /// `most`: the processors that the threads may use, no more than there are threads. How many they use from now on.
  unsigned look(const lately_seen& lately, unsigned most, std::uint64_t now) {
    const unsigned used = std::min(fewer_ != 0 ? fewer_ : most, most);
    // Nobody has run: they sleep, or have waited for a processor all the time, which the kernel tells when they get one.
    looks_in_vain_ = lately.running == 0 ? looks_in_vain_ + 1 : 0;
    if (looks_in_vain_ != 0 && looks_in_vain_ < looks_until_idle) return used;
    const bool others_run = 4 * lately.process <= 3 * used * lately.wall;
    const bool kept = lately.running != 0 && others_run && most_delayed * lately.delayed >= lately.ran + lately.delayed;
    looks_kept_ = kept ? looks_kept_ + 1 : 0;
    if (in_round() <= 1) sum_ = {};
    sum_.ran += lately.ran;
    sum_.delayed += lately.delayed;
    sum_.running += lately.running;
    sum_.waiting += lately.waiting;
    if (fewer_ != 0) return look_with_fewer(lately, used, most, now);
    const bool is_trial = now < trial_ends_;
    if (trial_ends_ != 0 && !is_trial) trial_ends_ = 0, try_after_ = first_try_after;
    const bool wait = is_trial || (sum_.running >= looks_for_fewer && least_waiting * sum_.waiting >= sum_.running);
    if (most < 2 || !wait || in_round() < (is_trial ? looks_for_fewer_again : looks_for_fewer)) return most;
    if (is_trial) try_after_ = std::min(2 * try_after_, last_try_after);
    return becomes(most, now);
  }
  /// When to look again.
  std::uint64_t next(std::uint64_t now) const {
    if (looks_in_vain_ >= looks_until_idle) return now + between_idle_looks;
    return now + (fewer_ == 0 && looks_kept_ == 0 && trial_ends_ == 0 ? between_calm_looks : between_looks);
  }
  /// Is it worth while to find out who waits?
  bool asks_who_waits() const { return looks_kept_ != 0 && in_round() <= looks_asking && fewer_ == 0; }

 private:
  // Kept from their processors: for a third of the time. With a busy process beside one of two threads it is a quarter, and their
  // one virtual processor would get no more.
  static constexpr std::uint64_t most_delayed = 3, hardly_delayed = 4;
  static constexpr unsigned least_waiting = 8, looks_asking = 10, looks_in_round = 32;

  // Threads that are kept from processors for long and do not wait are not asked all the time.
  unsigned in_round() const { return looks_kept_ % looks_in_round; }
  /// What the process gets of `used` processors.
  unsigned share_of(unsigned used) const { return static_cast<unsigned>(used * sum_.ran / (sum_.ran + sum_.delayed)); }

  unsigned becomes(unsigned used, std::uint64_t now) {
    fewer_ = std::max(share_of(used), 1u);
    trial_ends_ = 0;
    looks_kept_ = looks_without_waits_ = 0;
    try_at_ = now + try_after_;
    return fewer_;
  }

  unsigned look_with_fewer(const lately_seen& lately, unsigned used, unsigned most, std::uint64_t now) {
    looks_without_waits_ = lately.running != 0 && lately.waiting == 0 ? looks_without_waits_ + 1 : 0;
    if (most < 2 || looks_without_waits_ >= looks_without_waits) return use_all(most);
    if (looks_kept_ >= looks_for_fewer && used > 1) return becomes(used, now);
    if (now < try_at_) return used;
    if (hardly_delayed * lately.delayed >= lately.ran + lately.delayed) return used;
    trial_ends_ = now + tried_for;
    return use_all(most);
  }
  unsigned use_all(unsigned most) {
    fewer_ = looks_kept_ = 0;
    return most;
  }

  unsigned fewer_ = 0;  // 0: all
  unsigned looks_kept_ = 0, looks_without_waits_ = 0, looks_in_vain_ = 0;  // in a row
  lately_seen sum_;     // of the looks in a row that found the threads kept from processors
  std::uint64_t trial_ends_ = 0, try_at_ = 0, try_after_ = first_try_after;
};

}  // namespace weir::threads
