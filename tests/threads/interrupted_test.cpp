// Whether a signal has come at a system call is found by the code as by the registers: a processor with FRED keeps these. What
// Weir computes in a handler leaves no trace in the floating-point state that it has interrupted.
#include "threads/scheduling/interrupted.hpp"

#include <cfenv>
#include <cstring>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "threads/support/floating_point.hpp"

using namespace weir::threads;

#if defined(__x86_64__)
TEST(Interrupted, ACallIsFoundByRegistersAndByCode) {
  constexpr std::size_t page = 4096;
  auto* const code = static_cast<unsigned char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  std::memset(code, 0x90, 2 * page);
  for (unsigned char* const call : {code + 100, code + page - 1}) std::memcpy(call, "\x0f\x05", 2);
  ucontext_t in{};
  auto& now = in.uc_mcontext.gregs;
  const auto stands = [&](unsigned char* at, unsigned char* rcx) {
    now[REG_RIP] = reinterpret_cast<greg_t>(at);
    now[REG_RCX] = reinterpret_cast<greg_t>(rcx);
  };
  for (unsigned char* const call : {code + 100, code + page - 1}) {
    stands(call + 2, call + 2);
    for (const auto how : {found_by::registers, found_by::code}) EXPECT_TRUE(is_behind_system_call(in, how));
    EXPECT_FALSE(is_before_system_call(in, found_by::code));
    stands(call, call + 2);
    for (const auto how : {found_by::registers, found_by::code}) EXPECT_TRUE(is_before_system_call(in, how));
    EXPECT_FALSE(is_behind_system_call(in, found_by::code));
    stands(call + 2, nullptr);
    EXPECT_TRUE(is_behind_system_call(in, found_by::code));
  }
  stands(code + 50, code);
  for (const auto how : {found_by::registers, found_by::code})
    EXPECT_FALSE(is_behind_system_call(in, how) || is_before_system_call(in, how));
  // What cannot be read is no call, and nothing faults.
  mprotect(code, page, PROT_NONE);
  stands(code + page, nullptr);
  EXPECT_FALSE(is_behind_system_call(in, found_by::code));
  stands(code + 100, nullptr);
  EXPECT_FALSE(is_before_system_call(in, found_by::code));
  munmap(code, 2 * page);
}

TEST(Interrupted, TheNumberOfACallIsFoundWhereTheCodeLoadsIt) {
  using text = std::basic_string<unsigned char>;
  const auto found = [](const text& code) {
    const text padded = text(32, 0x90) + code;
    return number_of_call_at(reinterpret_cast<std::uintptr_t>(padded.data()) + padded.size() - 2).value_or(-1);
  };
  const text loads{0xb8, 0x0e, 1, 0, 0}, call{0x0f, 0x05};  // mov $0x10e, %eax; syscall
  const text edi{0x8b, 0x7c, 0x24, 0x1c}, rsi{0x48, 0x8b, 0x74, 0x24, 8}, rdx{0x4c, 0x89, 0xe2}, r9{0x45, 0x31, 0xc9},
      r8{0x41, 0xb8, 8, 0, 0, 0};
  EXPECT_EQ(found(loads + call), 0x10e);
  EXPECT_EQ(found(loads + edi + call), 0x10e);
  EXPECT_EQ(found(r8 + loads + rdx + rsi + edi + r9 + call), 0x10e);
  EXPECT_EQ(found(loads + r8 + call), 0x10e);
  // Not where it may have been changed since, or is another register's.
  const text rax{0x48, 0x89, 0xf8}, of_stack{0x8b, 0x04, 0x24}, decrement{0xff, 0xc8}, cleared{0x31, 0xc0};
  for (const text& changes : {rax, of_stack, decrement, cleared}) EXPECT_EQ(found(loads + changes + call), -1);
  EXPECT_EQ(found(r8 + call), -1);
  const text edi_by_r8{0x41, 0x8b, 0xb8, 0, 1, 0, 0}, lea_by_r8{0x49, 0x8d, 0xb8, 0, 1, 0, 0};
  EXPECT_EQ(found(loads + edi_by_r8 + call), 0x10e);
  EXPECT_EQ(found(edi_by_r8 + call), -1);
  EXPECT_EQ(found(loads + lea_by_r8 + call), -1);
  EXPECT_EQ(found(rax + call), -1);
}
#endif

// The first time limit of a process measures the clock, maybe in the name of a body.
TEST(FloatingPoint, MeasuringTheClockRaisesNoFlag) {
  std::feclearexcept(FE_ALL_EXCEPT);
  EXPECT_GT(learn_ticks_per_ms(), 0U);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  EXPECT_EQ(in_ticks(2000), 2 * ticks_per_ms.load(std::memory_order_relaxed));
}
