// What a handler learns of the code that its signal has interrupted.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include <signal.h>
#include <ucontext.h>

#include "system/raw_call.hpp"
#include "threads/scheduling/body.hpp"

namespace weir::threads {

struct place {
  std::uintptr_t code = 0, stack = 0;
};
inline place place_of(const ucontext_t& in) {
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(in.uc_mcontext.gregs[REG_RIP]), static_cast<std::uintptr_t>(in.uc_mcontext.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {in.uc_mcontext.pc, in.uc_mcontext.sp};
#else
  return {};
#endif
}
inline std::uintptr_t code_of(const ucontext_t& in) { return place_of(in).code; }

/// The signals that the code has blocked.
inline signal_mask mask_of(const ucontext_t& in) {
  signal_mask mask;
  std::memcpy(&mask, &in.uc_sigmask, sizeof mask);
  return mask;
}

inline bool is_on_alternate_stack(const ucontext_t& in) {
  const auto stack = reinterpret_cast<std::uintptr_t>(in.uc_stack.ss_sp);
  return (in.uc_stack.ss_flags & SS_DISABLE) == 0 && place_of(in).stack - stack < in.uc_stack.ss_size;
}

/// At the end of a handler whose body may have moved: the return sets the alternate stack of the kernel thread, so it must be the
/// present one.
inline void return_with_present_stack(ucontext_t& in) {
  sigaltstack(nullptr, &in.uc_stack);
  // Programs are not told of Weir's.
  if ((in.uc_stack.ss_flags & SS_DISABLE) != 0) raw_call(SYS_sigaltstack, 0, as_argument(&in.uc_stack));
}

/// Has the kernel put the handler on an alternate stack, while the code ran on another one?
bool begins_beside(const ucontext_t& in);
/// Is there room for it below the code, so that it can begin again there? Not on the stack of a fibre.
bool has_room_below(const ucontext_t& in);
/// The handler begins again, on the stack of the code, as if the kernel had put it there: whoever switches there takes along what
/// is on the stack. x86-64.
[[noreturn]] void begin_again_below(void (*handler)(int, siginfo_t*, void*), int number, const siginfo_t* why,
                                    const ucontext_t& in);

/// Is the next instruction that behind a system call, or a system call itself? x86-64: Linux leaves the address behind the call
/// in rcx, unless the processor delivers events by FRED, which keeps rcx. Then the code is read. Elsewhere: no.
enum class found_by { registers, code };
bool is_behind_system_call(const ucontext_t& in, found_by how);
bool is_before_system_call(const ucontext_t& in, found_by how);
/// How it is found on this machine.
extern constinit found_by calls_are_found;

/// Has the signal ended a system call, or come just before one?
inline bool is_at_system_call(const ucontext_t& in) {
  return is_behind_system_call(in, calls_are_found) || is_before_system_call(in, calls_are_found);
}
/// The number of the system call at this place, if the code before it loads a constant, as the functions of the C library do
/// until version 2.40: the kernel does not tell handlers. x86-64.
std::optional<long> number_of_call_at(std::uintptr_t call);
/// In the handler of a signal that has come to a call which nobody has announced: if the call would fail for this reason, the
/// thread makes it again when the handler returns, unless the program has handlers of signals. A time limit may begin again. The
/// system does this itself for some calls [signal(7), SA_RESTART].
void repeat_interrupted(ucontext_t& in);

/// Does the body run without a handler, an alternate stack, or another signal mask than its own?
inline bool is_plain(const body& me, const ucontext_t& in) {
  return mask_of(in) == me.mask() && !is_on_alternate_stack(in);
}

}  // namespace weir::threads
