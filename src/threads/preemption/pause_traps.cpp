#include "threads/preemption/pause_traps.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "machine/clocks.hpp"
#include "machine/raw_call.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/preemption/tick.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/support/library_signals.hpp"
#include "threads/support/traced.hpp"

namespace weir::threads {

// x86-64 only: on no other architecture have traps been tried.
#if defined(__x86_64__) && defined(PERF_ATTR_SIZE_VER7)

std::uintptr_t pause_at(std::uintptr_t code) {
  // By the system, because code need not be readable. If the two bytes before `code` are part of another instruction, no trap comes.
  unsigned char bytes[4] = {};
  const iovec to{bytes, sizeof bytes}, from{reinterpret_cast<void*>(code - 2), sizeof bytes};
  const auto is_pause = [&bytes](unsigned at) { return bytes[at] == 0xf3 && bytes[at + 1] == 0x90; };
  if (raw_call(SYS_process_vm_readv, getpid(), as_argument(&to), 1, as_argument(&from), 1) != sizeof bytes) return 0;
  return is_pause(2) ? code : is_pause(0) ? code - 2 : 0;
}

namespace {

constexpr int its_signal = SIGTRAP, by_event = 6;  // TRAP_PERF, of Linux 5.13
// After so many looks in a row at which a processor has had no ready body, a body that waits there is not disturbed any more.
constexpr unsigned most_looks_in_vain = 3;
// A debugger that attaches is told of traps for so long, in nanoseconds.
constexpr std::uint64_t between_questions = 100'000'000;

// Has the handler been installed? Nobody removes it but give_up_traps(): a trap may be pending where the signal is blocked.
constinit std::atomic<bool> is_installed{false};
// 0: no; 1: the program wants the signal, or the system refuses traps; 2: the program has the signal.
constinit std::atomic<std::uint32_t> given_up{0};
// How many are set. The program waits for zero, by a futex.
constinit std::atomic<std::uint32_t> set{0};

/// A loop that polls, and how often a body that was trapped there still had to wait, or had not. The trap is no use where what bodies
/// wait for, on other processors, mostly comes before a signal's handler.
struct site {
  // relaxed, all: hints, for handlers and the monitor.
  std::atomic<std::uintptr_t> at{0};
  std::atomic<std::uint32_t> brief{0}, longer{0};

  bool is_worth_a_trap() const {
    constexpr std::uint32_t enough = 8;
    const std::uint32_t b = brief.load(std::memory_order_relaxed), l = longer.load(std::memory_order_relaxed);
    return b + l < enough || l >= b;
  }
  void forget_half() {
    for (auto* const count : {&brief, &longer}) count->store(count->load(std::memory_order_relaxed) / 2, std::memory_order_relaxed);
  }
};
constinit site sites[16];

site* site_at(std::uintptr_t code) {
  site* const found = std::ranges::find_if(sites, [code](const site& s) { return s.at.load(std::memory_order_relaxed) == code; });
  return found != std::end(sites) ? found : nullptr;
}
bool is_worth_a_trap(std::uintptr_t code) {
  const site* const known = site_at(code);
  return !has_trampoline(code) && (known == nullptr || known->is_worth_a_trap());
}
/// SIG_DFL or SIG_IGN, not by the function that Weir replaces.
void set_by_kernel(void (*to)(int)) {
  kernel_sigaction its{};
  its.handler = reinterpret_cast<decltype(its.handler)>(reinterpret_cast<void*>(to));
  raw_call(SYS_rt_sigaction, its_signal, as_argument(&its), 0, sizeof its.mask);
}

void handle(int, siginfo_t* why, void* context) {
  if (why->si_code != by_event) {  // as if there were no handler
    set_by_kernel(SIG_DFL);
    raw_call(SYS_tgkill, getpid(), raw_call(SYS_gettid), its_signal);
    return;
  }
  auto& in = *static_cast<ucontext_t*>(context);
  body* const me = this_body;
  // Otherwise it comes late, because it was blocked.
  if (me == nullptr || reinterpret_cast<std::uintptr_t>(why->si_addr) != code_of(in)) return;
  if (me->held.load(std::memory_order_relaxed) != 0 || me->is_calling() || !is_plain(*me, in)) return;
  processor& on = *me->where();
  on.trapped.store(on.trapped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  site* const here = site_at(code_of(in));
  // An instruction begins there, as the trap proves.
  if (const std::uintptr_t code = code_of(in); here == nullptr && pause_at(code) == code) want_trampoline_at_pause(code);
  const bool waits = yield_in_handler(*me, in, here != nullptr);
  if (here != nullptr) (waits ? here->longer : here->brief).fetch_add(1, std::memory_order_relaxed);
}

/// May this process ask for events? A filter of system calls may end a process that makes an unusual one, and a debugger would be told
/// of each trap.
bool may_ask() { return !is_traced() && !has_filter_of_calls(); }

/// Before Linux 6.1, a trap where the signal is blocked ends the process.
bool is_known_kernel() {
  utsname its;
  unsigned first = 0, second = 0;
  return uname(&its) == 0 && std::sscanf(its.release, "%u.%u", &first, &second) == 2 && (first > 6 || (first == 6 && second >= 1));
}

bool takes_signal() {
  if (is_installed.load(std::memory_order_relaxed)) return true;
  if (!is_known_kernel()) return false;
  struct sigaction now {}, ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  block_cancellation(ours);
  if (sigaction(its_signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL || sigaction(its_signal, &ours, nullptr) != 0) return false;
  is_installed.store(true);  // seq_cst: with given_up, below
  return true;
}

/// Less than zero: the reason why the system refuses.
int event_at(std::uintptr_t code, pid_t thread) {
  perf_event_attr its{};
  its.size = sizeof its;
  its.type = PERF_TYPE_BREAKPOINT;
  its.bp_type = HW_BREAKPOINT_X;
  its.bp_addr = code;
  its.bp_len = sizeof(long);
  its.sample_period = 1;
  its.exclude_kernel = its.exclude_hv = 1;
  its.disabled = 1;
  its.remove_on_exec = its.sigtrap = 1;
  return static_cast<int>(raw_call(SYS_perf_event_open, as_argument(&its), thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

void count_set(std::uint32_t change) {
  if (set.fetch_add(change) + change == 0) raw_call(SYS_futex, as_argument(&set), FUTEX_WAKE_PRIVATE, 1 << 30);
}
void remove(pause_traps::trap& its) {
  if (its.file < 0) return;
  close(its.file);
  its = {};
  count_set(~std::uint32_t{0});
}

void remove_all(pause_traps& its) {
  for (auto& each : its.all) remove(each);
}

void set_at(pause_traps& its, std::uintptr_t code, pid_t thread) {
  if (std::ranges::any_of(its.all, [code](const auto& each) { return each.at == code; })) return;
  if (!is_worth_a_trap(code)) return;
  // seq_cst, both: either the program sees this trap, or the monitor sees that it is not to set any.
  count_set(1);
  if (given_up.load() != 0) return count_set(~std::uint32_t{0});
  const int file = may_ask() && takes_signal() ? event_at(code, thread) : -EPERM;
  if (file < 0) {
    // The thread may have ended meanwhile, or a breakpoint that has been removed is still in use.
    if (file != -ESRCH && file != -ENOSPC) given_up.store(1);
    return count_set(~std::uint32_t{0});
  }
  pause_traps::trap& to = its.all[its.next++ % pause_traps::most];
  remove(to);
  to = {file, code};
  its.are_on = false;  // this one
}

void switch_all(pause_traps& its, bool on) {
  if (std::exchange(its.are_on, on) == on) return;
  for (const auto& each : its.all)
    if (each.file >= 0) ioctl(each.file, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

}  // namespace

void note_polling(std::uintptr_t code) {
  static constinit std::atomic<unsigned> next{0};
  if (site_at(code) != nullptr) return;
  site& its = sites[next.fetch_add(1, std::memory_order_relaxed) % std::size(sites)];
  its.brief.store(0, std::memory_order_relaxed);
  its.longer.store(0, std::memory_order_relaxed);
  its.at.store(code, std::memory_order_relaxed);
}

void set_traps(processor& p, unsigned generation) {
  pause_traps& its = p.seen.traps;
  const pid_t thread = p.thread.load(std::memory_order_relaxed);
  if (its.of != thread || its.generation != generation) {
    remove_all(its);  // another monitor has removed its own
    its.of = thread;
    its.generation = generation;
  }
  static constinit std::uint64_t asked_at = 0;
  if (const std::uint64_t now = now_by(CLOCK_MONOTONIC); set.load() != 0 && now - asked_at > between_questions) {
    asked_at = now;
    if (!may_ask()) given_up.store(1);
    for (site& each : sites) each.forget_half();
  }
  for (auto& each : its.all)
    if (each.file >= 0 && !is_worth_a_trap(each.at)) remove(each);
  if (const std::uintptr_t code = p.pauses_at.exchange(0, std::memory_order_relaxed); code != 0) set_at(its, code, thread);
  switch_all(its, true);
  its.looks_in_vain = 0;
}
void rest_traps(processor& p) {
  p.pauses_at.store(0, std::memory_order_relaxed);
  switch_all(p.seen.traps, false);
}
void rest_traps_in_vain(processor& p) {
  if (p.seen.traps.are_on && ++p.seen.traps.looks_in_vain > most_looks_in_vain) rest_traps(p);
}

void remove_traps(unsigned generation) {
  for (processor* p = last_processor(); p != nullptr; p = p->made_before)
    if (p->seen.traps.generation == generation) remove_all(p->seen.traps);
}
void give_up_traps_if_asked(unsigned generation) {
  if (given_up.load() != 0 && set.load() != 0) remove_traps(generation);
}

void give_up_traps() {
  if (!is_installed.load() || given_up.load() == 2) return;
  given_up.store(1);
  for (std::uint32_t left; (left = set.load()) != 0;) {
    wake_monitor_at(0);
    const timespec most{0, 1'000'000};
    raw_call(SYS_futex, as_argument(&set), FUTEX_WAIT_PRIVATE, static_cast<long>(left), as_argument(&most));
  }
  set_by_kernel(SIG_IGN);  // a trap that is pending goes
  set_by_kernel(SIG_DFL);
  given_up.store(2);
}

bool is_handler_of_traps(const struct sigaction& its) { return (its.sa_flags & SA_SIGINFO) != 0 && its.sa_sigaction == handle; }

void forget_traps() { set.store(0); }

#else

std::uintptr_t pause_at(std::uintptr_t) { return 0; }
void note_polling(std::uintptr_t) {}
void set_traps(processor&, unsigned) {}
void rest_traps(processor&) {}
void rest_traps_in_vain(processor&) {}
void remove_traps(unsigned) {}
void give_up_traps_if_asked(unsigned) {}
void give_up_traps() {}
bool is_handler_of_traps(const struct sigaction&) { return false; }
void forget_traps() {}

#endif

}  // namespace weir::threads
