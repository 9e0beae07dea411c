// What run queues need from the system, on Linux.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <time.h>

#include <weir/machine/native.hpp>

#include "machine/scheduling.hpp"
#include "system/filter.hpp"
#include "system/raw_call.hpp"

namespace weir::threads {

/// `most`: the time limit; null: no limit.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* most = nullptr) {
  raw_call(SYS_futex, as_argument(&word), FUTEX_WAIT_PRIVATE, static_cast<long>(value), as_argument(most));
}
/// Wakes all that wait there.
inline void futex_wake(const std::atomic<std::uint32_t>& word) {
  raw_call(SYS_futex, as_argument(&word), FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max());
}

template <class Machine>
struct basic_runnable;

struct native_threads {
  template <class T>
  using word = std::atomic<T>;
  template <class T>
  using pointer = std::atomic<T*>;

  /// An address that no object has.
  template <class T>
  static T* mark() {
    alignas(T) static constinit char at[sizeof(T)] = {};
    return reinterpret_cast<T*>(at);
  }

  /// A fence for the compiler, and for handlers on the same thread.
  static void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }
  /// A fence after an atomic update by the same thread.
  static void fence_after_update() {
#if defined(__x86_64__)
    // A locked instruction, which no later load passes [Intel SDM, 3A 9.2.3.9].
    std::atomic_signal_fence(std::memory_order_seq_cst);
#else
    full_fence();
#endif
  }
  static void full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
  /// A fence in all running threads of the process; false: the system refuses.
  static bool fence_everywhere() {
    return futex_kernel::may_be_unguarded() && filter::call<SYS_membarrier>(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
  }
  static void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) { futex_wait(word, value); }
  /// The same; false: the time has come (CLOCK_MONOTONIC, in nanoseconds).
  static bool sleep_while_until(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t time) {
    const timespec at{static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
    return raw_call(SYS_futex, as_argument(&word), FUTEX_WAIT_BITSET_PRIVATE, static_cast<long>(value), as_argument(&at), 0,
                    static_cast<long>(FUTEX_BITSET_MATCH_ANY)) != -ETIMEDOUT;
  }
  static void wake(const std::atomic<std::uint32_t>& word) { futex_wake(word); }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) raw_call(SYS_sched_yield);
  }

  /// The body's own kernel thread, which is parked, goes on where the body has stopped.
  static void go_on_in_own_thread(basic_runnable<native_threads>& b);
  /// A body waits for a processor, so the monitor must look whether the processor gets round to it (monitor.hpp).
  static void has_made_ready();
  /// A body waits for a processor whose thread is blocked, so the monitor must look at once.
  static void wants_stand_in();
};

}  // namespace weir::threads
