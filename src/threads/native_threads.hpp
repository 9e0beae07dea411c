// What run queues ask of the system: Linux, by calls that leave errno alone. They are made on the kernel thread of a virtual processor,
// where errno is the one of the body whose thread pointer it has.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <weir/machine/native.hpp>

#include "machine/scheduling.hpp"

namespace weir::threads {

/// The system call alone: its result, or less than zero, -errno.
inline long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
  const int before = errno;
  long result = syscall(number, a, b, c, d, e, f);
  if (result < 0) result = -errno;
  errno = before;
  return result;
#endif
}

template <class T>
long as_argument(T* p) {
  return reinterpret_cast<long>(p);
}

/// `most`: how long at most; null: for ever.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* most = nullptr) {
  raw_call(SYS_futex, as_argument(&word), FUTEX_WAIT_PRIVATE, static_cast<long>(value), as_argument(most));
}
inline void futex_wake(const std::atomic<std::uint32_t>& word) { raw_call(SYS_futex, as_argument(&word), FUTEX_WAKE_PRIVATE, 1); }

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

  /// For the compiler, and for handlers on the same thread.
  static void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }
  static void full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
  /// In all running threads of the process; false: the system refuses.
  static bool fence_everywhere() {
    if (!futex_kernel::may_be_unguarded()) return false;
    futex_kernel::heavy_fence();
    return futex_kernel::may_be_unguarded();
  }
  static void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) { futex_wait(word, value); }
  static void wake(const std::atomic<std::uint32_t>& word) { futex_wake(word); }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) raw_call(SYS_sched_yield);
  }

  /// Its own kernel thread, which is parked, goes on where the body has stopped.
  static void go_on_in_own_thread(basic_runnable<native_threads>& b);
  /// A body waits for a processor: somebody must look whether that comes to it (monitor.hpp).
  static void has_made_ready();
};

}  // namespace weir::threads
