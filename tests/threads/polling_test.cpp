// The loops in which bodies are found to poll.
#include "threads/polling/polling.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "threads/polling/seen_memory.hpp"

#if defined(__x86_64__)

#include "native_execution.hpp"
#include "random_instructions.hpp"

namespace {

using weir::threads::registers;

constexpr int rsp = 4;
constexpr std::size_t page_bytes = 4096;

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
     "rdtsc; mov %eax, %ecx; 1: mov (%rdi), %rax; cmp $2, %rax; jae 2f; nop; nop; rdtsc; sub %ecx, %eax; cmp %esi, %eax; jbe 1b; "
     "2:")
// The same, at most this number of times.
LOOP(polls_counted, "xor %eax, %eax; 1: cmpl $0, (%rdi); jne 2f; pause; inc %rax; cmp %rsi, %rax; jb 1b; 2:")
// No polling: the sum of words; of one word again and again; a search; a store; a pause alone; a call.
LOOP(adds_words, "xor %eax, %eax; 1: add (%rdi), %rax; add $8, %rdi; dec %rsi; jne 1b")
LOOP(adds_word, "xor %eax, %eax; 1: add (%rdi), %rax; dec %rsi; jne 1b")
LOOP(searches, "1: cmpq $99, (%rdi); je 2f; add $8, %rdi; dec %rsi; jne 1b; 2:")
LOOP(stores, "1: mov %rsi, (%rdi); dec %rsi; jne 1b")
LOOP(delays, "1: pause; dec %rsi; jne 1b")
LOOP(calls, "1: call polls_with_pause; test %rax, %rax; je 1b")
// Once: the second time round the flags end it, which the first has set.
LOOP(ends_by_flags, "1: je 2f; mov (%rdi), %rax; test %rax, %rax; jmp 1b; 2:")
// By a word that lies behind another one.
LOOP(polls_behind, "1: mov (%rdi), %rdx; pause; mov (%rdx), %rax; test %rax, %rax; je 1b")

// By a word that the code finds by its own place, as Clang compiles a loop by a global variable.
LOOP(polls_global, ".pushsection .bss; polled_word: .skip 8; .popsection; 1: cmpl $0, polled_word(%rip); je 1b")

using loop = std::uint64_t (*)(const void*, std::uint64_t);

ucontext_t context_of(const registers& state) {
  ucontext_t in{};
  constexpr int in_context[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; ++i) in.uc_mcontext.gregs[in_context[i]] = static_cast<greg_t>(state.general[i]);
  in.uc_mcontext.gregs[REG_EFL] = static_cast<greg_t>(state.flags);
  in.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(state.code);
  return in;
}
/// As if a signal had interrupted the code at its n-th instruction.
ucontext_t interrupted(loop polled_by, const void* word, std::uint64_t limit, int n) {
  registers r;
  r.general[7] = reinterpret_cast<std::uint64_t>(word);
  r.general[6] = limit;
  r.general[rsp] = reinterpret_cast<std::uint64_t>(&r);
  r.flags = 2;
  r.code = reinterpret_cast<std::uintptr_t>(polled_by);
  for (int i = 0; i < n; ++i) {
    weir::threads::seen_memory memory(r.code);
    EXPECT_TRUE(weir::threads::execute(r, memory));
  }
  return context_of(r);
}
constexpr std::uint64_t far_away = 1u << 31;

TEST(Polling, IsFoundFromEachPlaceInTheLoop) {
  for (const loop each :
       {polls_with_pause, polls_in_memory, polls_until_time, polls_counted, polls_behind, polls_behind_fence, polls_global}) {
    std::uintptr_t first = 0;
    for (int n = 2; n < 30; ++n) {
      const std::uint64_t word = 0;
      const std::uint64_t* const pointer = &word;
      const void* const at = each == polls_behind ? static_cast<const void*>(&pointer) : &word;
      const ucontext_t in = interrupted(each, at, far_away, n);
      weir::threads::polling detector;
      ASSERT_TRUE(detector.is_found_in(in)) << n;
      EXPECT_LT(detector.first() - reinterpret_cast<std::uintptr_t>(each), 16u);
      if (n == 2) first = detector.first();
      if (each != polls_until_time) { EXPECT_EQ(detector.first(), first) << "by which it is known"; }
      EXPECT_NE(detector.may_replace().at, 0u);
      EXPECT_EQ(std::memcmp(detector.may_replace().text, reinterpret_cast<const void*>(detector.may_replace().at),
                            detector.may_replace().bytes),
                0);
      EXPECT_EQ(detector.may_replace().distance_at, each == polls_global ? 2u : 0u);
    }
  }
}
TEST(Polling, LeavesAloneWhatComputes) {
  std::uint64_t words[64];
  for (std::uint64_t i = 0; i < 64; ++i) words[i] = i + 1;
  for (const loop each : {adds_words, adds_word, searches, stores, delays, calls})
    for (int n = 0; n < 3; ++n) {
      if (n != 0 && (each == stores || each == calls)) continue;
      const ucontext_t in = interrupted(each, words, 64, n);
      weir::threads::polling detector;
      EXPECT_FALSE(detector.is_found_in(in)) << n;
    }
}
TEST(Polling, ALoopThatEndsByTheFlagsOfItsLastRoundIsLeftAlone) {
  const std::uint64_t word = 0;
  for (int n = 0; n < 4; ++n) {
    weir::threads::polling detector;
    EXPECT_FALSE(detector.is_found_in(interrupted(ends_by_flags, &word, 0, n))) << n;
  }
}
TEST(Polling, AWordIsSeenInEachOfItsSizes) {
  const std::uint64_t word = 0x1122334455667788;
  const auto at = reinterpret_cast<std::uintptr_t>(&word);
  weir::threads::seen_memory memory(reinterpret_cast<std::uintptr_t>(polls_with_pause));
  std::uint64_t seen = 0;
  EXPECT_TRUE(memory.read(at, 1, seen) && seen == 0x88);
  EXPECT_TRUE(memory.read(at, 8, seen) && seen == word);
  EXPECT_TRUE(memory.read(at, 4, seen) && seen == 0x55667788);
}
TEST(Polling, AWordThatIsSetAtOnceEndsIt) {
  const std::uint64_t word = 7;
  const ucontext_t in = interrupted(polls_with_pause, &word, 0, 1);
  weir::threads::polling detector;
  EXPECT_FALSE(detector.is_found_in(in));
}
// As garbage collectors stop threads: the loop loads from a page that is protected now, and the program handles the fault.
TEST(Polling, ALoopWhoseLoadFaultsIsLeftAlone) {
  void* const page = mmap(nullptr, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const void* const null = nullptr;
  for (const void* const word : {static_cast<const void*>(page), null}) {
    weir::threads::polling detector;
    EXPECT_FALSE(detector.is_found_in(interrupted(polls_with_pause, word, 0, 0)));
    EXPECT_FALSE(detector.is_found_in(interrupted(polls_behind, &word, 0, 0)));
  }
  munmap(page, page_bytes);
}
TEST(Polling, CodeBesideAPageThatCannotBeReadIsKnown) {
  auto* const pages =
      static_cast<unsigned char*>(mmap(nullptr, 3 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const unsigned char code[] = {0xf3, 0x90, 0x48, 0x83, 0x3f, 0x00, 0x74, 0xf8};  // 1: pause; cmpq $0, (%rdi); je 1b
  const std::uint64_t word = 0;
  const auto is_found = [&](unsigned char* at) {
    std::memcpy(at, code, sizeof code);
    const ucontext_t in = interrupted(reinterpret_cast<loop>(at), &word, 0, 0);
    weir::threads::polling detector;
    return detector.is_found_in(in);
  };
  EXPECT_TRUE(is_found(pages + 2 * page_bytes - 3));  // in two pages
  mprotect(pages, page_bytes, PROT_NONE);
  mprotect(pages + 2 * page_bytes, page_bytes, PROT_NONE);
  EXPECT_TRUE(is_found(pages + page_bytes));
  EXPECT_TRUE(is_found(pages + 2 * page_bytes - sizeof code));
  munmap(pages, 3 * page_bytes);
}

// A page of code is exchanged when a trampoline takes the place of `mov (%rcx), %esi`. Between two reads, the distance of the
// jump would be the operands of the `mov`: (%rax), where nothing is.
TEST(Polling, AnInstructionThatIsReplacedMeanwhileIsOneOfTheTwo) {
  constexpr std::uint8_t texts[2][6] = {{0x8b, 0x31, 0x39, 0xd6, 0x75, 0xfa}, {0xe9, 0x00, 0x39, 0xd6, 0x75, 0xfa}};
  const auto page_with = [](const std::uint8_t (&text)[6]) {
    void* const made = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memcpy(made, text, sizeof text);
    return made;
  };
  void* const page = page_with(texts[0]);
  constexpr unsigned enough = 5'000;
  std::atomic<unsigned> replaced{0};
  std::atomic<bool> ends{false};
  std::thread replaces([&] {
    // relaxed: they only end the loops
    for (unsigned n = 1; !ends.load(std::memory_order_relaxed); replaced.store(n++, std::memory_order_relaxed))
      EXPECT_EQ(mremap(page_with(texts[n % 2]), page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, page), page);
  });
  int seen[2] = {}, others = 0;
  while ((replaced.load(std::memory_order_relaxed) < enough || seen[0] == 0 || seen[1] == 0) && others == 0) {
    const auto at = reinterpret_cast<std::uintptr_t>(page);
    const weir::threads::seen_memory memory(at);
    const auto code = memory.code_at(at);
    // Where the page has no neighbours, it is copied by itself; while it is exchanged, the system waits.
    const auto is = [&](const std::uint8_t (&text)[6]) { return code.size() >= 6 && std::memcmp(code.data(), text, 6) == 0; };
    ++(is(texts[0]) ? seen[0] : is(texts[1]) ? seen[1] : others);
  }
  ends.store(true, std::memory_order_relaxed);
  replaces.join();
  munmap(page, page_bytes);
  EXPECT_EQ(others, 0);
}

// ---- random loops

/// A loop of instructions in a row, and a jump back: by the processor that runs the test, and by the handler's eyes.
class RandomLoops : public testing::Test {
 protected:
  struct made {
    instruction_bytes text;
    std::size_t body = 0;  // bytes before the jump
    registers from;
  };
  made random_loop() {
    static const std::vector<form> forms = [] {
      std::vector<form> forms_found;
      for (const form& each : known_forms()) {
        const unsigned op = each.opcode[0];
        const bool jumps = (op & 0xf0) == 0x70 || op == 0xe9 || op == 0xeb || (op == 0x0f && (each.opcode[1] & 0xf0) == 0x80);
        const bool tells_time = op == 0x0f && (each.opcode[1] == 0x31 || each.opcode[1] == 0x01);
        if (!jumps && !tells_time) forms_found.push_back(each);
      }
      return forms_found;
    }();
    made program;
    for (unsigned n = 1 + random_.below(4); n > 0; --n) {
      const auto next = random_.of(forms[random_.below(static_cast<unsigned>(forms.size()))],
                                   native_.place() + program.text.size(), native_.at_data(), native_execution::data_bytes);
      if (program.text.empty() || next.has_memory) program.from = next.with;  // the last one's operand lies in the data
      program.text.insert(program.text.end(), next.text.begin(), next.text.end());
    }
    program.body = program.text.size();
    program.text.insert(program.text.end(), {0xeb, static_cast<std::uint8_t>(-2 - static_cast<int>(program.body))});
    program.from.code = native_.place();
    return program;
  }
  bool is_found(const made& round) {
    native_.put(round.text);
    weir::threads::polling detector;
    const bool found = detector.is_found_in(context_of(round.from));
    native_.remove(round.text.size());
    return found;
  }
  /// One iteration. Nothing: an instruction faults.
  std::optional<registers> iterated(const made& round, const registers& from) {
    native_.put({round.text.begin(), round.text.begin() + static_cast<std::ptrdiff_t>(round.body)});
    const std::vector<std::uint8_t> before(native_.data(), native_.data() + native_execution::data_bytes);
    registers after = native_.executed(from, 0);
    native_.remove(round.text.size());
    EXPECT_EQ(std::memcmp(before.data(), native_.data(), before.size()), 0) << "writes: " << as_hex(round.text);
    if (after.code != from.code + round.body) return std::nullopt;
    after.code = from.code;
    return after;
  }

  native_execution native_;
  static inline unsigned repeats = 0;  // by --gtest_repeat, other loops each time
  random_instructions random_{repeats++};
};

TEST_F(RandomLoops, HaveTheEffectThatTheProcessorGivesThem) {
  int found = 0, known = 0;
  for (int i = 0; i < 10'000; ++i) {
    for (std::size_t at = 0; i % 1000 == 0 && at < native_execution::data_bytes; ++at)
      native_.data()[at] = static_cast<std::uint8_t>(random_.below(256));
    const made round = random_loop();
    const bool polls = is_found(round);
    native_.put(round.text);
    weir::threads::seen_memory memory(round.from.code);
    registers seen = round.from;
    bool executes = true;
    while (executes && seen.code != round.from.code + round.body) executes = weir::threads::execute(seen, memory);
    native_.remove(round.text.size());
    ASSERT_TRUE(executes || !polls) << as_hex(round.text);
    const auto is_data = [&](const auto& word) { return native_.is_data(word.at, word.bytes); };
    if (!executes || !std::ranges::all_of(memory.words(), is_data)) continue;
    ++known;
    found += polls;
    const auto after = iterated(round, round.from);
    ASSERT_TRUE(after) << as_hex(round.text) << "faults";
    for (unsigned r = 0; r < 16; ++r) ASSERT_EQ(after->general[r], seen.general[r]) << as_hex(round.text) << "register " << r;
  }
  EXPECT_GT(known, 1000);
  EXPECT_GT(found, 100);
}

// Whichever thread is interrupted, its handler may look at memory that others free, protect or change at this moment.
TEST_F(RandomLoops, NeverFaultWhileMemoryIsUnmappedProtectedAndChanged) {
  std::atomic<bool> ends{false};
  std::thread changes([&] {
    random_instructions random{repeats};
    while (!ends.load(std::memory_order_relaxed)) {  // relaxed: it only ends the loop
      switch (random.below(4)) {
        case 0: mprotect(native_.data(), native_execution::data_bytes, PROT_NONE); break;
        case 1:
          mmap(native_.data(), native_execution::data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0);
          break;
        case 2: munmap(native_.data(), native_execution::data_bytes); break;
        default:
          if (mmap(native_.data(), native_execution::data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                   -1, 0) == MAP_FAILED)
            break;
          for (int n = 0; n < 200; ++n)
            native_.data()[random.below(native_execution::data_bytes)] = static_cast<std::uint8_t>(random.below(256));
      }
    }
  });
  int found = 0;
  for (int i = 0; i < 10'000; ++i) found += is_found(random_loop());
  ends.store(true, std::memory_order_relaxed);
  changes.join();
  mmap(native_.data(), native_execution::data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  EXPECT_GT(found, 0);
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
