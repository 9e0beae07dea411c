// Seats, for programs that must not tell members from threads, but whose threads shall be members: a bare system call tells.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The kernel thread's number, whoever stands before syscall().
inline pid_t number_of_kernel_thread() {
#if defined(__x86_64__)
  long number = SYS_gettid;
  asm volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
  return static_cast<pid_t>(number);
#else
  register long number asm("x0");
  register long call asm("x8") = SYS_gettid;
  asm volatile("svc 0" : "=r"(number) : "r"(call) : "memory");
  return static_cast<pid_t>(number);
#endif
}
/// A member that runs on its own kernel thread at the moment, or on one of the same number, is not seen.
inline bool has_seat() { return number_of_kernel_thread() != gettid(); }

/// Shall threads have seats? Not in a plain run, nor with threads of the kernel.
inline bool seats_are_wanted() {
  const char* const threads = std::getenv("WEIR_THREADS");
  return threads != nullptr && (std::strcmp(threads, "all") == 0 || std::strcmp(threads, "auto") == 0);
}

/// With WEIR_THREADS=auto seats open once threads are found to poll: some poll for each other until one has a seat, or 20 s.
inline void open_seats() {
  if (!seats_are_wanted()) return;
  constexpr int many = 6;
  std::atomic<int> turn{0};
  std::atomic<bool> open{false};
  std::thread polling[many];
  for (int me = 0; me < many; ++me)
    polling[me] = std::thread([&, me] {
      while (!open) {
        while (turn != me && !open) {
        }
        if (has_seat()) open = true;
        turn = (me + 1) % many;
      }
    });
  for (int waited = 0; waited < 20'000 && !open; ++waited) usleep(1000);
  open = true;
  for (std::thread& each : polling) each.join();
}
