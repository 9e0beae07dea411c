#include "threads/polling/polling.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <span>
#include <tuple>

#include "threads/polling/seen_memory.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/support/code.hpp"

namespace weir::threads {

std::uint64_t hash_of_registers(const ucontext_t& in) {
  std::uint64_t place = 0;
  const auto add = [&](std::uint64_t word) { place = (place ^ word) * 0x9e3779b97f4a7c15u; };
#if defined(__x86_64__)
  const auto& general = in.uc_mcontext.gregs;
  for (const int which : {REG_RAX, REG_RBX, REG_RBP, REG_RSP, REG_RSI, REG_RDI, REG_RCX, REG_RDX,  //
                          REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15})
    add(static_cast<std::uint64_t>(general[which]));
  if (const auto* const vectors = in.uc_mcontext.fpregs)
    for (const auto& each : vectors->_xmm)
      for (const auto word : each.element) add(word);
#elif defined(__aarch64__)
  for (const auto word : in.uc_mcontext.regs) add(word);
  add(in.uc_mcontext.sp);
  // The first record that the kernel writes.
  const auto& vectors = *reinterpret_cast<const fpsimd_context*>(in.uc_mcontext.__reserved);
  if (vectors.head.magic == FPSIMD_MAGIC)
    for (const auto each : vectors.vregs) {
      add(static_cast<std::uint64_t>(each));
      add(static_cast<std::uint64_t>(each >> 64));
    }
#else
  (void)in;
#endif
  return place;
}

namespace {
// relaxed: hints.
constexpr std::size_t remembered = 16;
constinit std::atomic<std::uintptr_t> spins_at[remembered]{};
constinit std::atomic<unsigned> next_instruction{0};
}  // namespace

bool is_known_to_spin(std::uintptr_t code) {
  return std::ranges::any_of(spins_at, [code](const auto& each) { return each.load(std::memory_order_relaxed) == code; });
}
void note_spin(std::uintptr_t code) {
  if (is_known_to_spin(code)) return;
  const unsigned to = next_instruction.fetch_add(1, std::memory_order_relaxed) % remembered;
  spins_at[to].store(code, std::memory_order_relaxed);
}

#if defined(__x86_64__)

namespace {

constexpr unsigned most_instructions = 48;  // of an iteration

// The order of ucontext_t.
constexpr int in_context[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

registers registers_in(const ucontext_t& in) {
  const auto& saved = in.uc_mcontext.gregs;
  registers state;
  for (unsigned r = 0; r < 16; ++r) state.general[r] = static_cast<std::uint64_t>(saved[in_context[r]]);
  state.flags = static_cast<std::uint64_t>(saved[REG_EFL]);
  state.code = static_cast<std::uintptr_t>(saved[REG_RIP]);
  return state;
}

// How many bytes a `pause` has that the code begins with, or a nop that others follow; 0: it is neither.
unsigned idle_bytes_of(std::span<const std::uint8_t> code) {
  if (code.size() < 5) return 0;
  if (code[0] == 0xf3 && code[1] == 0x90) return 2;
  return std::ranges::all_of(code.first(5), [](std::uint8_t byte) { return byte == 0x90; }) ? 1 : 0;
}

/// Would the code come to the same instruction again, having only polled?
bool only_polls(const registers& from, seen_memory& memory) {
  registers now = from;
  usage used;
  unsigned n = 0;
  do {
    if (!execute(now, memory, &used)) return false;
  } while (now.code != from.code && ++n < most_instructions);
  if (now.code != from.code || used.loads == 0) return false;
  if (used.flags_read_first && ((now.flags ^ from.flags) & arithmetic_flags) != 0) return false;
  for (unsigned r = 0; r < 16; ++r) {
    const std::uint32_t bit = 1u << r;
    if ((used.read_first & bit) == 0 || now.general[r] == from.general[r]) continue;
    if ((used.changed & bit) != 0 || (used.in_address & bit) != 0) return false;
  }
  return true;
}

}  // namespace

/// The loop is known by the lowest instruction of an iteration.
void polling::find_ends(const registers& from, seen_memory& memory) {
  registers around = from;
  first_ = last_ = from.code;
  may_replace_ = {};
  bool is_replaced = false;
  unsigned n = 0;
  do {
    const std::uintptr_t at = around.code;
    const auto code = memory.code_at(at);
    is_replaced |= leads_to_trampoline(at, code);
    usage used;
    if (!execute(around, memory, &used)) return;
    const unsigned idle = idle_bytes_of(code);
    replaceable candidate{at, {}, idle != 0 ? idle : static_cast<unsigned>(around.code - at), used.distance_at, idle != 0};
    // A jump has one byte that is not part of the distance.
    const bool may = !used.jumps && (candidate.does_nothing || (candidate.bytes >= 2 && candidate.bytes <= longest_replaced));
    // Of several that are alike, the lowest: all bodies choose the same one, wherever they have been found.
    const auto rank = [](const replaceable& r) { return std::tuple(r.does_nothing, r.bytes, ~r.at); };
    if (may && (may_replace_.at == 0 || rank(candidate) > rank(may_replace_))) {
      std::ranges::copy(code.first(candidate.bytes), candidate.text);
      may_replace_ = candidate;
    }
    first_ = std::min(first_, around.code);
    last_ = std::max(last_, around.code);
  } while (around.code != from.code && ++n < most_instructions);
  if (is_replaced) may_replace_ = {};  // with two, a body would never come to the same one again at once
}

bool polling::is_found_in(const ucontext_t& in) {
  registers now = registers_in(in);
  const std::uintptr_t interrupted = now.code;
  if (is_own_code(interrupted)) return false;
  seen_memory memory(interrupted);
  // Where the loop has just read the time, a register differs each time. It does not where the loop begins anew.
  for (unsigned n = 0; n < most_instructions; ++n) {
    if (only_polls(now, memory)) {
      find_ends(now, memory);
      return true;
    }
    if (!execute(now, memory) || now.code == interrupted) break;
  }
  return false;
}

std::uintptr_t pause_at(std::uintptr_t code) {
  // By the system, because code need not be readable. The two bytes before `code` may be part of another instruction.
  unsigned char bytes[4] = {};
  const auto is_pause = [&bytes](unsigned at) { return bytes[at] == 0xf3 && bytes[at + 1] == 0x90; };
  if (!copy_by_system(bytes, code - 2, sizeof bytes)) return 0;
  return is_pause(2) ? code : is_pause(0) ? code - 2 : 0;
}

#else

bool polling::is_found_in(const ucontext_t&) { return false; }
std::uintptr_t pause_at(std::uintptr_t) { return 0; }

#endif

}  // namespace weir::threads
