#include "threads/preemption/repeatable.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

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

// The instruction `syscall` has two bytes.
void repeat_interrupted(ucontext_t& in, long number) {
  auto& all = in.uc_mcontext.gregs;
  if (all[REG_RAX] != -EINTR || !is_behind_system_call(in, calls_are_found)) return;
  all[REG_RAX] = number;
  all[REG_RIP] -= 2;
}

#else

// Elsewhere the result of a call takes the place of an argument.
bool may_be_repeated(const blocked_call&) { return false; }
bool only_sleeps(const blocked_call&) { return false; }
void repeat_interrupted(ucontext_t&, long) {}

#endif

}  // namespace weir::threads
