// Filters of system calls that end the process (seccomp(2)). Weir makes calls that a program with threads does not make itself,
// and that who wrote the filter did not think of. Where there is a filter, a child makes each of them first.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <sys/syscall.h>

#include "raw_call.hpp"

namespace weir::filter {

struct unusual_call {
  const char* name;
  long number;
  bool is_needed;  // by members: without it, no thread is one
};
inline constexpr unusual_call unusual_calls[] = {
    {"membarrier", SYS_membarrier, true},
    {"process_vm_readv", SYS_process_vm_readv, false},
    {"close_range", SYS_close_range, false},
    {"sched_getattr", SYS_sched_getattr, false},
    {"sched_setattr", SYS_sched_setattr, false},
    {"ioprio_get", SYS_ioprio_get, false},
    {"mremap", SYS_mremap, false},
    {"capget", SYS_capget, false},
    {"personality", SYS_personality, false},
    {"setfsuid", SYS_setfsuid, false},
    {"setfsgid", SYS_setfsgid, false},
    {"get_mempolicy", SYS_get_mempolicy, false},
    {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, true},
    {"rt_sigpending", SYS_rt_sigpending, true},
    {"rt_sigtimedwait", SYS_rt_sigtimedwait, true},
    {"timer_create", SYS_timer_create, false},
    {"timer_settime", SYS_timer_settime, false},
    {"timer_delete", SYS_timer_delete, false},
    {"sigaltstack", SYS_sigaltstack, true},
    {"sched_setaffinity", SYS_sched_setaffinity, true},
    {"sched_yield", SYS_sched_yield, true},
    {"clock_gettime", SYS_clock_gettime, true},
    {"ppoll", SYS_ppoll, true},
};

/// Is there a filter? One system call.
bool is_there() noexcept;
/// Makes the children, once. Thread-safe.
void ask() noexcept;

/// What ask() has found: a bit for each of those that end the process, and `asked`.
inline constexpr std::uint32_t asked = 1u << 31;
extern constinit std::atomic<std::uint32_t> found;
static_assert(sizeof unusual_calls / sizeof unusual_calls[0] < 31);

constexpr std::uint32_t bit_of(long number) {
  for (std::size_t i = 0; i < sizeof unusual_calls / sizeof unusual_calls[0]; ++i)
    if (unusual_calls[i].number == number) return 1u << i;
  return 0;
}
constexpr std::uint32_t needed_ones() {
  std::uint32_t needed = 0;
  for (const unusual_call& each : unusual_calls) needed |= each.is_needed ? bit_of(each.number) : 0;
  return needed;
}
inline std::uint32_t fatal_ones() noexcept {
  std::uint32_t now = found.load(std::memory_order_relaxed);  // relaxed: a number, which changes once
  if (now == 0) [[unlikely]] ask(), now = found.load(std::memory_order_relaxed);
  return now;
}
/// There is another filter: the next thread that makes such a call asks anew; or nobody can ask, and none is made any more.
/// Returns what has been found before, for the filter that is not there after all.
void forget() noexcept;
std::uint32_t make_none() noexcept;
void make_again(std::uint32_t found_before) noexcept;
/// Would one of those end the process that members need?
inline bool forbids_members() noexcept { return (fatal_ones() & needed_ones()) != 0; }

template <long number>
bool ends_process() {
  static_assert(bit_of(number) != 0);
  return (fatal_ones() & bit_of(number)) != 0;
}
/// As raw_call(), but where the call would end the process it is not made, and returns -ENOSYS.
template <long number>
long call(long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  return ends_process<number>() ? -ENOSYS : raw_call(number, a, b, c, d, e, f);
}

}  // namespace weir::filter
