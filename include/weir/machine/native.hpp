// SPDX-License-Identifier: Apache-2.0
// The native machine: real processors.
//
// A word *is* std::atomic here, so that writing an algorithm over a machine costs no instruction.
#pragma once

#include <time.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <weir/machine/gate.hpp>
#include <weir/machine/machine.hpp>

namespace weir {

struct native {
  template <class T>
  using word = std::atomic<T>;
  using gate = weir::gate;
  using mutex = std::mutex;
  using condition = std::condition_variable;

  /// A hint to the processor between two polls.
  static void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }

  template <class Word, class Ready>
  static void spin(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) pause();
  }
  template <class Word, class Ready>
  static bool spin(const Word& word, Ready ready, unsigned polls) {
    for (unsigned i = 0;; pause()) {
      if (ready(word.load(std::memory_order_acquire))) return true;
      if (++i == polls) return false;
    }
  }

  /// One instruction, a hint. Not __builtin_prefetch on x86: for the oldest processors compilers fetch the line to be read.
  template <class Word>
  static void request_for_writing(const Word& word) noexcept {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(word));
#else
    __builtin_prefetch(&word, 1);
#endif
  }

  /// One system call, sched_yield: about 0.4 us if no other thread wants the processor.
  static void yield() noexcept;
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) yield();
  }

  /// Does the calling thread share its processor with others in user space, where a sleep costs no system call?
  static bool switches_in_user_space() noexcept { return in_user_space() != nullptr; }

  /// Returns false at once in a thread that only the kernel schedules.
  template <class Word, class Ready>
  static bool switch_until(const Word& word, Ready ready, unsigned times) {
    const auto to_another = in_user_space();
    if (to_another == nullptr) return false;
    for (unsigned i = 0; i < times; ++i) {
      to_another();
      if (spin(word, ready, 1)) return true;
    }
    return false;
  }

  /// Thread-safe. relaxed, both: no other data goes with it.
  static bool crowded() noexcept { return is_crowded.load(std::memory_order_relaxed) || is_displaced; }
  /// For a caller that knows all teams of the process, such as an OpenMP runtime.
  static void crowded(bool now) noexcept { is_crowded.store(now, std::memory_order_relaxed); }
  /// For the calling thread alone: it has left the processor on which its teams take it to be.
  static void displaced(bool now) noexcept { is_displaced = now; }

  /// Are yields taken to give another program a whole slice? Asked once in a wait; now and then the answer is no, as a trial.
  /// A guess from the number of threads that ran in the system when the library was loaded, until a yield shows more.
  /// Thread-safe.
  static bool yields_cost_slices(std::uint64_t now) noexcept;

  /// Moves the calling thread back to the processor that live_on() gave it, if it is on another. It looks at most once in a few
  /// milliseconds; otherwise it costs a comparison. The affinity mask of the thread stays as it was.
  static void migrate_home(std::uint64_t now) noexcept {
    if (now >= next_look_home) [[unlikely]] look_home(now);
  }
  /// Gives the calling thread a home processor: the system may move the thread, and migrate_home() moves it back. -1: none, as
  /// at first. Linux does not balance threads that yield to each other: three stay on one processor and one on another.
  /// If the thread already has this home, the function costs a call and a comparison. If yields are assumed to cost slices, it
  /// does not move the thread at once: on the other processor the thread would begin behind another program.
  static void live_on(int processor) noexcept;

  /// The time-stamp counter, if the processor has a constant one; otherwise nanoseconds.
  static std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#else
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
  }

  /// The same, but after all earlier instructions of the thread: the processor does not read the counter ahead of them.
  static std::uint64_t ticks_in_order() noexcept {
#if defined(__x86_64__)
    _mm_lfence();
#endif
    return ticks();
  }

  /// Ticks in one microsecond; the first call measures it (at most 50 us). Thread-safe.
  static double ticks_per_microsecond();

 private:
  /// The function that gives the processor to another member; null: the kernel's yield.
  static void (*in_user_space() noexcept)() noexcept;
  static void look_home(std::uint64_t now) noexcept;
  static constinit std::atomic<bool> is_crowded;
  static constinit thread_local bool is_displaced;
  static constinit thread_local std::uint64_t next_look_home;  // the largest: never
};
static_assert(machine<native>);

}  // namespace weir
