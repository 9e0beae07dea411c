// Threads of the program that run for long without a call: the monitor asks whether they poll, and asks them to attach
// (preemption/above.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

/// Once, until the monitor has found that the threads are not too many: it decides about the next requests.
void want_requests();
/// When the monitor next looks.
void request_at_once();
/// Has a thread that was asked to attach been polling? A hint.
bool some_have_polled();

/// The number of yields or switches between two looks from which on a thread counts as one that waits for others. One that has
/// been found to poll counts as one that has yielded as often.
inline constexpr std::uint32_t waits_often = 8;
/// A thread of the program that runs has been found to poll, or not. Thread-safe, and async-signal-safe.
void note_running_thread(bool polls);

/// When the monitor next asks. Times in nanoseconds.
///
/// A thread wants requests only if none are to come. But the monitor, which has found that there are not too many threads, may
/// just be about to forget what somebody wants: therefore it looks once more afterwards.
///
///   thread:   one more is living;      are requests to come? If not, it wants some, and wakes the monitor
///   monitor:  no requests are to come; are there too many threads now?
class next_request {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  // relaxed, all: a time with which no other data goes; the fences order it with the number of threads.

  /// For a thread that makes them too many.
  bool is_to_come() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // with that of forget(): one of the two sees what the other has written
    return at() != never;
  }
  /// True: nobody else has, since.
  bool want_at(std::uint64_t time) {
    std::uint64_t none = never;
    return at_.compare_exchange_strong(none, time, std::memory_order_relaxed);
  }

  std::uint64_t at() const { return at_.load(std::memory_order_relaxed); }
  void is_at(std::uint64_t time) { at_.store(time, std::memory_order_relaxed); }

  /// For the monitor, which has found no reason for requests. False: there is one since.
  template <class AreTooMany>
  bool forget(AreTooMany are_too_many) {
    is_at(never);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return !are_too_many();
  }

 private:
  std::atomic<std::uint64_t> at_{never};
};

}  // namespace weir::threads
