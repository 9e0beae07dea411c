// Who schedules the calling thread, where it is not the kernel alone. What a thread does to give its processor away asks here
// before it makes a system call, so that all barriers, policies and locks over the native machine run on virtual processors too
// (src/threads).
#pragma once

#include <atomic>
#include <cstdint>

#include "raw_call.hpp"

namespace weir {

/// The system call. A program's sched_yield may be the runtime's (openmp/core/program_yield.cpp).
inline void yield_to_kernel() noexcept { raw_call(SYS_sched_yield); }

/// The same for a waiter: where yields are doubted, how long it takes tells whether they cost slices (yield_doubt.hpp).
void yield_and_learn() noexcept;

struct scheduling {
  /// To another thread that is ready to run; now and then to another program. The caller measures how long it takes.
  void (*yield)() noexcept;
  /// To another thread of this scheduler alone.
  void (*switch_to_another)() noexcept;
  /// Returns when the word is woken, or at once if it has another value.
  void (*sleep_while)(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
};

/// Null: the kernel alone schedules this thread.
extern constinit thread_local const scheduling* scheduled_by;

/// The mark by which a thread that sleeps in the kernel can be woken apart from others on the same word
/// (futex_kernel::wake_marked). All bits, unless the thread says otherwise: it is woken with any.
extern constinit thread_local std::uint32_t sleeps_by;

/// Wakes threads that sleep on the word by scheduling::sleep_while, at most so many. Null until the first of them.
extern constinit std::atomic<void (*)(std::atomic<std::uint32_t>& word, unsigned most) noexcept> wake_scheduled;

}  // namespace weir
