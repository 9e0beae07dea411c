#include "inheritance.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "filter.hpp"
#include "processor_mask.hpp"
#include "raw_call.hpp"

namespace weir {

std::uint64_t floating_point_control() noexcept {
#if defined(__x86_64__)
  constexpr std::uint32_t flags = 0x3f;
  std::uint32_t sse;
  std::uint16_t x87;
  asm volatile("stmxcsr %0" : "=m"(sse));
  asm volatile("fnstcw %0" : "=m"(x87));
  return std::uint64_t{x87} << 32 | (sse & ~flags);
#elif defined(__aarch64__)
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#else
  return 0;
#endif
}

namespace {
// In sched_attr, by words of 64 bits.
constexpr std::size_t policy_and_size = 0, runtime = 3;
}  // namespace

inheritance inheritance::of_this_thread() noexcept {
  inheritance inherited;
  inherited.floating_point = floating_point_control();
  inherited.is_known =
      raw_call(SYS_rt_sigprocmask, SIG_SETMASK, 0, as_argument(&inherited.signals), sizeof inherited.signals) == 0 &&
      get_affinity(sizeof inherited.processors, reinterpret_cast<cpu_set_t*>(inherited.processors.data())) > 0 &&
      filter::call<SYS_sched_getattr>(0, as_argument(inherited.scheduling.data()), sizeof inherited.scheduling, 0) == 0 &&
      raw_call(SYS_prctl, PR_GET_NAME, as_argument(inherited.name.data())) == 0;
  // Of an ordinary thread that is its slice, which Weir itself shortens at times (time_slice.hpp).
  if (inherited.scheduling[policy_and_size] >> 32 == SCHED_OTHER) inherited.scheduling[runtime] = 0;
  __user_cap_header_struct whose{_LINUX_CAPABILITY_VERSION_3, 0};
  filter::call<SYS_capget>(as_argument(&whose), as_argument(inherited.capabilities.data()));
  constexpr long no_change = -1, of_thread = 1;
  // What a filter of system calls refuses has the same value in all threads that have this filter.
  inherited.others = {filter::call<SYS_setfsuid>(no_change),
                      filter::call<SYS_setfsgid>(no_change),
                      raw_call(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
                      raw_call(SYS_prctl, PR_GET_SECCOMP),
                      raw_call(SYS_prctl, PR_GET_SECUREBITS),
                      raw_call(SYS_prctl, PR_GET_TIMERSLACK),
                      filter::call<SYS_ioprio_get>(of_thread, 0),
                      filter::call<SYS_personality>(0xffffffff)};
  int policy = 0;
  if (filter::call<SYS_get_mempolicy>(as_argument(&policy), 0, 0, 0, 0) == 0)
    inherited.others[7] |= static_cast<long>(policy) << 32;
  return inherited;
}

}  // namespace weir
