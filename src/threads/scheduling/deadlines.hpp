// Time limits of members that sleep: the monitor wakes them.
#pragma once

#include <cstdint>

#include <time.h>

#include "threads/scheduling/event_counts.hpp"
#include "threads/support/native_threads.hpp"

namespace weir::threads {

struct body;

/// A point of time by a clock, as the C library's functions take it.
struct time_limit {
  clockid_t clock;
  timespec at;
  /// May a member wait by this clock?
  static bool is_known(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
  bool is_valid() const { return at.tv_nsec >= 0 && at.tv_nsec < 1'000'000'000; }
  /// By that clock, which may have been set meanwhile.
  bool has_passed() const;
  /// The same point of time, in nanoseconds by CLOCK_MONOTONIC, if nobody sets that clock.
  std::uint64_t monotonic_ns() const;
};

/// During the lifetime of this object the body is woken at that time, and whenever it has been woken in vain before the limit.
/// The body creates, renews and destroys it.
class deadline {
 public:
  deadline(body& sleeper, basic_event_count<native_threads>& waits_by, const time_limit& limit);
  deadline(const deadline&) = delete;
  ~deadline();
  bool has_passed();
  /// For the body, which has found the limit passed: has anything been notified since that number of events?
  bool has_missed(std::uint32_t seen);
  /// The body leaves its wait by a jump, or asks again whether the limit has passed.
  static void forget(body& sleeper);

 private:
  friend std::uint64_t wake_those_due(std::uint64_t now_ns);
  void link();
  void unlink();

  body& sleeper_;
  basic_event_count<native_threads>& waits_by_;
  const time_limit& limit_;
  std::uint64_t at_ns_ = 0;
  std::uint32_t events_ = 0;  // of this limit's
  deadline *before_ = nullptr, *behind_ = nullptr;
  bool is_linked_ = false;
};

/// For the monitor: wakes all that are due. Returns the next deadline; the largest number: none.
std::uint64_t wake_those_due(std::uint64_t now_ns);
/// In the child of a fork.
void forget_deadlines();

}  // namespace weir::threads
