#include "threads/polling.hpp"

#include <algorithm>
#include <utility>

#include <sys/auxv.h>
#include <sys/uio.h>

#include "machine/raw_call.hpp"
#include "threads/allocator.hpp"

namespace weir::threads {

namespace {
code_range own_code;
[[gnu::constructor]] void when_loaded() {
  own_code = object_with(reinterpret_cast<const void*>(&only_polls));
  if (own_code.has(getauxval(AT_PHDR))) own_code = {};  // the program
}
}  // namespace

bool is_own_code(std::uintptr_t code) { return own_code.has(code); }

#if defined(__x86_64__)

namespace {

constexpr unsigned most_instructions = 48;  // of an iteration
constexpr std::uintptr_t farthest = 64;     // from the instruction where it begins

// The order of ucontext_t.
constexpr int in_context[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

bool is_near(std::uintptr_t code, std::uintptr_t begin) { return code - begin + farthest <= 2 * farthest; }

/// May the code before and after this address be read? It may be for execution only.
bool is_readable(std::uintptr_t code) {
  char bytes[2];
  const iovec to{bytes, sizeof bytes},
      from[2] = {{reinterpret_cast<void*>(code - 2 * farthest), 1}, {reinterpret_cast<void*>(code + 2 * farthest), 1}};
  return raw_call(SYS_process_vm_readv, getpid(), as_argument(&to), 1, as_argument(&from[0]), 2) == 2;
}

bool is_pause(std::uintptr_t code) {
  const auto* const bytes = reinterpret_cast<const volatile std::uint8_t*>(code);
  return bytes[0] == 0xf3 && bytes[1] == 0x90;
}

}  // namespace

bool only_polls(const registers& from) {
  registers now = from;
  usage used;
  unsigned n = 0;
  do {
    if (!is_near(now.code, from.code) || !execute(now, &used)) return false;
  } while (now.code != from.code && ++n < most_instructions);
  if (now.code != from.code || used.loads == 0) return false;
  if (used.flags_read_first && ((now.flags ^ from.flags) & arithmetic_flags) != 0) return false;
  for (unsigned r = 0; r < 16; ++r) {
    const std::uint32_t bit = 1u << r;
    if ((used.read_first & bit) == 0 || now.all[r] == from.all[r]) continue;
    if ((used.changed & bit) != 0 || (used.in_address & bit) != 0) return false;
  }
  return true;
}

/// Goes on to the lowest instruction of the loop, by which the loop is known wherever it has been interrupted.
void polling::find_ends() {
  registers around = now_;
  begun_at_ = first_ = last_ = now_.code;
  pause_ = 0;
  unsigned n = 0;
  do {
    if (is_pause(around.code)) pause_ = around.code;
    if (!execute(around)) return;
    first_ = std::min(first_, around.code);
    last_ = std::max(last_, around.code);
  } while (around.code != now_.code && ++n < most_instructions);
  for (around = now_, n = 0; around.code != first_; ++n)
    if (n == most_instructions || !execute(around)) return;
  if (!only_polls(around)) return;
  now_ = around;
  begun_at_ = first_;
}

bool polling::begin(const ucontext_t& in) {
  is_on_ = has_begun_ = false;
  const auto& all = in.uc_mcontext.gregs;
  for (unsigned r = 0; r < 16; ++r) now_.all[r] = static_cast<std::uint64_t>(all[in_context[r]]);
  now_.flags = static_cast<std::uint64_t>(all[REG_EFL]);
  const std::uintptr_t interrupted = now_.code = static_cast<std::uintptr_t>(all[REG_RIP]);
  if (is_own_code(interrupted) || !is_readable(interrupted)) return false;
  // Where the loop has just read the time, a register differs each time. It does not where the loop begins anew.
  for (unsigned n = 0; n < most_instructions; ++n) {
    if (only_polls(now_)) {
      find_ends();
      return is_on_ = has_begun_ = true;
    }
    if (!execute(now_) || now_.code == interrupted || !is_near(now_.code, interrupted)) break;
  }
  return false;
}

bool polling::goes_round() {
  if (!is_on_) return false;
  unsigned n = 0;
  do {
    if (!execute(now_)) return is_on_ = false;
  } while (now_.code != begun_at_ && now_.code >= first_ && now_.code <= last_ && ++n < most_instructions);
  return is_on_ = now_.code == begun_at_;
}

bool polling::begin_at_pause(const registers& its, std::uintptr_t first, std::uintptr_t last) {
  now_ = its;
  first_ = first;
  last_ = last;
  begun_at_ = now_.code;
  return is_on_ = has_begun_ = only_polls(now_);
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

#else

bool only_polls(const registers&) { return false; }
bool polling::begin(const ucontext_t&) { return false; }
bool polling::goes_round() { return false; }
bool polling::begin_at_pause(const registers&, std::uintptr_t, std::uintptr_t) { return false; }
void polling::end(registers&) {}
void polling::end(ucontext_t&) {}

#endif

}  // namespace weir::threads
