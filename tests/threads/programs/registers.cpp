// What a switch must keep, on any processor: says ok. Without a test's library, since it is run under emulation too.
#include <weir/crowd.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>

#include <pthread.h>

#include <weir/team_barrier.hpp>

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  std::exit(1);
}

thread_local unsigned number_here = 0;
constexpr std::array modes{FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
// Without FE_INEXACT, which whatever computes raises.
constexpr int flags = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW;
constexpr std::array raised{FE_DIVBYZERO, 0, FE_INVALID | FE_UNDERFLOW, FE_OVERFLOW, 0};

/// More values than there are registers that a call keeps: each of those holds one over the yields.
[[gnu::noinline]] void keep_registers(unsigned member, int times) {
  std::array<std::uint64_t, 12> whole;
  std::array<double, 10> real;
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = member * 1000 + i;
  for (std::size_t i = 0; i < real.size(); ++i) real[i] = member * 1000.5 + static_cast<double>(i);
  auto [a, b, c, d, e, f, g, h, i, j, k, l] = whole;
  auto [p, q, r, s, t, u, v, w, x, y] = real;
#if defined(__x86_64__)
#define REAL "+x"
#else
#define REAL "+w"
#endif
#define HIDDEN                                                                                       \
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));                           \
  asm volatile("" : "+r"(g), "+r"(h), "+r"(i), "+r"(j), "+r"(k), "+r"(l));                           \
  asm volatile("" : REAL(p), REAL(q), REAL(r), REAL(s), REAL(t), REAL(u), REAL(v), REAL(w), REAL(x), REAL(y))
  HIDDEN;
  for (int n = 0; n < times; ++n) weir::this_member::yield();
  HIDDEN;
  check(whole == std::array<std::uint64_t, 12>{a, b, c, d, e, f, g, h, i, j, k, l}, "whole numbers in registers");
  check(real == std::array<double, 10>{p, q, r, s, t, u, v, w, x, y}, "real numbers in registers");
}

void live(unsigned m) {
  const pthread_t me = pthread_self();
  number_here = m;
  std::fesetround(modes[m % modes.size()]);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(raised[m % raised.size()]);
  for (int i = 0; i < 50; ++i) {
    errno = static_cast<int>(m) + 1;
    keep_registers(m, 1 + i % 3);
    check(errno == static_cast<int>(m) + 1 && number_here == m && pthread_equal(me, pthread_self()), "identity");
    check(std::fegetround() == modes[m % modes.size()], "rounding");
    check(std::fetestexcept(flags) == raised[m % raised.size()], "flags of exceptions");
    try {
      weir::this_member::yield();
      throw std::runtime_error(std::to_string(m));
    } catch (const std::runtime_error& caught) {
      weir::this_member::yield();
      check(caught.what() == std::to_string(m), "exceptions");
    }
  }
}

void meet(unsigned processors) {
  constexpr unsigned members = 5;
  weir::team_barrier<> barrier(members);
  std::atomic<unsigned> arrived{0}, turn{0};
  std::mutex mutex;
  weir::crowd c(members, [&](unsigned m) {
    live(m);
    for (unsigned episode = 1; episode <= 20; ++episode) {
      ++arrived;
      barrier.arrive_and_wait(m);
      check(arrived >= members * episode, "barriers");
      barrier.arrive_and_wait(m);
    }
    // Only the end of a quantum takes the processor from who spins.
    for (unsigned round = 0; round < 3; ++round) {
      while (turn != members * round + m) {
      }
      ++turn;
    }
    for (int i = 0; i < 3; ++i) {
      const std::lock_guard lock(mutex);
      weir::this_member::yield();
    }
  }, {.processors = processors});
}

}  // namespace

int main() try {
  for (const unsigned processors : {1u, 2u}) meet(processors);
  std::puts("ok");
} catch (const std::system_error& refused) {
  std::printf("refused: %s\n", refused.what());
  return 1;
}
