// The loops that Weir executes in place of bodies that poll: each instruction has the effect that the processor gives it.
#include "threads/polling.hpp"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#if defined(__x86_64__)

namespace {

using weir::threads::registers;

constexpr int rsp = 4;
constexpr std::uint64_t arithmetic = 1 | 4 | 16 | 64 | 128 | 2048, adjust = 16;

/// Executes one instruction by the processor, with these registers but for rsp.
class executor {
 public:
  executor() {
    page_ = static_cast<unsigned char*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    values_ = reinterpret_cast<std::uint64_t*>(page_ + 2048);
    for (const int b : {0x53, 0x55}) emit({b});                                    // push rbx, rbp
    for (const int r : {4, 5, 6, 7}) emit({0x41, 0x50 | r});                       // push r12 to r15
    access(0xff, 6, 16);                                                           // push flags
    emit({0x9d});                                                                  // popf
    for (int r = 0; r < 16; ++r)
      if (r != rsp) access(0x8b, r, r);
    its_ = at_;
    at_ += 15;
    for (int r = 0; r < 16; ++r)
      if (r != rsp) access(0x89, r, r);
    emit({0x9c});                                                                  // pushf
    access(0x8f, 0, 16);                                                           // pop flags
    for (const int r : {7, 6, 5, 4}) emit({0x41, 0x58 | r});
    for (const int b : {0x5d, 0x5b, 0xc3}) emit({b});
  }
  executor(const executor&) = delete;
  ~executor() { munmap(page_, 4096); }

  std::uintptr_t place() const { return reinterpret_cast<std::uintptr_t>(page_ + its_); }
  void set(const std::vector<unsigned char>& instruction) {
    std::memset(page_ + its_, 0x90, 15);
    std::memcpy(page_ + its_, instruction.data(), instruction.size());
  }
  void run(registers& r) {
    std::memcpy(values_, r.all, sizeof r.all);
    values_[16] = (r.flags & arithmetic) | 2;
    reinterpret_cast<void (*)()>(page_)();
    std::memcpy(r.all, values_, sizeof r.all);
    r.flags = values_[16];
  }

 private:
  void emit(std::initializer_list<int> bytes) {
    for (const int b : bytes) page_[at_++] = static_cast<unsigned char>(b);
  }
  /// Of the value with that number, by its distance.
  void access(int opcode, int r, int value) {
    emit({0x48 | (r >= 8 ? 4 : 0), opcode, (r & 7) << 3 | 5});
    const auto distance = static_cast<std::int32_t>(reinterpret_cast<unsigned char*>(values_ + value) - (page_ + at_ + 4));
    std::memcpy(page_ + at_, &distance, 4);
    at_ += 4;
  }
  unsigned char* page_;
  std::uint64_t* values_;
  std::size_t at_ = 0, its_ = 0;
};

// Which registers are addresses of `data`, and which are small, in instructions of this test.
constexpr int pointers[] = {3, 5, 6, 7, 12, 13}, smalls[] = {1, 9};
std::uint64_t data[64];

class random_instructions {
 public:
  unsigned below(unsigned n) { return static_cast<unsigned>(source_() % n); }
  registers state() {
    registers r;
    for (auto& each : r.all) each = below(3) == 0 ? below(4) : source_() >> below(64);
    for (const int p : pointers) r.all[p] = reinterpret_cast<std::uint64_t>(&data[16]) + below(64);
    for (const int s : smalls) r.all[s] = below(8);
    r.flags = source_() & arithmetic;
    return r;
  }
  /// With prefixes, and random operands of the opcode.
  std::vector<unsigned char> of(std::vector<int> opcode, unsigned immediate_bytes) {
    std::vector<unsigned char> its;
    const bool is_16 = below(6) == 0;
    if (is_16) its.push_back(0x66);
    const unsigned rex = below(2) == 0 ? 0 : 0x40 | below(16);
    unsigned mode = below(4), low = 0, base = 0;
    unsigned reg = below(8);
    // There it is a register; rsp stays as it is.
    const bool is_group = opcode[0] >= 0xc0 || (opcode[0] >= 0x80 && opcode[0] <= 0x83);
    if (!is_group && reg == rsp && (rex & 4) == 0) reg = 0;
    std::vector<unsigned char> rest;
    const bool indexed = mode != 3 && below(3) == 0;
    if (mode == 3) {
      low = below(8);
      if (low == rsp) low = 0;
    } else {
      do base = static_cast<unsigned>(pointers[below(6)]) & 7;
      while (base == rsp);
      if (mode == 0 && base == 5) base = 3;
      low = indexed ? 4 : base;
      if (indexed) rest.push_back(static_cast<unsigned char>(below(4) << 6 | 1 << 3 | base));
      if (mode == 1) rest.push_back(static_cast<unsigned char>(below(64)));
      if (mode == 2) rest.insert(rest.end(), {static_cast<unsigned char>(below(64)), 0, 0, 0});
    }
    if (rex != 0) its.push_back(static_cast<unsigned char>(rex & ~1u));  // the other bases are no pointers
    for (const int b : opcode) its.push_back(static_cast<unsigned char>(b));
    its.push_back(static_cast<unsigned char>(mode << 6 | reg << 3 | low));
    its.insert(its.end(), rest.begin(), rest.end());
    const unsigned wide = is_16 && (rex & 8) == 0 ? 2 : 4;
    for (unsigned i = 0; i < (immediate_bytes == 4 ? wide : immediate_bytes); ++i)
      its.push_back(static_cast<unsigned char>(below(4) == 0 ? below(256) : 0));
    return its;
  }

 private:
  std::mt19937_64 source_{7};
};

struct form {
  std::vector<int> opcode;
  unsigned immediate;
};

TEST(Polling, EachInstructionIsThatOfTheProcessor) {
  std::vector<form> all = {{{0x63}, 0}, {{0x80}, 1}, {{0x81}, 4}, {{0x83}, 1}, {{0x84}, 0}, {{0x85}, 0}, {{0x89}, 0},
                           {{0x8a}, 0}, {{0x8b}, 0}, {{0x8d}, 0}, {{0xc1}, 1}, {{0xc7}, 4}, {{0xd1}, 0}, {{0xf6}, 1},
                           {{0xf7}, 4}, {{0xff}, 0}, {{0x0f, 0x1f}, 0}, {{0x0f, 0xb6}, 0}, {{0x0f, 0xb7}, 0},
                           {{0x0f, 0xbe}, 0}, {{0x0f, 0xbf}, 0}};
  for (int op = 0; op < 0x40; op += 8)
    for (int way = 0; way < 4; ++way) all.push_back({{op + way}, 0});
  executor by_processor;
  random_instructions random;
  for (auto& word : data) word = (std::uint64_t{random.below(1u << 31)} << 33) ^ random.below(1u << 31);
  for (const form& f : all) {
    int executed = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto bytes = random.of(f.opcode, f.immediate);
      by_processor.set(bytes);
      registers mine = random.state();
      mine.code = by_processor.place();
      registers its = mine;
      if (!weir::threads::execute(mine)) continue;
      ++executed;
      ASSERT_EQ(mine.code, its.code + bytes.size()) << std::hex << f.opcode[0];
      by_processor.run(its);
      const bool is_logic = f.opcode[0] >= 0x80 || (f.opcode[0] & 0x38) == 8 || (f.opcode[0] & 0x38) == 0x20 || (f.opcode[0] & 0x38) == 0x30;
      const bool shifts = f.opcode[0] == 0xc1 || f.opcode[0] == 0xd1;
      const std::uint64_t told = arithmetic & ~(is_logic ? adjust : 0) & ~(shifts && f.opcode[0] == 0xc1 ? 2048u : 0u);
      std::string text;
      for (const unsigned char b : bytes) text += " " + std::to_string(b);
      for (int r = 0; r < 16; ++r) {
        if (r != rsp) { ASSERT_EQ(mine.all[r], its.all[r]) << "register " << r << text; }
      }
      ASSERT_EQ(mine.flags & told, its.flags & told) << text;
    }
    // adc and sbb use the carry; an opcode may have other forms
    const bool is_known = (f.opcode[0] & 0x38) != 0x10 && (f.opcode[0] & 0x38) != 0x18;
    if (f.opcode[0] >= 0x40 || is_known) { EXPECT_GT(executed, 20) << std::hex << f.opcode[0]; }
  }
}

// Loops as compilers make them. Each is called as a function of the address that it polls, and of a limit.
#define LOOP(name, code)                                             \
  extern "C" std::uint64_t name(const void*, std::uint64_t);         \
  asm(".text\n.balign 16\n.type " #name ", @function\n" #name ":\n" code "\nret\n.size " #name ", . - " #name "\n");

// Until a word is not zero.
LOOP(polls_with_pause, "1: pause; mov (%rdi), %rax; test %rax, %rax; je 1b")
LOOP(polls_in_memory, "1: nop; nop; nop; cmpq $0, (%rdi); je 1b")
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
  for (const loop each : {polls_with_pause, polls_in_memory, polls_until_time, polls_counted, polls_behind})
    for (int n = 2; n < 30; ++n) {
      std::uint64_t word = 0;
      const std::uint64_t* const pointer = &word;
      const void* const at = each == polls_behind ? static_cast<const void*>(&pointer) : &word;
      ucontext_t in = interrupted(each, at, far_away, n);
      weir::threads::polling its;
      ASSERT_TRUE(its.begin(in)) << n;
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(its.goes_round()) << n;
      word = 7;
      // Once more, if the word had been read before the interruption.
      EXPECT_FALSE(its.goes_round() && its.goes_round()) << n;
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
    while (its.goes_round()) ++rounds;
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

}  // namespace

#endif
