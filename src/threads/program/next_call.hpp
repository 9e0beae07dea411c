// When the monitor next calls in threads that run for long without a call.
//
// A thread asks for it only if no call is to come. But the monitor, which has found that there are not too many threads, may just
// be about to forget what somebody has asked for: therefore it looks once more afterwards.
//
//   thread:   one more is living;  is a call to come? If not, it asks for one, and wakes the monitor
//   monitor:  no call is to come;  are there too many threads now?
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

/// Times in nanoseconds.
class next_call {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  // relaxed, all: a time with which no other data goes; the fences order it with the number of threads.

  /// For a thread that makes them too many.
  bool is_to_come() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // with that of forget(): one of the two sees what the other has written
    return at() != never;
  }
  /// True: it has asked first.
  bool ask_for(std::uint64_t time) {
    std::uint64_t none = never;
    return at_.compare_exchange_strong(none, time, std::memory_order_relaxed);
  }

  std::uint64_t at() const { return at_.load(std::memory_order_relaxed); }
  void is_at(std::uint64_t time) { at_.store(time, std::memory_order_relaxed); }

  /// For the monitor, which has found no reason for a call. False: there is one since.
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
