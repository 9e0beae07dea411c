// Who is taken for one that spins: a member whose registers are twice the same.
#include <atomic>
#include <chrono>

#include <gtest/gtest.h>

#include "members.hpp"

namespace {

#if defined(__x86_64__)

// Loops of some 40 ms or more, in which one register changes.
void count_in_rax() {
  std::uint64_t left = 100'000'000;
  asm volatile("1: dec %0\n jnz 1b" : "+a"(left));
}
void count_in_r11() {
  register std::uint64_t left asm("r11") = 100'000'000;
  asm volatile("1: dec %0\n jnz 1b" : "+r"(left));
}
void sum_in_floating_point() {
  double left = 30'000'000;
  asm volatile("1: subsd %1, %0\n ucomisd %2, %0\n ja 1b" : "+x"(left) : "x"(1.0), "x"(0.0));
}

/// How often the other member of a processor gets it meanwhile, beyond once in 4 ms: one that computes has it for 17 ms, one that
/// spins for 0.1. Tried again where a processor of earlier crowds has stolen one of the two.
int turns_too_many(void (*compute)()) {
  for (;;) {
    std::atomic<long> computes_on{0};  // which kernel thread drives it; -1: none any more
    int turns = 0, too_many = 0;
    bool moved = false;
    weir::crowd c(2, [&](unsigned m) {
      if (m == 0) {
        yields(1);
        const auto begin = std::chrono::steady_clock::now();
        computes_on = kernel_thread();
        compute();
        const auto took = std::chrono::steady_clock::now() - begin;
        moved = computes_on != kernel_thread();
        computes_on = -1;
        too_many = -static_cast<int>(took / std::chrono::milliseconds(4));
      } else {
        for (long on; (on = computes_on) != -1; yields(1)) turns += on == kernel_thread();
      }
    }, {.processors = 1});
    c.join();
    if (!moved) return too_many + turns;
  }
}

TEST(Tick, AMemberThatComputesKeepsItsProcessorWhicheverRegisterChanges) {
  EXPECT_LE(turns_too_many(count_in_rax), 10);
  EXPECT_LE(turns_too_many(count_in_r11), 10);
  EXPECT_LE(turns_too_many(sum_in_floating_point), 10);
}

#endif

}  // namespace
