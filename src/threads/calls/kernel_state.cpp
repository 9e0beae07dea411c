// The kernel's state of a thread: the thread number, the alternate stack, affinity, credentials, and processor time.
//
// A member that changes this state does so in its own kernel thread, and stays there, so virtual processors do not change. A
// member that asks for its processor time moves there, too; the time counts from then on. The number of a member is that of its
// own kernel thread.
#include "threads/calls/kernel_state.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#endif

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "system/filter.hpp"
#include "system/fork_page.hpp"
#include "threads/posix/interpose.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/scheduling/sleepers.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

bool is_me(pid_t thread) {
  const body* const own = this_body != nullptr ? this_body : own_body_of_thread();
  return thread == 0 || (own != nullptr && thread == own->id);
}

namespace {

template <class Thread>
void call_home(Thread thread) {
  constexpr double most_us = 50e3;
  const std::uint64_t begun = native::ticks();
  const auto comes_still = [&](bool first) {
    claimant by;
    body* const member = by.body_of(thread);
    if (member == nullptr) return false;
    if (member->where() == nullptr) {
      if (first) member->ask_to_detach();  // it takes no seat then
      return false;
    }
    if (!member->may(moves::to_stand_in)) return false;
    if (first) {
      member->ask_to_detach();
      wake_body(*member);
    }
    return member->is_asked_to_detach();
  };
  for (bool first = true; comes_still(first); first = false) {
    if (static_cast<double>(native::ticks() - begun) > most_us * native::ticks_per_microsecond()) return;
    native::yield();
  }
}

void detach_this_thread() {
  pin();
  if (own_body_of_thread() == nullptr && !is_in_child()) keep_in_kernel();
}

/// The operations of prctl() that concern the whole process. Allocators call some of them, under their locks.
constexpr bool is_for_process(int what) {
  constexpr int names_memory = 0x53564d41;  // PR_SET_VMA
  switch (what) {
    case names_memory:
    case PR_SET_THP_DISABLE:
    case PR_GET_THP_DISABLE:
    case PR_SET_MM:
    case PR_SET_DUMPABLE:
    case PR_GET_DUMPABLE:
    case PR_SET_PTRACER: case PR_SET_CHILD_SUBREAPER: case PR_GET_CHILD_SUBREAPER:
      return true;
    default: return false;
  }
}
constexpr bool is_inherited_prctl(int what) {
  switch (what) {
    case PR_SET_TIMERSLACK: case PR_SET_KEEPCAPS: case PR_SET_SECUREBITS: case PR_CAPBSET_DROP: case PR_CAP_AMBIENT:
    case PR_SET_NO_NEW_PRIVS: case PR_SET_SECCOMP: case PR_SET_SPECULATION_CTRL: case PR_SET_TSC: case PR_MCE_KILL:
      return true;
    default: return false;
  }
}

/// A thread that has just been created has no body yet.
void ask_new_thread_to_detach(pthread_t thread) {
  claimant by;
  if (by.body_of(thread) == nullptr) by.ask_to_detach(thread);
}

}  // namespace

void detach_thread(pid_t thread) {
  const bool is_caller = is_me(thread) || thread == static_cast<pid_t>(raw_call(SYS_gettid));  // also without a body
  is_caller ? detach_this_thread() : call_home(thread);
}
void detach_thread(pthread_t thread) {
  if (is_me(thread)) return detach_this_thread();
  ask_new_thread_to_detach(thread);
  call_home(thread);
}

void expect_inherited_change() {
  if (others_are_there() && !is_in_child()) gives_own_state = true;
  pin();
}
void expect_prctl(int what) {
  if (is_inherited_prctl(what)) return expect_inherited_change();
  pin_if(!is_for_process(what) && (what != PR_SET_NAME || this_body != nullptr));
}
// A thread that sets it before there are other threads is asked again. Otherwise nobody can ask for the threads that there are: a
// child would be one call more that the filter may end the process for.
void note_filter() {
  if (!others_are_there()) filter::forget();
}
// Other threads make calls at any time, so none must be made from before the filter is there.
std::uint32_t expect_filter_for_all() { return filter::make_none(); }
void note_filter_for_all(bool is_there, std::uint32_t expected) {
  if (!is_there) return filter::make_again(expected);
  if (!others_are_there()) return filter::forget();
  pin_all();
}
bool is_inherited_arch_prctl([[maybe_unused]] int what) {
#if defined(__x86_64__)
  return what == ARCH_SET_GS || what == ARCH_SET_CPUID;
#else
  return false;
#endif
}

// The one with which the process began is remembered first: where this library is preloaded, the constructor of a libgomp that is
// loaded, too, may bind the first thread before the constructors of this library run.
visible::affinity_mask meant(size_t bytes, const cpu_set_t* mask) {
  (void)affinity();
  return visible::meant({bytes, mask});
}

}  // namespace weir::threads

namespace {

using weir::threads::as_result;
using weir::threads::detach_thread;
using weir::threads::gives_tiles;
using weir::threads::is_me;
using weir::threads::is_my_time;
using weir::threads::leave_to_kernel;
using weir::threads::meant;
using weir::threads::pin_if;
using weir::threads::this_body;

// The stack moves with a thread of the program from its next seat on. Others stay in their kernel threads, and so does one whose
// stack the kernel takes away while a handler runs.
void expect_alternate_stack(const stack_t& to) {
  constexpr int taken_away_meanwhile = 1 << 31;  // SS_AUTODISARM
  const weir::threads::body* const own = weir::threads::own_body_of_thread();
  const bool may_leave =
      own != nullptr && own->is_adopted && own->held.load(std::memory_order_relaxed) == 0 && !weir::threads::is_in_child();
  if (this_body != nullptr && this_body == own && may_leave) weir::threads::go_to(nullptr);
  pin_if(this_body != nullptr || (to.ss_flags & taken_away_meanwhile) != 0);
  if ((to.ss_flags & SS_DISABLE) == 0 && !weir::threads::has_room_for_message(to.ss_size))
    weir::threads::leave_alternate_stacks_alone();
  weir::threads::note_change_of_alternate_stack();
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

// The child of a fork has the name of the kernel thread that forks. If that is a virtual processor's, the child is to have the
// member's; empty: it has the right one.
constinit thread_local char name_for_child[name_bytes] = {};
void before_fork() {
  const weir::threads::body* const me = this_body;
  const bool is_elsewhere = me != nullptr && me->id != weir::raw_call(SYS_gettid);
  if (!is_elsewhere || name_of(me->id, name_for_child, sizeof name_for_child) != 0) name_for_child[0] = 0;
}
WEIR_RUN_BY_FORKS void begin_in_child() {
  if (name_for_child[0] != 0) weir::raw_call(SYS_prctl, PR_SET_NAME, weir::as_argument(name_for_child));
}
[[gnu::constructor]] void name_children() { pthread_atfork(before_fork, nullptr, begin_in_child); }

}  // namespace

INTERPOSE(pid_t, gettid, ()) {
  const weir::threads::body* const me = this_body;
  const bool is_member = me != nullptr && !weir::threads::is_in_child_on_other_stack();
  return is_member ? me->id : static_cast<pid_t>(weir::raw_call(SYS_gettid));
}

/// As CHANGES_THREAD, for a thread that the caller names, and that may differ from all others then.
#define SCHEDULES_THREAD(name, parameters, thread, arguments) \
  INTERPOSE(int, name, parameters) {                          \
    leave_to_kernel(thread);                                  \
    return next_##name.get() arguments;                       \
  }

INTERPOSE(int, sigaltstack, (const stack_t* to, stack_t* old)) {
  if (to != nullptr) expect_alternate_stack(*to);
  const int result = next_sigaltstack.get()(to, old);
  if (result != 0) return result;
  if (old != nullptr && weir::threads::is_for_sender(*old)) *old = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  if (to != nullptr && (to->ss_flags & SS_DISABLE) != 0) weir::threads::return_to_stack_for_ticks();
  return 0;
}
INTERPOSE(int, sched_setaffinity, (pid_t t, size_t n, const cpu_set_t* to)) {
  leave_to_kernel(t);
  const auto mask = meant(n, to);
  return next_sched_setaffinity.get()(t, mask.bytes, mask.set);
}
INTERPOSE(int, pthread_setaffinity_np, (pthread_t t, size_t n, const cpu_set_t* to)) {
  leave_to_kernel(t);
  const auto mask = meant(n, to);
  return next_pthread_setaffinity_np.get()(t, mask.bytes, mask.set);
}
SCHEDULES_THREAD(sched_setscheduler, (pid_t t, int how, const sched_param* to), t, (t, how, to))
SCHEDULES_THREAD(sched_setparam, (pid_t t, const sched_param* to), t, (t, to))
SCHEDULES_THREAD(pthread_setschedparam, (pthread_t t, int how, const sched_param* to), t, (t, how, to))
SCHEDULES_THREAD(pthread_setschedprio, (pthread_t t, int to), t, (t, to))
SCHEDULES_THREAD(nice, (int by), pid_t{0}, (by))
// Only C libraries from version 2.41 on have it.
INTERPOSE(int, sched_setattr, (pid_t t, void* to, unsigned how)) {
  leave_to_kernel(t);
  if (auto* const next = next_sched_setattr.get()) return next(t, to, how);
  return as_result(static_cast<int>(-weir::raw_call(SYS_sched_setattr, t, weir::as_argument(to), how)));
}
INTERPOSE(int, setpriority, (int of, id_t which, int to)) {
  if (of == PRIO_PROCESS) leave_to_kernel(static_cast<pid_t>(which));
  return next_setpriority.get()(of, which, to);
}
// Threads name themselves when they begin. One that is in its own kernel thread may leave that again, unlike after other changes.
// Another thread changes the name of the own kernel thread, wherever that is.
INTERPOSE(int, pthread_setname_np, (pthread_t t, const char* to)) {
  pin_if(this_body != nullptr && is_me(t));
  return next_pthread_setname_np.get()(t, to);
}
INTERPOSE(int, pthread_getname_np, (pthread_t t, char* to, size_t n)) {
  if (this_body == nullptr || !is_me(t) || n < name_bytes) return next_pthread_getname_np.get()(t, to, n);
  return name_of(this_body->id, to, n);
}
CHANGES_INHERITED(int, setfsuid, (uid_t to), true, (to))
CHANGES_INHERITED(int, setfsgid, (gid_t to), true, (to))
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
CHANGES_INHERITED(int, capset, (void* of, const void* to), true, (of, to))
CHANGES_INHERITED(int, personality, (unsigned long to), to != 0xffffffff, (to))
CHANGES_INHERITED(int, unshare, (int what), true, (what))
CHANGES_INHERITED(int, setns, (int f, int what), true, (f, what))
// Only C libraries from version 2.34 on have it.
INTERPOSE(int, close_range, (unsigned from, unsigned to, int how)) {
  if ((static_cast<unsigned>(how) & weir::threads::unshares_files) != 0) weir::threads::expect_inherited_change();
  if (auto* const next = next_close_range.get()) return next(from, to, how);
  return as_result(static_cast<int>(-weir::raw_call(SYS_close_range, from, to, how)));
}
#if defined(__x86_64__)
CHANGES_INHERITED(int, iopl, (int to), true, (to))
CHANGES_INHERITED(int, ioperm, (unsigned long from, unsigned long n, int on), true, (from, n, on))
#endif
// The thread that traces is the only one that may ask for more.
CHANGES_THREAD(long, ptrace, (int what, pid_t whom, void* at, void* with), true, (what, whom, at, with))
CHANGES_INHERITED(int, pkey_alloc, (unsigned how, unsigned rights), true, (how, rights))
CHANGES_INHERITED(int, pkey_set, (int key, unsigned rights), true, (key, rights))
CHANGES_THREAD(int, pkey_get, (int key), true, (key))
// A thread that is to be told of a file by a signal.
#define OWNS_FILE(name)                                                                       \
  INTERPOSE(int, name, (int file, int what, void* how)) {                                     \
    if (what == F_SETOWN_EX && how != nullptr) [[unlikely]] {                                 \
      const auto& owner = *static_cast<const f_owner_ex*>(how);                               \
      if (owner.type == F_OWNER_TID) detach_thread(owner.pid);                                \
    }                                                                                         \
    return next_##name.get()(file, what, how);                                                \
  }
OWNS_FILE(fcntl)
OWNS_FILE(fcntl64)
// An allocator may call it before this library is initialized, as AddressSanitizer's does, also where dlsym() gives memory back.
INTERPOSE(int, clock_gettime, (clockid_t clock, timespec* to)) {
  pin_if(is_my_time(clock));
  if (auto* const next = next_clock_gettime.if_known()) return next(clock, to);
  return as_result(static_cast<int>(-weir::raw_call(SYS_clock_gettime, clock, weir::as_argument(to))));
}
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
INTERPOSE(int, timer_create, (clockid_t clock, sigevent* how, timer_t* to)) {
  weir::threads::detach_for_timer(clock, how);
  return next_timer_create.get()(clock, how, to);
}
// The kernel knows the owner of such a mutex by its kernel thread: a member must be there.
INTERPOSE(int, pthread_mutexattr_setprotocol, (pthread_mutexattr_t* of, int to)) {
  if (to == PTHREAD_PRIO_INHERIT) weir::threads::pin_all();
  return next_pthread_mutexattr_setprotocol.get()(of, to);
}

INTERPOSE(int, arch_prctl, (int what, unsigned long to)) {
  if (weir::threads::is_inherited_arch_prctl(what)) weir::threads::expect_inherited_change();
  pin_if(true);
  const int result = next_arch_prctl.get()(what, to);
  if (result == 0 && gives_tiles(what, to)) weir::threads::tiles_are_permitted();
  return result;
}

// Most operations of prctl set or query the state of one thread.
INTERPOSE(int, prctl, (int what, unsigned long first, unsigned long second, unsigned long third, unsigned long fourth)) {
  weir::threads::expect_prctl(what);
  const int result = next_prctl.get()(what, first, second, third, fourth);
  if (what == PR_SET_SECCOMP && result == 0) weir::threads::note_filter();
  return result;
}
