// Threads that wait for each other in loops (loops.S), until trampolines are there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <sched.h>

using flag = std::atomic<int>;
struct two_flags {
  flag first{0}, second{0};
};

extern "C" {
int keeps(const two_flags*);
long has_no_pause(const flag*);
extern const char keeps_first_pause[], keeps_second_pause[], keeps_end[], has_no_pause_first[];
}

inline constexpr unsigned char jump_code = 0xe9, pause_code = 0xf3;
inline const unsigned threads = 4 * std::thread::hardware_concurrency();

inline unsigned char first_byte(const char* code) { return static_cast<unsigned char>(*const_cast<const volatile char*>(code)); }

[[noreturn]] inline void fail(const char* what) {
  std::puts(what);
  std::fflush(stdout);
  std::_Exit(1);
}

/// As many threads as `threads`, each of which waits for the one before it, a number of times.
inline void in_turn(unsigned rounds, const std::function<void(const two_flags&)>& wait) {
  std::vector<two_flags> may(threads * rounds + 1);
  const auto let = [](two_flags& flags) {
    flags.first.store(1);
    sched_yield();
    flags.second.store(1);
  };
  std::vector<std::thread> started;
  for (unsigned t = 0; t < threads; ++t)
    started.emplace_back([&, t] {
      for (unsigned r = 0; r < rounds; ++r) {
        wait(may[r * threads + t]);
        let(may[r * threads + t + 1]);
      }
    });
  let(may[0]);
  for (std::thread& each : started) each.join();
}

/// Until the `pause` at that place has been replaced, and for a while then.
inline void until_placed(const char* what, const char* at, const std::function<void(const two_flags&)>& wait) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
  while (first_byte(at) != jump_code) {
    if (std::chrono::steady_clock::now() > end) fail(what);
    in_turn(50, wait);
  }
  in_turn(500, wait);
}

inline void keeps_registers(const two_flags& flags) {
  if (keeps(&flags) != 0) fail("registers differ");
}
