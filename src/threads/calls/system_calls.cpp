// syscall(): what the program asks of the kernel by number, for a thread's state as by the C library's functions.
#include <cstdint>
#include <optional>

#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/rseq.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include "machine/visible_processors.hpp"
#include "threads/calls/children.hpp"
#include "threads/calls/directed_signals.hpp"
#include "threads/calls/kernel_state.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/posix/interpose.hpp"
#include "threads/posix/futexes.hpp"
#include "threads/posix/shared_memory.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/rseq_areas.hpp"
#include "threads/signals/signals.hpp"
#include "threads/support/code.hpp"
#include "threads/threads.hpp"

using weir::threads::as_result;
using weir::threads::detach_for_timer;
using weir::threads::expect_inherited_change;
using weir::threads::expect_prctl;
using weir::threads::gives_tiles;
using weir::threads::is_inherited_arch_prctl;
using weir::threads::is_me;
using weir::threads::is_my_time;
using weir::threads::leave_to_kernel;
using weir::threads::meant;
using weir::threads::pin_if;
using weir::threads::send_to_member;
using weir::threads::signal_of_mine;
using weir::threads::this_body;
using weir::threads::where_i_get;
using weir::threads::without_ticks;

/// syscall() itself is in children.cpp, and comes here unless its child shares memory. The C library declares it without all
/// these parameters, but passes them alike.
WEIR_INTERPOSE(weir_syscall, long, syscall,
               (long number, long first, long second, long third, long fourth, long fifth, long sixth),
               weir::deferred<&weir_unguarded_syscall>) {
  long a[6] = {first, second, third, fourth, fifth, sixth};
  if (number == SYS_futex && !weir::threads::is_called_by_allocator(__builtin_return_address(0)))
    return weir::threads::futex_for_members(a);
  if (const std::optional<long> done = weir::threads::later_futex(number, a)) return *done;
  const auto named = static_cast<pid_t>(a[0]), second_named = static_cast<pid_t>(a[1]);
  const bool sets_for_all = number == SYS_seccomp && named == SECCOMP_SET_MODE_FILTER && (a[1] & SECCOMP_FILTER_FLAG_TSYNC) != 0;
  std::uint32_t fatal_before = 0;
  switch (number) {
    case SYS_clone: case SYS_clone3:
#ifdef SYS_fork
    case SYS_fork:
#endif
      return weir::threads::make_copy(number, a);
    case SYS_tkill: case SYS_tgkill: {
      long* const thread = number == SYS_tkill ? a : a + 1;
      const auto signal = static_cast<int>(thread[1]);
      if ((number == SYS_tgkill && named != getpid()) || static_cast<pid_t>(*thread) <= 0) break;
      if (is_me(static_cast<pid_t>(*thread)))
        *thread = where_i_get(signal);
      else if (const int error = send_to_member(static_cast<pid_t>(*thread), signal_of_mine(signal)); error >= 0)
        return as_result(error);
      break;
    }
    case SYS_rt_tgsigqueueinfo: {
      if (named != getpid() || second_named <= 0 || a[3] == 0) break;
      if (is_me(second_named)) {
        a[1] = where_i_get(static_cast<int>(a[2]));
        break;
      }
      siginfo_t why = *reinterpret_cast<const siginfo_t*>(a[3]);
      if (why.si_code >= 0 || why.si_code == SI_TKILL) break;  // the kernel refuses
      why.si_signo = static_cast<int>(a[2]);
      if (const int error = send_to_member(second_named, why); error >= 0) return as_result(error);
      break;
    }
    case SYS_sched_setaffinity: case SYS_sched_setscheduler: case SYS_sched_setparam: case SYS_sched_setattr:
      leave_to_kernel(named);
      break;
    case SYS_setpriority:
      if (named == PRIO_PROCESS) leave_to_kernel(second_named);
      break;
    case SYS_ioprio_set: {
      constexpr pid_t of_thread = 1;
      if (named == of_thread) leave_to_kernel(second_named);
      break;
    }
    case SYS_timer_create: detach_for_timer(static_cast<clockid_t>(a[0]), reinterpret_cast<const sigevent*>(a[1])); break;
    case SYS_clock_gettime: pin_if(is_my_time(static_cast<clockid_t>(a[0]))); break;
    case SYS_getrusage: pin_if(named == RUSAGE_THREAD); break;
    case SYS_prctl: expect_prctl(named); break;
    case SYS_sigaltstack: return sigaltstack(reinterpret_cast<const stack_t*>(a[0]), reinterpret_cast<stack_t*>(a[1]));
    // Of the calling thread alone, where the C library's functions change all threads.
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setreuid:
    case SYS_setregid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setgroups:
    case SYS_setfsuid:
    case SYS_setfsgid:
    case SYS_capset:
    case SYS_unshare:
    case SYS_setns:
    case SYS_set_mempolicy:
    case SYS_pkey_alloc:
#ifdef SYS_landlock_restrict_self
    case SYS_landlock_restrict_self:
#endif
#ifdef SYS_ioperm
    case SYS_ioperm: case SYS_iopl:
#endif
      expect_inherited_change();
      break;
    case SYS_seccomp: {
      const bool changes = named == SECCOMP_SET_MODE_STRICT || named == SECCOMP_SET_MODE_FILTER;
      if (changes && (a[1] & SECCOMP_FILTER_FLAG_TSYNC) == 0) expect_inherited_change();
      if (sets_for_all) fatal_before = weir::threads::expect_filter_for_all();
      pin_if(true);
      break;
    }
    case SYS_keyctl:
      if (named == KEYCTL_JOIN_SESSION_KEYRING) expect_inherited_change();
      pin_if(true);
      break;
    case SYS_close_range:
      if ((static_cast<unsigned>(a[2]) & weir::threads::unshares_files) != 0) expect_inherited_change();
      break;
    case SYS_personality:
      if (static_cast<unsigned>(a[0]) != 0xffffffff) expect_inherited_change();
      break;
#ifdef SYS_arch_prctl
    case SYS_arch_prctl:
      if (is_inherited_arch_prctl(named)) expect_inherited_change();
      pin_if(true);
      break;
#endif
    // Not in Weir's own code, where an allocator may ask: the kernel refuses it there.
    case SYS_rseq:
      pin_if(this_body == nullptr || this_body->held.load(std::memory_order_relaxed) == 0);
      weir::threads::takes_area_back();
      break;
    case SYS_set_robust_list: case SYS_set_tid_address: case SYS_ptrace: case SYS_signalfd4:
      pin_if(true);
      break;
    // It counts what one thread does.
    case SYS_perf_event_open:
      if (second_named >= 0 && (a[4] & PERF_FLAG_PID_CGROUP) == 0) weir::threads::detach_thread(second_named);
      break;
    // A ring of which the kernel knows the thread that uses it (IORING_SETUP_SINGLE_ISSUER, of Linux 6.0; io_uring_setup(2): the
    // flags are the third word).
    case SYS_io_uring_setup: {
      constexpr unsigned single_issuer = 1 << 12;
      pin_if(a[1] != 0 && (reinterpret_cast<const unsigned*>(a[1])[2] & single_issuer) != 0);
      break;
    }
    // The C library does not see it.
    case SYS_exit:
      weir::threads::end_program_thread();
      pin_if(true);
      break;
    default: break;
  }
  if (this_body != nullptr) [[unlikely]] {
    switch (number) {
      case SYS_gettid: return gettid();
      case SYS_rt_sigtimedwait: case SYS_rt_sigpending: case SYS_rt_sigprocmask:
        pin_if(true);
        break;
      default: break;
    }
  }
  auto* const next = next_syscall.get();
  const without_ticks meanwhile;
  if (number == SYS_rt_sigaction && a[1] != 0) weir::threads::all_handlers_count.store(false, std::memory_order_relaxed);
  const weir::threads::without_message_handler also(number == SYS_rt_sigaction ? static_cast<int>(a[0]) : 0);
  if (number == SYS_sched_setaffinity) {
    const auto mask = meant(static_cast<std::size_t>(a[1]), reinterpret_cast<const cpu_set_t*>(a[2]));
    a[1] = static_cast<long>(mask.bytes);
    a[2] = weir::as_argument(mask.set);
  }
  const long result = weir::with_type_of_program(next, number, a[0], a[1], a[2], a[3], a[4], a[5]);
  // The call returns a descriptor if the filter has a listener.
  const bool has_listener =
      number == SYS_seccomp && named == SECCOMP_SET_MODE_FILTER && (a[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
  const bool is_set = result == 0 || (has_listener && result > 0);
  if (sets_for_all)
    weir::threads::note_filter_for_all(is_set, fatal_before);
  else if (number == SYS_seccomp && is_set && named != SECCOMP_GET_ACTION_AVAIL && named != SECCOMP_GET_NOTIF_SIZES)
    weir::threads::note_filter();
  if (number == SYS_prctl && result == 0 && named == PR_SET_SECCOMP) weir::threads::note_filter();
  if (number == SYS_sched_getaffinity && result > 0 && weir::visible::processors() && weir::visible::is_of_this_process(named))
    weir::visible::reduce(static_cast<std::size_t>(result), reinterpret_cast<cpu_set_t*>(a[2]));
  if (result != -1 && (number == SYS_mmap || number == SYS_mremap || number == SYS_shmat))
    weir::threads::note_mapping(number, a[3]);
  if (number == SYS_rseq && result == 0 && (a[2] & RSEQ_FLAG_UNREGISTER) == 0) weir::threads::note_own_area();
#ifdef SYS_arch_prctl
  if (number == SYS_arch_prctl && result == 0 && gives_tiles(static_cast<int>(a[0]), static_cast<unsigned long>(a[1])))
    weir::threads::tiles_are_permitted();
#endif
  return result;
}
