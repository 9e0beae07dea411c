// The loops that Weir executes in place of bodies that poll.
#include "threads/polling/polling.hpp"

#include <cstring>

#include <gtest/gtest.h>

#if defined(__x86_64__)

namespace {

using weir::threads::registers;

constexpr int rsp = 4;

// Loops as compilers make them. Each is called as a function of the address that it polls, and of a limit.
#define LOOP(name, code)                                             \
  extern "C" std::uint64_t name(const void*, std::uint64_t);         \
  asm(".text\n.balign 16\n.type " #name ", @function\n" #name ":\n" code "\nret\n.size " #name ", . - " #name "\n");

// Until a word is not zero.
LOOP(polls_with_pause, "1: pause; mov (%rdi), %rax; test %rax, %rax; je 1b")
LOOP(polls_in_memory, "1: nop; nop; nop; cmpq $0, (%rdi); je 1b")
LOOP(polls_behind_fence, "1: lock orq $0, (%rsp); mov (%rdi), %rax; test %rax, %rax; je 1b")  // as compilers flush
// The same, or the limit has passed by the processor's clock.
LOOP(polls_until_time,
     "rdtsc; mov %eax, %ecx; 1: mov (%rdi), %rax; cmp $2, %rax; jae 2f; nop; nop; rdtsc; sub %ecx, %eax; cmp %esi, %eax; jbe 1b; 2:")
// The same, at most so many times.
LOOP(polls_counted, "xor %eax, %eax; 1: cmpl $0, (%rdi); jne 2f; pause; inc %rax; cmp %rsi, %rax; jb 1b; 2:")
// No polling: the sum of words; of one word again and again; a search; a store; a pause alone; a call.
LOOP(adds_words, "xor %eax, %eax; 1: add (%rdi), %rax; add $8, %rdi; dec %rsi; jne 1b")
LOOP(adds_word, "xor %eax, %eax; 1: add (%rdi), %rax; dec %rsi; jne 1b")
LOOP(searches, "1: cmpq $99, (%rdi); je 2f; add $8, %rdi; dec %rsi; jne 1b; 2:")
LOOP(stores, "1: mov %rsi, (%rdi); dec %rsi; jne 1b")
LOOP(delays, "1: pause; dec %rsi; jne 1b")
LOOP(calls, "1: call polls_with_pause; test %rax, %rax; je 1b")
// By a word that lies behind another one.
LOOP(polls_behind, "1: mov (%rdi), %rdx; pause; mov (%rdx), %rax; test %rax, %rax; je 1b")

using loop = std::uint64_t (*)(const void*, std::uint64_t);

/// As if a signal had interrupted the code at its n-th instruction.
ucontext_t interrupted(loop its, const void* word, std::uint64_t limit, int n) {
  registers r;
  r.all[7] = reinterpret_cast<std::uint64_t>(word);
  r.all[6] = limit;
  r.all[rsp] = reinterpret_cast<std::uint64_t>(&r);
  r.flags = 2;
  r.code = reinterpret_cast<std::uintptr_t>(its);
  for (int i = 0; i < n; ++i) EXPECT_TRUE(weir::threads::execute(r));
  ucontext_t in{};
  constexpr int in_context[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; ++i) in.uc_mcontext.gregs[in_context[i]] = static_cast<greg_t>(r.all[i]);
  in.uc_mcontext.gregs[REG_EFL] = static_cast<greg_t>(r.flags);
  in.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(r.code);
  return in;
}
constexpr std::uint64_t far_away = 1u << 31;

TEST(Polling, FollowsTheWordFromEachPlaceInTheLoop) {
  for (const loop each : {polls_with_pause, polls_in_memory, polls_until_time, polls_counted, polls_behind, polls_behind_fence})
    for (int n = 2; n < 30; ++n) {
      std::uint64_t word = 0;
      const std::uint64_t* const pointer = &word;
      const void* const at = each == polls_behind ? static_cast<const void*>(&pointer) : &word;
      ucontext_t in = interrupted(each, at, far_away, n);
      weir::threads::polling its;
      ASSERT_TRUE(its.begin(in)) << n;
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(its.polls_again()) << n;
      word = 7;
      // Once more, if the word had been read before the interruption.
      EXPECT_FALSE(its.polls_again() && its.polls_again()) << n;
      its.end(in);
      const auto code = static_cast<std::uintptr_t>(in.uc_mcontext.gregs[REG_RIP]);
      EXPECT_EQ(*reinterpret_cast<const unsigned char*>(code), 0xc3) << "ret, after the loop";
      if (each == polls_with_pause) { EXPECT_EQ(in.uc_mcontext.gregs[REG_RAX], 7); }
    }
}
TEST(Polling, EndsByTimeAndByCount) {
  const std::uint64_t word = 0;
  for (const loop each : {polls_until_time, polls_counted}) {
    ucontext_t in = interrupted(each, &word, each == polls_counted ? 1000 : 20'000'000, 3);
    weir::threads::polling its;
    ASSERT_TRUE(its.begin(in));
    int rounds = 0;
    while (its.polls_again()) ++rounds;
    its.end(in);
    EXPECT_EQ(*reinterpret_cast<const unsigned char*>(in.uc_mcontext.gregs[REG_RIP]), 0xc3);
    if (each == polls_counted) {
      EXPECT_EQ(in.uc_mcontext.gregs[REG_RAX], 1000);
      EXPECT_LE(rounds, 8 * 1000);  // most of them only look
      EXPECT_GE(rounds, 990);
    }
  }
}
TEST(Polling, LeavesAloneWhatComputes) {
  std::uint64_t words[64];
  for (std::uint64_t i = 0; i < 64; ++i) words[i] = i + 1;
  for (const loop each : {adds_words, adds_word, searches, stores, delays, calls})
    for (int n = 0; n < 3; ++n) {
      if (n != 0 && (each == stores || each == calls)) continue;
      const ucontext_t before = interrupted(each, words, 64, n);
      ucontext_t in = before;
      weir::threads::polling its;
      EXPECT_FALSE(its.begin(in)) << n;
      EXPECT_FALSE(its.is_on());
      its.end(in);
      EXPECT_EQ(std::memcmp(&in, &before, sizeof in), 0);
    }
}
TEST(Polling, AWordThatIsSetAtOnceEndsIt) {
  const std::uint64_t word = 7;
  const ucontext_t in = interrupted(polls_with_pause, &word, 0, 1);
  weir::threads::polling its;
  EXPECT_FALSE(its.begin(in));
}

TEST(Polling, APauseIsFoundBeforeAndBehind) {
  static const unsigned char code[] = {0x90, 0xf3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  EXPECT_EQ(weir::threads::pause_at(at + 1), at + 1);
  EXPECT_EQ(weir::threads::pause_at(at + 3), at + 1);
  EXPECT_EQ(weir::threads::pause_at(at + 2), 0u);
  EXPECT_EQ(weir::threads::pause_at(at + 4), 0u);
  EXPECT_EQ(weir::threads::pause_at(64), 0u);
}

}  // namespace

#endif
