#include "threads/preemption/repeatable.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "system/filter.hpp"
#include "threads/polling/decoder.hpp"
#include "threads/scheduling/interrupted.hpp"

namespace weir::threads {

std::optional<blocked_call> blocked_call_of(const char* said) {
  blocked_call its;
  auto& a = its.arguments;
  if (std::sscanf(said, "%ld 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx", &its.number, a, a + 1, a + 2, a + 3, a + 4) != 6) return {};
  return its;
}

#if defined(__x86_64__)

bool may_be_repeated(const blocked_call& its) {
  const auto& a = its.arguments;
  switch (its.number) {
    case SYS_read: case SYS_readv: case SYS_accept: case SYS_accept4: case SYS_wait4: case SYS_waitid: case SYS_flock:
    case SYS_open: case SYS_openat: case SYS_semop: case SYS_msgrcv: case SYS_msgsnd:
      return true;
    // The system counts down the time limit where the caller has it [select(2)].
    case SYS_select: case SYS_pselect6: case SYS_ppoll:
      return true;
    case SYS_poll: case SYS_epoll_wait: case SYS_epoll_pwait:
      return true;
    case SYS_recvfrom: return (a[3] & MSG_WAITALL) == 0;
    case SYS_recvmsg: return (a[2] & MSG_WAITALL) == 0;
    case SYS_fcntl: return a[1] == F_SETLKW || a[1] == F_OFD_SETLKW;
    case SYS_semtimedop: return a[3] == 0;
    case SYS_clock_nanosleep: return !only_sleeps(its);
    case SYS_futex: {
      const auto what = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
      return (what == FUTEX_WAIT && a[3] == 0) || what == FUTEX_WAIT_BITSET;  // until a point in time [futex(2)]
    }
    default: return false;
  }
}

bool only_sleeps(const blocked_call& its) {
  return its.number == SYS_nanosleep || (its.number == SYS_clock_nanosleep && (its.arguments[1] & TIMER_ABSTIME) == 0);
}

namespace {

constexpr greg_t call_bytes = 2;  // `syscall`

bool has_ended_call(const ucontext_t& in) {
  return in.uc_mcontext.gregs[REG_RAX] == -EINTR && is_behind_system_call(in, calls_are_found);
}

/// Does this instruction, of those by which functions load a call's arguments, leave rax alone?
bool loads_argument(const unsigned char* code) {
  const bool has_rex = (code[0] & 0xf0) == 0x40;
  const unsigned rex = has_rex ? code[0] : 0, opcode = code[has_rex], modrm = code[has_rex + 1];
  if ((opcode & 0xf8) == 0xb8) return (opcode & 7) != 0 || (rex & 1) != 0;                             // mov $constant, %reg
  if (opcode == 0x8b) return (modrm & 0x38) != 0 || (rex & 4) != 0;                                    // mov place, %reg
  return (opcode == 0x89 || opcode == 0x31) && modrm >= 0xc0 && ((modrm & 7) != 0 || (rex & 1) != 0);  // mov, xor %reg, %reg
}

}  // namespace

std::optional<long> number_of_call_at(std::uintptr_t call) {
  constexpr std::size_t reach = 32, load = 5;  // mov $number, %eax
  unsigned char code[reach + call_bytes];
  const iovec to{code, sizeof code}, from{reinterpret_cast<void*>(call - reach), sizeof code};
  if (filter::call<SYS_process_vm_readv>(getpid(), as_argument(&to), 1, as_argument(&from), 1) != long{sizeof code}) return {};
  for (std::size_t at = reach - load; at != 0; --at) {
    if (code[at] != 0xb8 || (code[at - 1] & 0xf0) == 0x40) continue;  // it may load r8
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

void repeat_interrupted(ucontext_t& in, long number) {
  if (!has_ended_call(in)) return;
  in.uc_mcontext.gregs[REG_RAX] = number;
  in.uc_mcontext.gregs[REG_RIP] -= call_bytes;
}

// What has failed so has done nothing, but for these two [close(2), connect(2)].
void repeat_interrupted(ucontext_t& in) {
  if (!has_ended_call(in)) return;
  const auto number = number_of_call_at(code_of(in) - call_bytes);
  if (number && *number != SYS_close && *number != SYS_connect) repeat_interrupted(in, *number);
}

#else

// Elsewhere the result of a call takes the place of an argument.
bool may_be_repeated(const blocked_call&) { return false; }
bool only_sleeps(const blocked_call&) { return false; }
void repeat_interrupted(ucontext_t&, long) {}
void repeat_interrupted(ucontext_t&) {}
std::optional<long> number_of_call_at(std::uintptr_t) { return {}; }

#endif

}  // namespace weir::threads
