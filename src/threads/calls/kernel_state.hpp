// What the kernel keeps of a thread, for the functions that change it or ask for it.
#pragma once

#include <cerrno>
#include <cstdint>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>

#include "machine/visible_processors.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/own_state.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

bool is_me(pid_t thread);
inline bool is_me(pthread_t thread) { return pthread_equal(thread, pthread_self()) != 0; }

/// As a system call returns it.
inline int as_result(int error) { return error == 0 ? 0 : (errno = error, -1); }

inline void pin_if(bool needed) {
  if (needed) pin();
}
/// The kernel's state of that thread is about to change. A member should first return to its own kernel thread, and stays there;
/// a thread without a seat takes none. A member that computes for long returns later, and finds the change there.
void detach_thread(pid_t thread);
void detach_thread(pthread_t thread);
/// The same, before a change that threads inherit which that thread creates (own_state.hpp).
template <class Thread>
void leave_to_kernel(Thread thread) {
  if (others_are_there()) note_own_state();
  detach_thread(thread);
}

/// The calling thread is about to change what only itself can change, and what threads inherit that it creates.
void expect_inherited_change();
/// CLOSE_RANGE_UNSHARE, of Linux 5.9: the thread gets a table of files of its own first.
inline constexpr unsigned unshares_files = 2;
/// The same, if the operation of prctl() changes such a thing; or it concerns the thread otherwise.
void expect_prctl(int what);
/// The program has set a filter of system calls: for all threads, or for the calling one and those that it creates.
void note_filter();
/// Called before one is set for all threads, and after that.
std::uint32_t expect_filter_for_all();
void note_filter_for_all(bool is_there, std::uint32_t expected);
/// Does the operation of arch_prctl() change such a thing?
bool is_inherited_arch_prctl(int what);

/// Is this the clock of the calling thread's processor time, also in the form of a number [clock_getcpuclockid(3): negative]?
inline bool is_my_time(clockid_t clock) {
  if (clock >= 0) [[likely]] return clock == CLOCK_THREAD_CPUTIME_ID;
  constexpr clockid_t per_thread = 4;
  return (clock & per_thread) != 0 && is_me(static_cast<pid_t>(~(clock >> 3)));
}
/// A timer may be for a thread, or measure the calling one's time.
inline void detach_for_timer(clockid_t clock, const sigevent* how) {
  if (how != nullptr && how->sigev_notify == SIGEV_THREAD_ID) detach_thread(how->_sigev_un._tid);
  pin_if(is_my_time(clock));
}

/// The mask that the program means.
visible::affinity_mask meant(size_t bytes, const cpu_set_t* mask);

/// ARCH_REQ_XCOMP_PERM, XTILE_DATA: the process may use tiles from now on.
constexpr bool gives_tiles(int what, unsigned long which) { return what == 0x1023 && which == 18; }

}  // namespace weir::threads

/// If `which` holds, the member goes on in its own kernel thread, for good.
#define CHANGES_THREAD(result, name, parameters, which, arguments) \
  IN_OWN_THREAD(INTERPOSE, result, name, parameters, which, arguments)
#define WAITS_IN_THREAD(result, name, parameters, which, arguments) \
  IN_OWN_THREAD(INTERPOSE_WAITING, result, name, parameters, which, arguments)
#define IN_OWN_THREAD(before, result, name, parameters, which, arguments) \
  before(result, name, parameters) {                                      \
    weir::threads::pin_if(which);                                         \
    return next_##name.get() arguments;                                   \
  }
/// If `which` holds, the same, and so do the threads that it creates.
#define CHANGES_INHERITED(result, name, parameters, which, arguments) \
  INTERPOSE(result, name, parameters) {                               \
    if (which) weir::threads::expect_inherited_change();              \
    return next_##name.get() arguments;                               \
  }
