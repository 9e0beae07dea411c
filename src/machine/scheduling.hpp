// The scheduler of the calling thread, if it is not the kernel alone. Code that gives the processor away asks here before it
// makes a system call, so all barriers, policies and locks over the native machine also run on virtual processors (src/threads).
#pragma once

#include <atomic>
#include <cstdint>

#include "system/raw_call.hpp"

namespace weir {

/// The system call. (In a program, the function sched_yield may be the runtime's: threads/posix/yields.cpp.)
inline void yield_to_kernel() noexcept { raw_call(SYS_sched_yield); }

/// The same for a waiter. While yields are doubted, the duration of the yield tells whether yields cost slices (yield_doubt.hpp).
void yield_and_learn() noexcept;

struct scheduling {
  /// Yields to another thread that is ready to run, and now and then to another program. The caller measures how long it takes.
  void (*yield)() noexcept;
  /// Yields to another thread of this scheduler only.
  void (*switch_to_another)() noexcept;
  /// Returns when the word is woken, or at once if it has another value.
  void (*sleep_while)(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
};

/// As futex_kernel::sleep_while(), but in the kernel whoever schedules the thread: for schedulers.
void sleep_in_kernel_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;

/// Null: the kernel alone schedules this thread.
extern constinit thread_local const scheduling* scheduled_by;

/// The mark by which a thread that sleeps in the kernel can be woken separately from others on the same word
/// (futex_kernel::wake_marked). By default all bits are set, and any mark wakes the thread.
extern constinit thread_local std::uint32_t sleeps_by;

/// Wakes at most `most` threads that sleep on the word by scheduling::sleep_while. Null until the first thread sleeps so.
extern constinit std::atomic<void (*)(std::atomic<std::uint32_t>& word, unsigned most) noexcept> wake_scheduled;

}  // namespace weir
