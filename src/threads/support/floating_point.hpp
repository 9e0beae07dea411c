// The floating-point state of a body in whose name Weir computes.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

/// relaxed: all find the same. 0: not known yet.
extern constinit std::atomic<std::uint64_t> ticks_per_ms;
std::uint64_t learn_ticks_per_ms();
/// A time in ticks, without a trace in the floating-point state of the calling body.
inline std::uint64_t in_ticks(std::uint64_t us) {
  const std::uint64_t known = ticks_per_ms.load(std::memory_order_relaxed);
  return us * (known != 0 ? known : learn_ticks_per_ms()) / 1000;
}

/// During the lifetime of this object no exception traps, and the flags that functions raise which are not inlined are not the
/// body's. The compiler may move other arithmetic out of it.
class floating_point_kept {
 public:
  floating_point_kept() {
#if defined(__x86_64__)
    constexpr std::uint32_t usual = 0x1f80;  // all exceptions masked, round to nearest [System V ABI, x86-64]
    asm volatile("stmxcsr %0" : "=m"(before_) : : "memory");
    asm volatile("ldmxcsr %0" : : "m"(usual) : "memory");
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpsr" : "=r"(before_));
#endif
  }
  floating_point_kept(const floating_point_kept&) = delete;
  ~floating_point_kept() {
#if defined(__x86_64__)
    asm volatile("ldmxcsr %0" : : "m"(before_) : "memory");
#elif defined(__aarch64__)
    asm volatile("msr fpsr, %0" : : "r"(before_));
#endif
  }

 private:
#if defined(__aarch64__)
  std::uint64_t before_ = 0;
#else
  std::uint32_t before_ = 0;
#endif
};

}  // namespace weir::threads
