// The kernel's state of a thread: the thread number, the blocked signals, the alternate stack, affinity, credentials, and
// processor time.
//
// A member that changes this state does so in its own kernel thread, and stays there, so virtual processors do not change. A
// member that asks for its processor time moves there, too; the time counts from then on. Signal masks change so often that each
// body has a mask of its own, which moves with the body (processor.cpp). The number of a member is that of its own kernel thread.
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <ucontext.h>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "machine/heard.hpp"
#include "threads/allocator.hpp"
#include "threads/calls.hpp"
#include "threads/pool.hpp"
#include "threads/program_threads.hpp"
#include "threads/pause_traps.hpp"
#include "threads/posix/futexes.hpp"
#include "threads/posix/shared_memory.hpp"
#include "threads/signals.hpp"
#include "threads/sleepers.hpp"
#include "threads/threads.hpp"
#include "threads/tick.hpp"

namespace {

using weir::threads::next_function;
using weir::threads::signal_mask;
using weir::threads::this_body;
using weir::threads::without_ticks;

signal_mask as_mask(const sigset_t& set) {
  signal_mask its;
  std::memcpy(&its, &set, sizeof its);
  return its;
}

/// The thread's mask has been changed in this way, from `before`. In a handler `before` differs from the mask that the body has
/// recorded, and the end of the handler restores the recorded mask.
void note_change(int how, signal_mask set, signal_mask before) {
  weir::threads::body* const mine = weir::threads::body_with_mask();
  if (mine == nullptr || before != mine->mask() || weir::threads::is_in_child()) return;
  const signal_mask now = how == SIG_BLOCK ? before | set : how == SIG_UNBLOCK ? before & ~set : set;
  weir::threads::note_mask(now & weir::threads::all_signals);
}

template <class Next>
int change_mask(Next* next, int how, const sigset_t* set, sigset_t* old) {
  if (set == nullptr || weir::threads::body_with_mask() == nullptr) return next(how, set, old);
  const sigset_t wanted = *set;  // `old` may be the same
  sigset_t before;
  const int result = next(how, set, &before);
  if (result != 0) return result;
  if (old != nullptr) *old = before;
  note_change(how, as_mask(wanted), as_mask(before));
  return 0;
}

/// Surrounds a function of the C library that changes the thread's mask by a system call of its own.
class noted_change {
 public:
  noted_change() : before_(weir::threads::body_with_mask() != nullptr ? now() : 0) {}
  noted_change(const noted_change&) = delete;
  ~noted_change() {
    if (weir::threads::body_with_mask() != nullptr) note_change(SIG_SETMASK, now(), before_);
  }

 private:
  static signal_mask now() {
    signal_mask its = 0;
    weir::raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, weir::as_argument(&its), sizeof its);
    return its;
  }
  const signal_mask before_;
};

/// The mask will be this one, even if the present handler runs with another.
void note_mask_to_be(const sigset_t& set) {
  if (weir::threads::body_with_mask() == nullptr || weir::threads::is_in_child()) return;
  weir::threads::note_mask(as_mask(set) & weir::threads::all_signals);
}
void note_jump(const __jmp_buf_tag* to) {
  if (to->__mask_was_saved == 0) return;
  sigset_t its;
  std::memcpy(&its, &to->__saved_mask, sizeof its);
  note_mask_to_be(its);
}

bool is_me(pid_t thread) {
  const weir::threads::body* const own = this_body != nullptr ? this_body : weir::threads::own_body_of_thread();
  return thread == 0 || (own != nullptr && thread == own->id);
}
bool is_me(pthread_t thread) { return pthread_equal(thread, pthread_self()) != 0; }

/// Is a signal blocked that a member sends to itself? Such a signal is pending where the member runs, and must be found there.
bool is_blocked(int number) {
  return this_body != nullptr && number > 0 && number <= 64 && (this_body->mask() >> (number - 1) & 1) != 0;
}

/// Sends to one thread, which is named by its pthread_t or number. Returns an error, or 0; -1: proceed as without members.
template <class Thread>
int send_to_member(Thread thread, const siginfo_t& why) {
  if (why.si_signo <= 0 || why.si_signo > 64 || is_me(thread)) return -1;
  bool is_left = false;
  for (;;) {
    {
      weir::threads::claimant by;
      weir::threads::body* const to = by.body_of(thread);
      if (to == nullptr) return is_left ? 0 : -1;
      if (const int error = send(by, *to, why, is_left); error != weir::threads::send_again) return error;
    }
    weir::yield_to_kernel();
  }
}
template <class Thread>
int send_to_member(Thread thread, int number) {
  return send_to_member(thread, weir::threads::signal_of_mine(number));
}
siginfo_t signal_with_value(int number, sigval with) {
  siginfo_t why = weir::threads::signal_of_mine(number);
  why.si_code = SI_QUEUE;
  why.si_value = with;
  return why;
}
/// As a system call returns it.
int as_result(int error) { return error == 0 ? 0 : (errno = error, -1); }

void pin_if(bool mine) {
  if (mine) weir::threads::pin();
}
/// Another thread is about to change the kernel's state of that thread. A member should first return to its own kernel thread. A
/// member that computes for long returns later, and finds the change there.
template <class Thread>
void call_home(Thread thread) {
  if (is_me(thread)) return weir::threads::pin();
  constexpr double most_us = 50e3;
  const std::uint64_t begun = weir::native::ticks();
  const auto comes_still = [&](bool first) {
    weir::threads::claimant by;
    weir::threads::body* const its = by.body_of(thread);
    if (its == nullptr || its->where() == nullptr || !its->may(weir::threads::moves::to_stand_in)) return false;
    if (first) {
      its->call_home();
      weir::threads::wake_body(*its);
    }
    return its->is_called_home();
  };
  for (bool first = true; comes_still(first); first = false) {
    if (static_cast<double>(weir::native::ticks() - begun) > most_us * weir::native::ticks_per_microsecond()) return;
    weir::native::yield();
  }
}

/// The same for a thread that has no body yet, but may get one.
void stays_home(pid_t thread) {
  if (is_me(thread) && weir::threads::own_body_of_thread() == nullptr) weir::threads::keep_in_kernel();
}
void stays_home(pthread_t thread) {
  if (is_me(thread)) return stays_home(0);
  weir::threads::claimant by;
  if (by.body_of(thread) == nullptr) by.call_home(thread);
}

/// Is this the clock of the calling thread's processor time, also in the form of a number [clock_getcpuclockid(3): negative]?
inline bool is_my_time(clockid_t clock) {
  if (clock >= 0) [[likely]] return clock == CLOCK_THREAD_CPUTIME_ID;
  constexpr clockid_t per_thread = 4;
  return (clock & per_thread) != 0 && is_me(static_cast<pid_t>(~(clock >> 3)));
}
bool is_mine(clockid_t clock, const sigevent* how) {
  return (how != nullptr && how->sigev_notify == SIGEV_THREAD_ID) || is_my_time(clock);
}

/// The mask that the program means. The one with which the process began is remembered first: where this library is preloaded, the
/// constructor of a libgomp that is loaded, too, may bind the first thread before the constructors of this library run.
weir::heard::affinity_mask meant(size_t bytes, const cpu_set_t* mask) {
  (void)weir::affinity();
  return weir::heard::meant({bytes, mask});
}

/// With the zero at its end, as the kernel keeps it.
constexpr std::size_t name_bytes = 16;
/// The name of the kernel thread with this number. Returns an error, or 0.
int name_of(pid_t thread, char* to, std::size_t n) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/comm", static_cast<int>(thread));
  const long file = weir::raw_call(SYS_openat, AT_FDCWD, weir::as_argument(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return static_cast<int>(-file);
  const long got = weir::raw_call(SYS_read, file, weir::as_argument(to), static_cast<long>(n - 1));
  weir::raw_call(SYS_close, file);
  if (got <= 0) return got < 0 ? static_cast<int>(-got) : EIO;
  to[got - (to[got - 1] == '\n' ? 1 : 0)] = 0;
  return 0;
}

/// ARCH_REQ_XCOMP_PERM, XTILE_DATA: the process may use tiles from now on.
bool gives_tiles(int what, unsigned long which) { return what == 0x1023 && which == 18; }

}  // namespace

BEFORE(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* old)) {
  return change_mask(next_pthread_sigmask.get(), how, set, old);
}
BEFORE(int, sigprocmask, (int how, const sigset_t* set, sigset_t* old)) {
  return change_mask(next_sigprocmask.get(), how, set, old);
}
// The older ones.
#define CHANGES_MASK(name, parameters, arguments) \
  BEFORE(int, name, parameters) {                 \
    auto* const next = next_##name.get();         \
    const noted_change meanwhile;                 \
    return next arguments;                        \
  }
CHANGES_MASK(sighold, (int which), (which))
CHANGES_MASK(sigrelse, (int which), (which))
CHANGES_MASK(sigblock, (int which), (which))
CHANGES_MASK(sigsetmask, (int to), (to))
// Jumps, mostly out of a handler, that restore a saved mask.
#define JUMPS(name)                                                      \
  BEFORE(void, name, (__jmp_buf_tag * to, int value)) {                  \
    note_jump(to);                                                       \
    next_##name.get()(to, value);                                        \
  }
JUMPS(longjmp)
JUMPS(_longjmp)
JUMPS(siglongjmp)
JUMPS(__longjmp_chk)
BEFORE(int, setcontext, (const ucontext_t* to)) {
  note_mask_to_be(to->uc_sigmask);
  return next_setcontext.get()(to);
}
BEFORE(int, swapcontext, (ucontext_t* from, const ucontext_t* to)) {
  note_mask_to_be(to->uc_sigmask);
  return next_swapcontext.get()(from, to);
}
BEFORE(pid_t, gettid, ()) {
  const weir::threads::body* const me = this_body;
  return me != nullptr ? me->id : static_cast<pid_t>(weir::raw_call(SYS_gettid));
}

/// If `which` holds, the member goes on in its own kernel thread, for good.
#define CHANGES_THREAD(result, name, parameters, which, arguments) \
  BEFORE(result, name, parameters) {                               \
    pin_if(which);                                                 \
    return next_##name.get() arguments;                            \
  }

/// The same for a thread that the caller names.
#define CHANGES_A_THREAD(name, parameters, thread, arguments) \
  BEFORE(int, name, parameters) {                             \
    call_home(thread);                                        \
    return next_##name.get() arguments;                       \
  }

CHANGES_THREAD(int, sigaltstack, (const stack_t* to, stack_t* old), to != nullptr, (to, old))
BEFORE(int, sched_setaffinity, (pid_t t, size_t n, const cpu_set_t* to)) {
  call_home(t);
  stays_home(t);
  const auto its = meant(n, to);
  return next_sched_setaffinity.get()(t, its.bytes, its.set);
}
BEFORE(int, pthread_setaffinity_np, (pthread_t t, size_t n, const cpu_set_t* to)) {
  call_home(t);
  stays_home(t);
  const auto its = meant(n, to);
  return next_pthread_setaffinity_np.get()(t, its.bytes, its.set);
}
CHANGES_A_THREAD(sched_setscheduler, (pid_t t, int how, const sched_param* to), t, (t, how, to))
CHANGES_A_THREAD(sched_setparam, (pid_t t, const sched_param* to), t, (t, to))
BEFORE(int, pthread_setschedparam, (pthread_t t, int how, const sched_param* to)) {
  call_home(t);
  stays_home(t);
  return next_pthread_setschedparam.get()(t, how, to);
}
CHANGES_A_THREAD(pthread_setschedprio, (pthread_t t, int to), t, (t, to))
BEFORE(int, setpriority, (int of, id_t which, int to)) {
  if (of == PRIO_PROCESS) call_home(static_cast<pid_t>(which));
  return next_setpriority.get()(of, which, to);
}
CHANGES_THREAD(int, nice, (int by), true, (by))
// Threads name themselves when they begin. One that is in its own kernel thread may leave that again, unlike after other changes.
BEFORE(int, pthread_setname_np, (pthread_t t, const char* to)) {
  if (this_body != nullptr || !is_me(t)) call_home(t);
  return next_pthread_setname_np.get()(t, to);
}
BEFORE(int, pthread_getname_np, (pthread_t t, char* to, size_t n)) {
  if (this_body == nullptr || !is_me(t) || n < name_bytes) return next_pthread_getname_np.get()(t, to, n);
  return name_of(this_body->id, to, n);
}
CHANGES_THREAD(int, setfsuid, (uid_t to), true, (to))
CHANGES_THREAD(int, setfsgid, (gid_t to), true, (to))
CHANGES_THREAD(int, setuid, (uid_t to), true, (to))
CHANGES_THREAD(int, seteuid, (uid_t to), true, (to))
CHANGES_THREAD(int, setreuid, (uid_t r, uid_t e), true, (r, e))
CHANGES_THREAD(int, setresuid, (uid_t r, uid_t e, uid_t s), true, (r, e, s))
CHANGES_THREAD(int, setgid, (gid_t to), true, (to))
CHANGES_THREAD(int, setegid, (gid_t to), true, (to))
CHANGES_THREAD(int, setregid, (gid_t r, gid_t e), true, (r, e))
CHANGES_THREAD(int, setresgid, (gid_t r, gid_t e, gid_t s), true, (r, e, s))
CHANGES_THREAD(int, setgroups, (size_t n, const gid_t* to), true, (n, to))
CHANGES_THREAD(int, initgroups, (const char* of, gid_t with), true, (of, with))
CHANGES_THREAD(int, capset, (void* of, const void* to), true, (of, to))
CHANGES_THREAD(int, personality, (unsigned long to), to != 0xffffffff, (to))
CHANGES_THREAD(int, unshare, (int what), true, (what))
CHANGES_THREAD(int, setns, (int f, int what), true, (f, what))
#if defined(__x86_64__)
CHANGES_THREAD(int, iopl, (int to), true, (to))
CHANGES_THREAD(int, ioperm, (unsigned long from, unsigned long n, int on), true, (from, n, on))
#endif
// The thread that traces is the only one that may ask for more.
CHANGES_THREAD(long, ptrace, (int what, pid_t whom, void* at, void* with), true, (what, whom, at, with))
CHANGES_THREAD(int, pkey_alloc, (unsigned how, unsigned rights), true, (how, rights))
CHANGES_THREAD(int, pkey_set, (int key, unsigned rights), true, (key, rights))
CHANGES_THREAD(int, pkey_get, (int key), true, (key))
// A thread that is to be told of a file by a signal.
#define OWNS_FILE(name)                                                                       \
  BEFORE(int, name, (int file, int what, ...)) {                                              \
    va_list rest;                                                                             \
    va_start(rest, what);                                                                     \
    void* const how = va_arg(rest, void*);                                                    \
    va_end(rest);                                                                             \
    if (what == F_SETOWN_EX && how != nullptr) [[unlikely]] {                                 \
      const auto& owner = *static_cast<const f_owner_ex*>(how);                               \
      if (owner.type == F_OWNER_TID) call_home(owner.pid);                                    \
    }                                                                                         \
    return next_##name.get()(file, what, how);                                                \
  }
OWNS_FILE(fcntl)
OWNS_FILE(fcntl64)
CHANGES_THREAD(int, clock_gettime, (clockid_t clock, timespec* to), is_my_time(clock), (clock, to))
namespace {
// Handlers call these functions, too, so the names are looked up early.
[[gnu::constructor]] void when_loaded() {
  next_clock_gettime.get();
  next_fcntl.get();
  next_fcntl64.get();
}
}  // namespace
CHANGES_THREAD(int, pthread_getcpuclockid, (pthread_t t, clockid_t* to), is_me(t), (t, to))
CHANGES_THREAD(int, getrusage, (int of, rusage* to), of == RUSAGE_THREAD, (of, to))
CHANGES_THREAD(int, timer_create, (clockid_t clock, sigevent* how, timer_t* to), is_mine(clock, how), (clock, how, to))
CHANGES_THREAD(int, raise, (int number), is_blocked(number), (number))
BEFORE(int, pthread_kill, (pthread_t t, int number)) {
  if (is_me(t))
    pin_if(is_blocked(number));
  else if (const int error = send_to_member(t, number); error >= 0)
    return error;
  return next_pthread_kill.get()(t, number);
}
// The C library sends the signal to the thread's own number, even if a virtual processor drives the thread.
BEFORE(int, pthread_sigqueue, (pthread_t t, int number, const sigval with)) {
  const siginfo_t why = signal_with_value(number, with);
  if (!is_me(t)) {
    const int error = send_to_member(t, why);
    return error >= 0 ? error : next_pthread_sigqueue.get()(t, number, with);
  }
  if (this_body == nullptr) return next_pthread_sigqueue.get()(t, number, with);
  pin_if(is_blocked(number));
  const long where_it_is = weir::raw_call(SYS_gettid);
  return static_cast<int>(-weir::raw_call(SYS_rt_tgsigqueueinfo, getpid(), where_it_is, number, weir::as_argument(&why)));
}
BEFORE(int, tgkill, (pid_t group, pid_t t, int number)) {
  if (is_me(t))
    return pin_if(is_blocked(number)), pthread_kill(pthread_self(), number);
  if (group == getpid())
    if (const int error = send_to_member(t, number); error >= 0) return as_result(error);
  return next_tgkill.get()(group, t, number);
}
// Signals for this thread alone wait for its own kernel thread.
CHANGES_THREAD(int, sigwait, (const sigset_t* of, int* which), true, (of, which))
CHANGES_THREAD(int, sigwaitinfo, (const sigset_t* of, siginfo_t* to), true, (of, to))
CHANGES_THREAD(int, sigtimedwait, (const sigset_t* of, siginfo_t* to, const timespec* most), true, (of, to, most))
CHANGES_THREAD(int, sigpending, (sigset_t* to), true, (to))
CHANGES_THREAD(int, signalfd, (int f, const sigset_t* of, int how), true, (f, of, how))
#define PAUSES(name)                               \
  BEFORE(int, name, (int which)) {                 \
    weir::threads::pin();                          \
    auto* const next = next_##name.get();          \
    const without_ticks meanwhile;                 \
    return next(which);                            \
  }
PAUSES(sigpause)
PAUSES(__xpg_sigpause)

// The kernel knows the owner of such a mutex by its kernel thread: a member must be there.
BEFORE(int, pthread_mutexattr_setprotocol, (pthread_mutexattr_t* of, int to)) {
  if (to == PTHREAD_PRIO_INHERIT) weir::threads::pin_all();
  return next_pthread_mutexattr_setprotocol.get()(of, to);
}

BEFORE(int, arch_prctl, (int what, unsigned long to)) {
  pin_if(true);
  const int result = next_arch_prctl.get()(what, to);
  if (result == 0 && gives_tiles(what, to)) weir::threads::tiles_are_permitted();
  return result;
}

// Most operations of prctl set or query the state of one thread.
BEFORE(int, prctl, (int what, ...)) {
  va_list rest;
  va_start(rest, what);
  unsigned long a[4];
  for (auto& each : a) each = va_arg(rest, unsigned long);
  va_end(rest);
  pin_if(what != PR_SET_NAME || this_body != nullptr);
  return next_prctl.get()(what, a[0], a[1], a[2], a[3]);
}

BEFORE(long, syscall, (long number, ...)) {
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (auto& each : a) each = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_futex && !weir::threads::is_called_by_allocator(__builtin_return_address(0)))
    return weir::threads::futex_for_members(a);
  const auto named = static_cast<pid_t>(a[0]), second_named = static_cast<pid_t>(a[1]);
  switch (number) {
    case SYS_tgkill:
      if (named != getpid()) break;
      if (const int error = send_to_member(second_named, static_cast<int>(a[2])); error >= 0) return as_result(error);
      break;
    case SYS_rt_tgsigqueueinfo: {
      if (named != getpid() || a[3] == 0) break;
      siginfo_t why = *reinterpret_cast<const siginfo_t*>(a[3]);
      if (why.si_code >= 0 || why.si_code == SI_TKILL) break;  // the kernel refuses
      why.si_signo = static_cast<int>(a[2]);
      if (const int error = send_to_member(second_named, why); error >= 0) return as_result(error);
      break;
    }
    case SYS_sched_setaffinity: case SYS_sched_setscheduler: case SYS_sched_setparam: case SYS_sched_setattr:
      call_home(named);
      break;
    case SYS_setpriority:
      if (named == PRIO_PROCESS) call_home(second_named);
      break;
    default: break;
  }
  if (this_body != nullptr) [[unlikely]] {
    switch (number) {
      case SYS_gettid: return this_body->id;
      case SYS_tgkill:
        if (a[0] == getpid() && a[1] == this_body->id) return raise(static_cast<int>(a[2]));
        break;
      case SYS_clock_gettime: pin_if(is_my_time(static_cast<clockid_t>(a[0]))); break;
      case SYS_getrusage: pin_if(static_cast<int>(a[0]) == RUSAGE_THREAD); break;
      case SYS_timer_create: pin_if(is_mine(static_cast<clockid_t>(a[0]), reinterpret_cast<const sigevent*>(a[1]))); break;
      case SYS_prctl: case SYS_setfsuid: case SYS_setfsgid: case SYS_setuid: case SYS_setgid: case SYS_setreuid:
      case SYS_setregid: case SYS_setresuid: case SYS_setresgid: case SYS_setgroups: case SYS_capset: case SYS_sigaltstack:
      case SYS_unshare: case SYS_setns: case SYS_ioprio_set: case SYS_set_mempolicy: case SYS_rt_sigtimedwait:
      case SYS_rt_sigpending: case SYS_rt_sigprocmask: case SYS_seccomp: case SYS_keyctl: case SYS_set_robust_list:
      case SYS_rseq: case SYS_pkey_alloc: case SYS_ptrace: case SYS_personality: case SYS_signalfd4:
#ifdef SYS_arch_prctl
      case SYS_arch_prctl:
#endif
        pin_if(true);
        break;
      default: break;
    }
  }
  auto* const next = next_syscall.get();
  const without_ticks meanwhile;
  if (number == SYS_rt_sigaction && a[0] == SIGTRAP && a[1] != 0) weir::threads::give_up_traps();
  if (number == SYS_rt_sigaction && a[1] != 0) weir::threads::all_handlers_count.store(false, std::memory_order_relaxed);
  const weir::threads::without_tick_handler also(number == SYS_rt_sigaction ? static_cast<int>(a[0]) : 0);
  if (number == SYS_sched_setaffinity) {
    const auto its = meant(static_cast<std::size_t>(a[1]), reinterpret_cast<const cpu_set_t*>(a[2]));
    a[1] = static_cast<long>(its.bytes);
    a[2] = weir::as_argument(its.set);
  }
  const long result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (number == SYS_sched_getaffinity && result > 0 && weir::heard::processors() && weir::heard::is_of_this_process(named))
    weir::heard::reduce(static_cast<std::size_t>(result), reinterpret_cast<cpu_set_t*>(a[2]));
  if (result != -1 && (number == SYS_mmap || number == SYS_mremap || number == SYS_shmat)) weir::threads::note_mapping(number, a[3]);
#ifdef SYS_arch_prctl
  if (number == SYS_arch_prctl && result == 0 && gives_tiles(static_cast<int>(a[0]), static_cast<unsigned long>(a[1])))
    weir::threads::tiles_are_permitted();
#endif
  return result;
}
