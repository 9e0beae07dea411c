// Instructions that are executed in a body's place have the effect that the processor gives them, or are refused.
#include "threads/polling/interpreter.hpp"

#include <cstring>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <x86intrin.h>

#include "native_execution.hpp"
#include "random_instructions.hpp"
#include "threads/polling/seen_memory.hpp"

namespace {

using weir::threads::arithmetic_flags, weir::threads::registers, weir::threads::seen_memory, weir::threads::usage;

constexpr unsigned rax = 0, rcx = 1, rdx = 2, rsp = 4, rsi = 6, rdi = 7;
constexpr std::uint64_t adjust = 16, overflow = 2048;

std::size_t opcode_at(const instruction_bytes& code) {
  std::size_t at = 0;
  while (code[at] == 0x66 || code[at] == 0xf3 || code[at] == 0xf0 || (code[at] & 0xf0) == 0x40) ++at;
  return at;
}
struct jump {
  std::size_t bytes = 0;  // 0: it is none
  std::int32_t distance = 0;
};
jump as_jump(const instruction_bytes& code) {
  const std::size_t at = opcode_at(code);
  if ((code[at] & 0xf0) == 0x70 || code[at] == 0xeb) return {at + 2, static_cast<std::int8_t>(code[at + 1])};
  jump far{code[at] == 0xe9 ? at + 5 : code[at] == 0x0f && (code[at + 1] & 0xf0) == 0x80 ? at + 6 : 0};
  if (far.bytes != 0) std::memcpy(&far.distance, &code[far.bytes - 4], 4);
  return far;
}
/// The adjust flag after AND, OR, XOR, TEST, SHL and SHR, and the overflow flag after the last two, unless they shift by one
/// [Intel SDM, 2, "Flags Affected" of each].
std::uint64_t undefined_flags(const instruction_bytes& code) {
  const std::size_t at = opcode_at(code);
  const unsigned op = code[at], group = code[at + 1 < code.size() ? at + 1 : at] >> 3 & 7;
  const auto is_logical = [](unsigned which) { return which == 1 || which == 4 || which == 6; };
  if (op == 0xd1) return adjust;
  if (op == 0xc1) {
    const bool is_64 = at > 0 && (code[at - 1] & 0xf8) == 0x48;
    return (code.back() & (is_64 ? 63 : 31)) == 1 ? adjust : adjust | overflow;
  }
  if (op >= 0x80 && op <= 0x83) return is_logical(group) ? adjust : 0;
  if (op < 0x40) return op != 0x0f && is_logical(op >> 3) ? adjust : 0;
  return op == 0x84 || op == 0x85 || op == 0xa8 || op == 0xa9 || op == 0xf6 || op == 0xf7 ? adjust : 0;
}

bool reads_time(const instruction_bytes& code) {
  const std::size_t at = opcode_at(code);
  return code.size() > at + 1 && code[at] == 0x0f && (code[at + 1] == 0x31 || code[at + 1] == 0x01);
}

class Interpreter : public testing::Test {
 protected:
  enum class outcome { refused, right, skipped, wrong };
  /// What it loads is read anew each time.
  static bool execute(registers& state, usage* used = nullptr) {
    seen_memory memory(state.code);
    return weir::threads::execute(state, memory, used);
  }
  /// Executes the instruction with which the text begins, both ways. `by_traps`: slower, but they tell exactly where it leads.
  outcome compare(instruction_bytes text, registers from, bool by_traps) {
    from.code = native_.place();
    native_.put(text);
    registers executed = from;
    seen_memory memory(from.code);
    usage used;
    const bool is_known = weir::threads::execute(executed, memory, &used);
    native_.remove();
    if (!is_known) {
      EXPECT_EQ(std::memcmp(&executed, &from, sizeof executed), 0) << "refused, but changed: " << as_hex(text);
      return outcome::refused;
    }
    for (const auto& each : memory.words())
      if (!native_.is_data(each.at, each.bytes)) return outcome::skipped;
    const jump as = as_jump(text);
    const std::size_t length = as.bytes != 0 ? as.bytes : executed.code - from.code;
    for (const std::uintptr_t next : {executed.code, from.code + length + static_cast<std::uintptr_t>(as.distance)})
      if (as.bytes != 0 && !native_.is_exit(next, length)) return outcome::skipped;
    if (length == 0 || length > text.size()) {
      ADD_FAILURE() << "of " << length << " bytes: " << as_hex(text);
      return outcome::wrong;
    }
    text.resize(length);
    native_.put(text);
    const registers expected = native_.executed(from, by_traps ? 0 : executed.code);
    native_.remove();

    std::ostringstream wrong;
    wrong << std::hex;
    if (expected.code != executed.code)
      wrong << "; goes on by " << executed.code - from.code << ", not " << expected.code - from.code;
    const std::uint64_t defined = arithmetic_flags & ~undefined_flags(text);
    if (((expected.flags ^ executed.flags) & defined) != 0)
      wrong << "; flags " << (executed.flags & defined) << ", not " << (expected.flags & defined);
    for (unsigned r = 0; r < 16; ++r)
      if (expected.general[r] != executed.general[r] && !(reads_time(text) && r <= rdx))
        wrong << "; register " << r << " " << executed.general[r] << ", not " << expected.general[r];
    if (executed.general[rsp] != from.general[rsp]) wrong << "; writes rsp";
    if (wrong.str().empty()) return outcome::right;
    ADD_FAILURE() << as_hex(text) << wrong.str();
    return outcome::wrong;
  }
  void fill_data() {
    for (std::size_t i = 0; i < native_execution::data_bytes; i += 8) {
      const std::uint64_t drawn = random_.value();
      std::memcpy(native_.data() + i, &drawn, 8);
    }
  }
  /// Registers that are addresses of data, and small ones.
  registers addresses() {
    registers state = random_.state();
    for (auto& each : state.general)
      if (random_.below(4) != 0)
        each = random_.below(2) == 0 ? random_.below(16) : native_.at_data() + 1024 + random_.below(2048);
    return state;
  }
  /// The instructions one after another.
  usage used_by(const std::string& text, registers& with) {
    const instruction_bytes code = of_hex(text);
    native_.put(code);
    with.code = native_.place();
    usage used;
    bool executes = true;
    while (executes && with.code != native_.place() + code.size()) executes = execute(with, &used);
    EXPECT_TRUE(executes) << text;
    native_.remove();
    return used;
  }

  native_execution native_;
  static inline unsigned repeats = 0;  // by --gtest_repeat, other instructions each time
  random_instructions random_{repeats++};
};

TEST_F(Interpreter, EachFormIsExecutedAsByTheProcessor) {
  for (const form& each : known_forms()) {
    int right[2] = {};  // without memory, with memory
    for (int i = 0; i < 2000; ++i) {
      if (i % 1000 == 0) fill_data();
      const auto drawn = random_.of(each, native_.place(), native_.at_data(), native_execution::data_bytes);
      const outcome came = compare(drawn.text, drawn.with, i % 100 == 0);
      ASSERT_NE(came, outcome::wrong);
      if (came == outcome::right) ++right[drawn.has_memory ? 1 : 0];
    }
    for (const bool memory : {false, true}) {
      const bool is_known = each.operands.find_first_of(memory ? "m" : "rx") != std::string::npos;
      EXPECT_TRUE(is_known ? right[memory] > 20 : right[memory] == 0) << as_hex(each.opcode) << "memory " << memory;
    }
  }
}

TEST_F(Interpreter, RandomBytesAreRefusedOrExecutedAsByTheProcessor) {
  constexpr std::uint8_t prefixes[] = {0x66, 0x66, 0xf3, 0xf3, 0xf2, 0xf0, 0x67, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};
  constexpr int random_cases = 60'000;
  const auto forms = known_forms();
  int right = 0, refused = 0;
  for (int i = 0; i < random_cases; ++i) {
    if (i % 1000 == 0) fill_data();
    instruction_bytes text;
    for (unsigned n = random_.below(4); n > 0; --n)
      text.push_back(random_.below(2) == 0 ? prefixes[random_.below(std::size(prefixes))]
                                           : static_cast<std::uint8_t>(0x40 | random_.below(16)));
    const auto& opcode = forms[random_.below(static_cast<unsigned>(forms.size()))].opcode;
    if (random_.below(4) != 0) text.insert(text.end(), opcode.begin(), opcode.end());
    while (text.size() < native_execution::longest)
      text.push_back(static_cast<std::uint8_t>(random_.below(3) == 0 ? 0 : random_.below(256)));
    const outcome came = compare(text, addresses(), true);
    ASSERT_NE(came, outcome::wrong);
    right += came == outcome::right;
    refused += came == outcome::refused;
  }
  EXPECT_GT(right, random_cases / 10);
  EXPECT_GT(refused, random_cases / 10);
}

TEST_F(Interpreter, RefusesWhatItDoesNotKnow) {
  const char* const unknown[] = {
      // what writes memory
      "01 07", "00 07", "29 07", "31 07", "21 07", "09 07", "83 07 01", "80 07 01", "81 07 1 0 0 0", "48 89 07", "88 07",
      "c6 07 01", "c7 07 1 0 0 0", "ff 07", "ff 0f", "fe 07", "d1 27", "c1 27 02", "86 07", "87 07", "0f b1 0f", "0f c1 07",
      "0f c3 07", "a3 0 0 0 0 0 0 0 0", "f0 ff 07", "f0 01 07", "f0 0f b1 0f", "f0 83 0c 24 01", "f0 83 04 24 01",
      "f0 83 24 24 00", "f0 83 34 24 00", "f0 83 0f 00", "f0 83 0c 04 00", "f0 41 83 0c 24 00", "f0 09 04 24",
      "f0 66 83 0c 24 00", "83 0c 24 00", "aa", "f3 aa", "f3 48 a5", "a4", "0f 11 07", "66 0f 7f 07", "f7 17", "f7 1f",
      // calls, the stack, the system, jumps by registers and memory
      "e8 0 0 0 0", "ff d0", "ff 17", "ff e0", "3e ff e0", "ff 27", "c3", "f3 c3", "c2 8 0", "50", "58", "41 57", "68 1 0 0 0",
      "6a 01", "ff 37", "8f 07", "9c", "9d", "c9", "0f 05", "0f 0b", "cc", "cd 80", "f4", "e3 02", "e2 02", "e0 02", "0f a2",
      "c7 f8 0 0 0 0", "c6 f8 0",
      // the stack's pointer
      "5c", "54", "89 c4", "48 89 fc", "48 8b 27", "48 83 c4 08", "48 83 ec 08", "48 8d 64 24 08", "bc 1 0 0 0", "66 bc 1 0",
      "40 b4 01", "40 80 c4 01", "48 ff c4", "ff cc", "48 01 c4", "0f b6 27", "48 63 27", "48 d1 e4", "48 c7 c4 1 0 0 0",
      "40 8a 27", "48 33 27",
      // prefixes: of segments, addresses, repetitions, in other orders, too many
      "64 48 8b 07", "65 48 8b 07", "64 8b 04 25 0 0 0 0", "2e 8b 07", "3e 8b 07", "67 8b 07", "67 48 8d 07", "f2 8b 07",
      "f3 8b 07", "f2 90", "f0 90", "f3 01 c8", "f3 eb 00", "f2 eb 00", "48 66 8b 07", "48 f3 90", "48 48 8b 07", "48 40 8b 07",
      "66 66 66 66 90", "f3 f3 f3 f3 f3 90",
      // jumps of other sizes on other processors, and repetitions that are reserved
      "66 eb 00", "66 74 00", "66 75 00", "66 e9 0 0 0 0", "66 0f 84 0 0 0 0", "66 0f 85 0 0 0 0", "f3 0f 84 0 0 0 0", "f3 74 00",
      "f3 0f 31", "f3 0f 01 f9", "f3 0f 1f 00", "f3 e9 0 0 0 0",
      // arithmetic
      "11 c8", "13 07", "19 c8", "1b 07", "14 01", "15 1 0 0 0", "83 d0 01", "83 d8 01", "80 d0 01", "81 d8 1 0 0 0", "f7 d0",
      "f7 d8", "f7 e1", "f7 e9", "f7 f1", "f7 f9", "f6 d8", "f6 e1", "f7 c8 1 0 0 0", "0f af c1", "6b c1 03", "69 c1 3 0 0 0",
      "d1 c0", "d1 c8", "d1 d0", "d1 d8", "d1 f0", "d1 f8", "c1 c0 03", "c1 f8 03", "c1 f0 03", "c1 e0 00", "c1 e0 20",
      "48 c1 e0 40", "66 c1 e0 10", "66 c1 e8 1f", "d3 e0", "d0 e0", "c0 e0 02", "fe c0", "fe c8", "f3 0f b8 c1", "f3 0f bc c1",
      "0f bc c1", "0f c8", "98", "99", "48 98", "f5", "f8", "f9", "fc", "9e", "9f",
      // moves, bits, conditions, vectors
      "88 c8", "b0 01", "8a e1", "8a 27", "84 e1", "00 e1", "80 fc 01", "f6 c4 01", "0f b6 c4", "63 07", "63 c1", "8c c0",
      "8e c0", "91", "41 90", "49 90", "f3 41 90", "87 c8", "86 c8", "a0 0 0 0 0 0 0 0 0", "a1 0 0 0 0 0 0 0 0", "0f 44 c1",
      "0f 4f 07", "0f 94 c0", "0f a3 c8", "0f ba e0 03", "0f ba 27 03", "0f 6e c0", "66 0f 6e c0", "66 0f ef c0", "0f 57 c0",
      "f3 0f 10 07", "c5 f8 77", "c4 e2 78 f7 c0", "62 f1 7c 48 28 07", "d9 07", "db e3", "9b", "d7", "ac", "f3 a6", "0f 18 07",
      "0f 0d 07",
      // neighbours of what is known
      "8d c0", "0f 1e fa", "f3 0f 1e fb", "f3 0f 1e c8", "f3 48 0f 1e c8", "0f 01 f8", "0f 01 d0", "66 0f ae f0", "66 0f ae f8",
      "f3 0f ae e8", "f3 0f ae f0", "0f ae 07", "0f ae 3f", "0f ae e9", "0f 20 c0", "82 f8 01", "06", "0e", "27", "37", "60",
      "62 07", "c4 07", "d6", "ea", "9a"};
  fill_data();
  for (const char* const text : unknown)
    for (int i = 0; i < 20; ++i) {
      registers from = addresses();
      for (const unsigned r : {rdi, rsp}) from.general[r] = native_.at_data() + 1024 + 8 * random_.below(64);
      from.code = native_.place();
      instruction_bytes padded = of_hex(text);
      padded.resize(native_execution::longest, 0);
      native_.put(padded);
      registers executed = from;
      EXPECT_FALSE(execute(executed)) << text;
      EXPECT_EQ(std::memcmp(&executed, &from, sizeof executed), 0) << text;
      if (HasFailure()) return;
    }
}

TEST_F(Interpreter, FencesOnTheStackAreExecutedAsByTheProcessor) {
  for (const char* const text : {"f0 83 0c 24 00", "f0 48 83 0c 24 00", "f0 83 4c 24 c0 00", "f0 80 0c 24 00",
                                 "f0 81 0c 24 0 0 0 0", "f0 83 04 24 00", "f0 48 83 04 24 00", "f0 83 44 24 f8 00"})
    for (int i = 0; i < 200; ++i) {
      fill_data();
      if (i % 4 == 0) std::memset(native_.data() + 1024, 0, 512);
      registers from = addresses();
      from.general[rsp] = native_.at_data() + 1024 + 8 * random_.below(64);
      ASSERT_EQ(compare(of_hex(text), from, false), outcome::right) << text;
      usage used;
      native_.put(of_hex(text));
      from.code = native_.place();
      ASSERT_TRUE(execute(from, &used));
      native_.remove();
      EXPECT_EQ(used.loads, 0u) << "nobody else writes there";
    }
}

template <typename... Registers>
constexpr std::uint32_t bits(Registers... numbers) {
  return (0u | ... | (1u << numbers));
}

TEST_F(Interpreter, TellsWhatInstructionsUse) {
  struct {
    const char* text;
    std::uint32_t read_first, written, changed, in_address;
    const char* rest;  // w: flags written; r: flags read first; j: jumps; d: has a distance; l: loads
  } const rows[] = {
      {"48 8b 07", bits(rdi), bits(rax), bits(rax), bits(rdi), "l"},
      {"8a 47 03", bits(rdi, rax), bits(rax), bits(rax), bits(rdi), "l"},
      {"0f b7 47 02", bits(rdi), bits(rax), bits(rax), bits(rdi), "l"},
      {"83 7c 8f 04 00", bits(rdi, rcx), 0, 0, bits(rdi, rcx), "wl"},
      {"66 83 3f 00", bits(rdi), 0, 0, bits(rdi), "wl"},
      {"03 07", bits(rdi, rax), bits(rax), bits(rax), bits(rdi), "wl"},
      {"ff c1", bits(rcx), bits(rcx), 0, 0, "w"},
      {"ff c9", bits(rcx), bits(rcx), 0, 0, "w"},
      {"48 83 c1 08", bits(rcx), bits(rcx), 0, 0, "w"},
      {"48 2d 1 0 0 0", bits(rax), bits(rax), 0, 0, "w"},
      {"83 e1 08", bits(rcx), bits(rcx), bits(rcx), 0, "w"},
      {"48 01 c1", bits(rax, rcx), bits(rcx), bits(rcx), 0, "w"},
      {"d1 e0", bits(rax), bits(rax), bits(rax), 0, "w"},
      {"c1 e0 21", bits(rax), bits(rax), bits(rax), 0, "w"},  // by one
      {"85 c0", bits(rax), 0, 0, 0, "w"},
      {"48 8d 77 08", bits(rdi), bits(rsi), bits(rsi), bits(rdi), ""},
      {"48 8d 05 0 0 0 0", 0, bits(rax), bits(rax), 0, "d"},
      {"83 3d 0 0 0 0 0", 0, 0, 0, 0, "dwl"},
      {"b8 5 0 0 0", 0, bits(rax), bits(rax), 0, ""},
      {"66 b8 5 0", bits(rax), bits(rax), bits(rax), 0, ""},
      {"89 c8", bits(rcx), bits(rax), bits(rax), 0, ""},
      {"74 00", 0, 0, 0, 0, "rj"},
      {"eb 00", 0, 0, 0, 0, "j"},
      {"0f 31", 0, bits(rax, rdx), bits(rax, rdx), 0, ""},
      {"0f 01 f9", 0, bits(rax, rcx, rdx), bits(rax, rcx, rdx), 0, ""},
      {"f3 90", 0, 0, 0, 0, ""},
      {"0f 1f 44 0 0", 0, 0, 0, 0, ""},
      {"0f 1f 05 0 0 0 0", 0, 0, 0, 0, ""},
      // Several: what has been written is not read first; each condition reads flags of its own.
      {"48 8b 07 48 89 c1", bits(rdi), bits(rax, rcx), bits(rax, rcx), bits(rdi), "l"},
      {"85 c0 74 00", bits(rax), 0, 0, 0, "wj"},
      {"ff c1 74 00", bits(rcx), bits(rcx), 0, 0, "wj"},
      {"ff c1 7e 00", bits(rcx), bits(rcx), 0, 0, "wj"},
      {"ff c1 72 00", bits(rcx), bits(rcx), 0, 0, "wrj"},
      {"ff c9 76 00", bits(rcx), bits(rcx), 0, 0, "wrj"},
      {"85 c0 ff c9 76 00", bits(rax, rcx), bits(rcx), 0, 0, "wj"},
      {"ff c1 83 c1 01", bits(rcx), bits(rcx), 0, 0, "w"},
      {"ff c1 8d 09", bits(rcx), bits(rcx), bits(rcx), bits(rcx), "w"}};
  fill_data();
  for (const auto& each : rows) {
    registers with = random_.state();
    with.general[rdi] = native_.at_data() + 256;
    with.general[rcx] = 3;
    const usage used = used_by(each.text, with);
    EXPECT_EQ(used.read_first, each.read_first) << each.text;
    EXPECT_EQ(used.written, each.written) << each.text;
    EXPECT_EQ(used.changed, each.changed) << each.text;
    EXPECT_EQ(used.in_address, each.in_address) << each.text;
    const auto is_told = [&](char what) { return std::strchr(each.rest, what) != nullptr; };
    EXPECT_EQ(used.flags_written != 0, is_told('w')) << each.text;
    EXPECT_EQ(used.flags_read_first, is_told('r')) << each.text;
    EXPECT_EQ(used.jumps, is_told('j')) << each.text;
    EXPECT_EQ(used.distance_at != 0, is_told('d')) << each.text;
    EXPECT_EQ(used.loads, is_told('l') ? 1u : 0u) << each.text;
  }
}

TEST_F(Interpreter, RefusesWhatWouldFault) {
  // mov (%rcx), %esi; mov (%rdx), %eax behind it: the first may be loaded, the second may not
  for (const std::uintptr_t nowhere :
       {std::uintptr_t{0}, native_.at_data() + native_execution::data_bytes - 1, ~std::uintptr_t{0} << 47}) {
    mprotect(native_.data() + native_execution::data_bytes, 4096, PROT_NONE);
    registers from;
    from.general[rcx] = nowhere;
    from.code = native_.place();
    native_.put(of_hex("8b 31"));
    registers state = from;
    EXPECT_FALSE(execute(state));
    EXPECT_EQ(std::memcmp(&state, &from, sizeof state), 0);
    native_.remove();
  }
  registers from;  // no code is there
  registers state = from;
  EXPECT_FALSE(execute(state));
  EXPECT_EQ(std::memcmp(&state, &from, sizeof state), 0);
}

TEST_F(Interpreter, ReadsTheTimeOfTheProcessor) {
  for (const char* const text : {"0f 31", "0f 01 f9"}) {
    registers with = random_.state();
    with.general[rcx] = ~std::uint64_t{0};
    const std::uint64_t before = __rdtsc();
    used_by(text, with);
    const std::uint64_t after = __rdtsc();
    EXPECT_EQ((with.general[rax] | with.general[rdx]) >> 32, 0u);
    const std::uint64_t ticks = with.general[rdx] << 32 | with.general[rax];
    EXPECT_TRUE(before <= ticks && ticks <= after);
    EXPECT_EQ(with.general[rcx], text[3] == '3' ? ~std::uint64_t{0} : 0);
  }
}

}  // namespace

#endif
