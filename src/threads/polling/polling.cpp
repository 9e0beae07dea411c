#include "threads/polling/polling.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <sys/uio.h>

#include <weir/machine/native.hpp>

#include "machine/filter.hpp"
#include "machine/raw_call.hpp"
#include "threads/polling/trampolines.hpp"

namespace weir::threads {

#if defined(__x86_64__)

namespace {

constexpr unsigned most_instructions = 48;  // of an iteration
constexpr std::uintptr_t farthest = 512;    // from the interrupted instruction
constexpr std::uintptr_t longest = 15;      // instruction
constexpr std::uintptr_t page_bytes = 4096;
// A loop that counts goes on though it reads the same values, but not for ever.
constexpr unsigned looks_for_iteration = 8;
// Neither does one that reads the time. It hears of its end so late: two microseconds, in ticks.
constexpr std::uint64_t ticks_for_iteration = 5'000;

// The order of ucontext_t.
constexpr int in_context[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/// May these bytes be read? Code may be for execution only.
bool are_readable(std::uintptr_t one, std::uintptr_t other) {
  char bytes[2];
  const iovec to{bytes, sizeof bytes}, from[2] = {{reinterpret_cast<void*>(one), 1}, {reinterpret_cast<void*>(other), 1}};
  return filter::call<SYS_process_vm_readv>(getpid(), as_argument(&to), 1, as_argument(&from[0]), 2) == 2;
}
/// Where instructions of a loop with this one may lie; nowhere, if the code cannot be read.
code_range readable_around(std::uintptr_t code) {
  if (const code_range all{code - farthest, code + farthest}; are_readable(all.first, all.last + longest)) return all;
  const code_range page{code / page_bytes * page_bytes, (code / page_bytes + 1) * page_bytes - longest};
  return are_readable(code, code) ? code_range{std::max(page.first, code - farthest), std::min(page.last, code + farthest)} : code_range{};
}

// How many bytes a `pause` has that lies there, or a nop that others follow; 0: it is neither.
unsigned idle_bytes_at(std::uintptr_t code) {
  const auto* const bytes = reinterpret_cast<const volatile std::uint8_t*>(code);
  if (bytes[0] == 0xf3 && bytes[1] == 0x90) return 2;
  return std::all_of(bytes, bytes + 5, [](std::uint8_t its) { return its == 0x90; }) ? 1 : 0;
}

}  // namespace

bool only_polls(const registers& from, code_range within, usage* told) {
  registers now = from;
  usage used;
  unsigned n = 0;
  do {
    if (!within.has(now.code) || !execute(now, &used)) return false;
  } while (now.code != from.code && ++n < most_instructions);
  if (now.code != from.code || used.loads == 0) return false;
  if (used.flags_read_first && ((now.flags ^ from.flags) & arithmetic_flags) != 0) return false;
  for (unsigned r = 0; r < 16; ++r) {
    const std::uint32_t bit = 1u << r;
    if ((used.read_first & bit) == 0 || now.all[r] == from.all[r]) continue;
    if ((used.changed & bit) != 0 || (used.in_address & bit) != 0) return false;
    used.counts = true;
  }
  if (told != nullptr) *told = used;
  return true;
}

void polling::begins(code_range within) {
  usage used;
  loads_ = 0;
  is_on_ = has_begun_ = only_polls(now_, within, &used);
  if (!is_on_ || used.loads > usage::kept_loads) return;
  loads_ = used.loads;
  counts_ = used.counts;
  reads_time_ = used.reads_time;
  iterated_at_ = 0;
  std::ranges::copy(used.first_loads, same_);
}

/// Goes on to the lowest instruction of the loop, by which the loop is known wherever it has been interrupted.
void polling::find_ends(code_range within) {
  registers around = now_;
  begun_at_ = first_ = last_ = now_.code;
  may_replace_ = {};
  bool is_replaced = false;
  unsigned n = 0;
  do {
    if (!within.has(around.code)) return;
    const std::uintptr_t code = around.code;
    is_replaced |= leads_to_trampoline(code);
    usage used;
    if (!execute(around, &used)) return;
    const unsigned idle = idle_bytes_at(code);
    const replaceable its{code, idle != 0 ? idle : static_cast<unsigned>(around.code - code), idle != 0};
    // A jump has one byte that is not part of the distance.
    const bool may = !used.depends_on_place && (its.does_nothing || (its.bytes >= 2 && its.bytes <= longest_replaced));
    // Of several that are alike, the lowest: all bodies choose the same one, wherever they have been found.
    const auto rank = [](const replaceable& r) { return std::tuple(r.does_nothing, r.bytes, ~r.at); };
    if (may && (may_replace_.at == 0 || rank(its) > rank(may_replace_))) may_replace_ = its;
    first_ = std::min(first_, around.code);
    last_ = std::max(last_, around.code);
  } while (around.code != now_.code && ++n < most_instructions);
  if (is_replaced) may_replace_ = {};  // with two, a body would never come to the same one again at once
  for (around = now_, n = 0; around.code != first_; ++n)
    if (n == most_instructions || !within.has(around.code) || !execute(around)) return;
  if (!only_polls(around, within)) return;
  now_ = around;
  begun_at_ = first_;
}

bool polling::begin(const ucontext_t& in) {
  is_on_ = has_begun_ = false;
  const auto& all = in.uc_mcontext.gregs;
  for (unsigned r = 0; r < 16; ++r) now_.all[r] = static_cast<std::uint64_t>(all[in_context[r]]);
  now_.flags = static_cast<std::uint64_t>(all[REG_EFL]);
  const std::uintptr_t interrupted = now_.code = static_cast<std::uintptr_t>(all[REG_RIP]);
  if (is_own_code(interrupted)) return false;
  const code_range within = readable_around(interrupted);
  // Where the loop has just read the time, a register differs each time. It does not where the loop begins anew.
  for (unsigned n = 0; n < most_instructions; ++n) {
    if (only_polls(now_, within)) {
      find_ends(within);
      begins(within);
      return is_on_;
    }
    if (!within.has(now_.code) || !execute(now_) || now_.code == interrupted) break;
  }
  return false;
}

bool polling::polls_again() {
  if (!is_on_) return false;
  bool may_have_ended = counts_ && ++looked_ % looks_for_iteration == 0;
  if (reads_time_)
    if (const std::uint64_t now = native::ticks(); now - iterated_at_ >= ticks_for_iteration) {
      may_have_ended = true;
      iterated_at_ = now;
    }
  if (loads_ != 0 && !may_have_ended && std::all_of(same_, same_ + loads_, is_unchanged)) return true;
  unsigned n = 0;
  do {
    if (!execute(now_)) return is_on_ = false;
  } while (now_.code != begun_at_ && now_.code >= first_ && now_.code <= last_ && ++n < most_instructions);
  return is_on_ = now_.code == begun_at_;
}

bool polling::begin_at_replaced(const registers& its, std::uintptr_t first, std::uintptr_t last) {
  now_ = its;
  first_ = first;
  last_ = last;
  begun_at_ = now_.code;
  begins({first, last + 1});
  return is_on_;
}

void polling::end(registers& its) {
  is_on_ = false;
  if (std::exchange(has_begun_, false)) its = now_;
}

void polling::end(ucontext_t& in) {
  registers its;
  const bool ends = has_begun_;
  end(its);
  if (!ends) return;
  auto& all = in.uc_mcontext.gregs;
  for (unsigned r = 0; r < 16; ++r) all[in_context[r]] = static_cast<greg_t>(its.all[r]);
  all[REG_EFL] = static_cast<greg_t>(its.flags);
  all[REG_RIP] = static_cast<greg_t>(its.code);
}

std::uintptr_t pause_at(std::uintptr_t code) {
  // By the system, because code need not be readable. The two bytes before `code` may be part of another instruction.
  unsigned char bytes[4] = {};
  const iovec to{bytes, sizeof bytes}, from{reinterpret_cast<void*>(code - 2), sizeof bytes};
  const auto is_pause = [&bytes](unsigned at) { return bytes[at] == 0xf3 && bytes[at + 1] == 0x90; };
  if (filter::call<SYS_process_vm_readv>(getpid(), as_argument(&to), 1, as_argument(&from), 1) != sizeof bytes) return 0;
  return is_pause(2) ? code : is_pause(0) ? code - 2 : 0;
}

#else

bool only_polls(const registers&, code_range, usage*) { return false; }
void polling::begins(code_range) {}
bool polling::begin(const ucontext_t&) { return false; }
bool polling::polls_again() { return false; }
bool polling::begin_at_replaced(const registers&, std::uintptr_t, std::uintptr_t) { return false; }
void polling::end(registers&) {}
void polling::end(ucontext_t&) {}
std::uintptr_t pause_at(std::uintptr_t) { return 0; }

#endif

}  // namespace weir::threads
