// How the monitor sleeps while the process is at rest.
//
// Looks at threads that all sleep find nothing, and would go on for ever. So while the process uses no processor, the monitor
// waits until it has used some. The kernel says when: a timer on the processor time of the whole process sends the monitor's
// thread a signal, whatever the threads do then, also if they call no function that Weir knows. The monitor waits for that
// signal, and so do those who wake it: they send the same one.
#pragma once

#include <atomic>
#include <cstdint>

#include <sys/types.h>

namespace weir::threads {

/// Times in nanoseconds; the largest number: never. For the monitor's thread, but for what is said to be thread-safe.
class rest {
 public:
  rest() = default;
  rest(const rest&) = delete;
  ~rest();

  /// While the word is 1 and `goes_on()`: sleeps until wake(), until the clock has this time (CLOCK_MONOTONIC), or until the
  /// process has used this much processor time, without the calling thread's. Where the system refuses the timer, the clock
  /// decides, after a second. False: the time has come.
  template <class GoesOn>
  bool sleep_while(const std::atomic<std::uint32_t>& word, std::uint64_t until, std::uint64_t used, GoesOn goes_on) {
    if (!arm(used)) return sleep_by_clock(word, until);
    begin();
    // seq_cst, with begin(): either this thread sees the change, or who has made it sees this thread.
    const bool goes = word.load() == 1 && goes_on();
    return await_signal(goes, until);
  }
  /// After a change of the word. Async-signal-safe, thread-safe.
  static void wake();
  /// In the child of a fork.
  static void forget();

 private:
  bool arm(std::uint64_t used);
  void disarm() const;
  static void begin();
  bool await_signal(bool goes, std::uint64_t until);
  static bool sleep_by_clock(const std::atomic<std::uint32_t>& word, std::uint64_t until);

  int timer_ = -1;  // less than 0: there is none
  bool is_refused_ = false;
};

/// When the monitor looks at threads that drive themselves: when it is time, unless the process has been at rest since the last
/// look.
class looks_at_threads {
 public:
  /// `used`: returns the processor time of the process, without the monitor's: else looks that cost much would be a reason for
  /// looks. `is_called`: somebody asks for a look.
  template <class Used>
  bool are_needed(std::uint64_t now, bool is_called, Used used) {
    rests_ = !is_called && now >= due_ && now - seen_at_ >= apart_at_rest && used() < until_;
    return !rests_;
  }
  /// After them. When the next one is due.
  template <class Used>
  std::uint64_t next(std::uint64_t now, std::uint64_t due, Used used) {
    if (now >= due_ && now - seen_at_ >= apart_at_rest) {
      seen_at_ = now;
      until_ = used() + used_at_rest;
    }
    return due_ = due;
  }
  /// Since then the process has used no more.
  std::uint64_t since() const { return seen_at_; }
  /// Until the process has used so much processor time.
  bool rests() const { return rests_; }
  std::uint64_t until() const { return until_; }

 private:
  // In less time a process at work uses no more either. Looks may follow each other sooner: for threads that are about to run,
  // and where there are so many threads that each look is at a part of them.
  static constexpr std::uint64_t apart_at_rest = 50'000'000, used_at_rest = 1'000'000;

  std::uint64_t seen_at_ = 0, due_ = 0;
  std::uint64_t until_ = 0;  // of processor time
  bool rests_ = false;
};

}  // namespace weir::threads
