#include "threads/scheduling/interrupted.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "system/filter.hpp"
#include "system/raw_call.hpp"
#include "threads/polling/decoder.hpp"
#include "threads/scheduling/alternate_stacks.hpp"
#include "threads/support/library_signals.hpp"

namespace weir::threads {

constinit found_by calls_are_found = found_by::registers;

#if defined(__x86_64__)

namespace {

// What the kernel puts on the stack [arch/x86/include/asm/sigframe.h, rt_sigframe]: the address of the code that returns, the
// context, the reason, and behind them the state of the floating-point unit, whose length the kernel writes into it
// [uapi/asm/sigcontext.h].
constexpr std::size_t before_context = sizeof(void*), below_stack = 128, alignment = 64, state_without_extension = 512;
struct software_bytes {
  std::uint32_t magic, bytes;
};
constexpr std::size_t software_bytes_at = 464;
constexpr std::uint32_t known_magic = 0x46505853;

std::uintptr_t frame_of(const ucontext_t& in) { return reinterpret_cast<std::uintptr_t>(&in) - before_context; }
std::uintptr_t end_of_frame(const ucontext_t& in, const siginfo_t* why) {
  const auto state = reinterpret_cast<std::uintptr_t>(in.uc_mcontext.fpregs);
  if (state == 0) return reinterpret_cast<std::uintptr_t>(why + 1);
  software_bytes found{};
  std::memcpy(&found, reinterpret_cast<const char*>(state) + software_bytes_at, sizeof found);
  return state + (found.magic == known_magic ? found.bytes : state_without_extension);
}

}  // namespace

bool begins_beside(const ucontext_t& in) {
  const auto stack = reinterpret_cast<std::uintptr_t>(in.uc_stack.ss_sp);
  return (in.uc_stack.ss_flags & SS_DISABLE) == 0 && frame_of(in) - stack < in.uc_stack.ss_size && !is_on_alternate_stack(in);
}

bool has_room_below(const ucontext_t& in) {
  constexpr std::size_t handler = 4096;  // it takes up to 2.5 KiB
  return has_room_on_own_stack(place_of(in).stack, getauxval(AT_MINSIGSTKSZ) + handler);
}

void begin_again_below(void (*handler)(int, siginfo_t*, void*), int number, const siginfo_t* why, const ucontext_t& in) {
  const std::uintptr_t from = frame_of(in), bytes = end_of_frame(in, why) - from;
  std::uintptr_t to = place_of(in).stack - below_stack - bytes;
  to -= (to - from) % alignment;
  const std::uintptr_t by = to - from;
  // Not by memcpy(): a sanitizer's would ask whether the program may write there.
  auto* copied_to = reinterpret_cast<void*>(to);
  const auto* copied_from = reinterpret_cast<const void*>(from);
  std::size_t left = bytes;
  asm volatile("rep movsb" : "+D"(copied_to), "+S"(copied_from), "+c"(left) : : "memory");
  auto& there = *reinterpret_cast<ucontext_t*>(reinterpret_cast<std::uintptr_t>(&in) + by);
  if (there.uc_mcontext.fpregs != nullptr)
    there.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(reinterpret_cast<std::uintptr_t>(there.uc_mcontext.fpregs) + by);
  const std::uintptr_t why_there = reinterpret_cast<std::uintptr_t>(why) + by;
  asm volatile("movq %0, %%rsp\n\tjmpq *%1" : : "r"(to), "r"(handler), "D"(number), "S"(why_there), "d"(&there) : "memory");
  __builtin_unreachable();
}

namespace {

constexpr std::uint16_t call = 0x050f;  // `syscall`
constexpr greg_t call_bytes = 2;

[[gnu::constructor]] void when_loaded() {
  constexpr long mark = 1;
  long number = SYS_getpid, kept = mark;
  asm volatile("syscall" : "+a"(number), "+c"(kept) : : "r11", "memory");
  if (kept == mark) calls_are_found = found_by::code;
}

/// Code may be for execution only, and what lies before it may not be there: then it counts as none.
bool is_call(greg_t code) {
  std::uint16_t text = 0;
  const iovec to{&text, sizeof text}, from{reinterpret_cast<void*>(code), sizeof text};
  const long read = filter::call<SYS_process_vm_readv>(raw_call(SYS_getpid), as_argument(&to), 1, as_argument(&from), 1);
  return read == sizeof text && text == call;
}

}  // namespace

bool is_behind_system_call(const ucontext_t& in, found_by how) {
  const auto& now = in.uc_mcontext.gregs;
  return how == found_by::registers ? now[REG_RCX] == now[REG_RIP] : is_call(now[REG_RIP] - call_bytes);
}
bool is_before_system_call(const ucontext_t& in, found_by how) {
  const auto& now = in.uc_mcontext.gregs;
  return how == found_by::registers ? now[REG_RCX] == now[REG_RIP] + call_bytes : is_call(now[REG_RIP]);
}

namespace {
/// Does this instruction, of those by which functions load a call's arguments, leave rax alone?
bool loads_argument(const unsigned char* code) {
  const bool has_rex = (code[0] & 0xf0) == 0x40;
  const unsigned rex = has_rex ? code[0] : 0, opcode = code[has_rex], modrm = code[has_rex + 1];
  if ((opcode & 0xf8) == 0xb8) return (opcode & 7) != 0 || (rex & 1) != 0;                             // mov $constant, %reg
  if (opcode == 0x8b) return (modrm & 0x38) != 0 || (rex & 4) != 0;                                    // mov place, %reg
  return (opcode == 0x89 || opcode == 0x31) && modrm >= 0xc0 && ((modrm & 7) != 0 || (rex & 1) != 0);  // mov, xor %reg, %reg
}
/// Is the next byte another one than that which loads eax? It loads r8 behind a prefix, and says what is moved behind these.
bool may_take_operand(unsigned char code) {
  return (code & 0xf0) == 0x40 || code == 0x8b || code == 0x89 || code == 0x8d || code == 0x63;
}

/// Does the program handle a signal that may come while a thread is in a system call?
bool has_handlers() {
  return any_handler([](int number, const kernel_sigaction&) {
    const bool is_fault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE || number == SIGTRAP;
    return number != SIGURG && !is_fault;
  });
}

}  // namespace

std::optional<long> number_of_call_at(std::uintptr_t call) {
  constexpr std::size_t reach = 32, load = 5;  // mov $number, %eax
  unsigned char code[reach + call_bytes];
  const iovec to{code, sizeof code}, from{reinterpret_cast<void*>(call - reach), sizeof code};
  if (filter::call<SYS_process_vm_readv>(getpid(), as_argument(&to), 1, as_argument(&from), 1) != long{sizeof code}) return {};
  for (std::size_t at = reach - load; at != 0; --at) {
    if (code[at] != 0xb8 || may_take_operand(code[at - 1])) continue;
    std::size_t next = at + load;
    while (next < reach && loads_argument(code + next)) {
      const unsigned bytes = decode(code + next, reach - next).bytes;
      if (bytes == 0) break;
      next += bytes;
    }
    std::uint32_t number;
    std::memcpy(&number, code + at + 1, sizeof number);
    if (next == reach) return number;
  }
  return {};
}

// What has failed so has done nothing, but for these two [close(2), connect(2)]. A handler of the program may have ended the call
// just before, with this signal pending meanwhile, and the program may need to know: one with handlers expects EINTR.
void repeat_interrupted(ucontext_t& in) {
  auto& now = in.uc_mcontext.gregs;
  if (now[REG_RAX] != -EINTR || !is_behind_system_call(in, calls_are_found) || has_handlers()) return;
  const auto number = number_of_call_at(code_of(in) - call_bytes);
  if (!number || *number == SYS_close || *number == SYS_connect) return;
  now[REG_RAX] = *number;
  now[REG_RIP] -= call_bytes;
}

#else

bool begins_beside(const ucontext_t&) { return false; }
bool has_room_below(const ucontext_t&) { return true; }
void begin_again_below(void (*)(int, siginfo_t*, void*), int, const siginfo_t*, const ucontext_t&) { std::abort(); }
bool is_behind_system_call(const ucontext_t&, found_by) { return false; }
bool is_before_system_call(const ucontext_t&, found_by) { return false; }
std::optional<long> number_of_call_at(std::uintptr_t) { return {}; }
void repeat_interrupted(ucontext_t&) {}

#endif

}  // namespace weir::threads
