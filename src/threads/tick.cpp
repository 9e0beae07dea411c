#include "threads/tick.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <ucontext.h>

#include "threads/interrupted.hpp"
#include "threads/monitor.hpp"
#include "threads/pool.hpp"
#include "threads/program_threads.hpp"

namespace weir::threads {

namespace {

constexpr int signal_number = tick_signal;
constexpr signal_mask its_bit = signal_mask{1} << (signal_number - 1);

/// A hash of the registers of the interrupted body. In a body that computes, at least one register differs each time, such as the
/// counter of a loop or a floating-point sum; in a body that polls a word, all registers stay the same.
std::uint64_t registers_of(const ucontext_t& in) {
  std::uint64_t place = 0;
  const auto add = [&](std::uint64_t word) { place = (place ^ word) * 0x9e3779b97f4a7c15u; };
#if defined(__x86_64__)
  const auto& all = in.uc_mcontext.gregs;
  for (const int which : {REG_RAX, REG_RBX, REG_RBP, REG_RSP, REG_RSI, REG_RDI, REG_RCX, REG_RDX,  //
                          REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15})
    add(static_cast<std::uint64_t>(all[which]));
  if (const auto* const vectors = in.uc_mcontext.fpregs)
    for (const auto& each : vectors->_xmm)
      for (const auto word : each.element) add(word);
#elif defined(__aarch64__)
  for (const auto word : in.uc_mcontext.regs) add(word);
  add(in.uc_mcontext.sp);
  // The first record that the kernel writes.
  const auto& vectors = *reinterpret_cast<const fpsimd_context*>(in.uc_mcontext.__reserved);
  if (vectors.head.magic == FPSIMD_MAGIC)
    for (const auto each : vectors.vregs) {
      add(static_cast<std::uint64_t>(each));
      add(static_cast<std::uint64_t>(each >> 64));
    }
#else
  (void)in;
#endif
  return place;
}

/// Has the signal ended a system call, or come just before one? Linux leaves the return address in two registers.
bool is_at_system_call([[maybe_unused]] const ucontext_t& in) {
#if defined(__x86_64__)
  const auto& all = in.uc_mcontext.gregs;
  return all[REG_RCX] == all[REG_RIP] || all[REG_RCX] == all[REG_RIP] + 2;
#else
  return false;
#endif
}

// Instructions at which bodies have lately been found to spin. Neighbouring instructions do not count: a loop that computes may
// be next to the loop that waits. relaxed: hints.
constexpr std::size_t most_instructions = 16;
constinit std::atomic<std::uintptr_t> spins_at[most_instructions]{};
constinit std::atomic<unsigned> next_instruction{0};

bool is_known_to_spin(std::uintptr_t code) {
  return std::ranges::any_of(spins_at, [code](const auto& each) { return each.load(std::memory_order_relaxed) == code; });
}
void note_spin(std::uintptr_t code) {
  if (is_known_to_spin(code)) return;
  const unsigned to = next_instruction.fetch_add(1, std::memory_order_relaxed) % most_instructions;
  spins_at[to].store(code, std::memory_order_relaxed);
}

/// Does the body run without a handler, an alternate stack, or another signal mask than its own?
bool is_plain(const body& me, const ucontext_t& in) {
  signal_mask blocked;
  std::memcpy(&blocked, &in.uc_sigmask, sizeof blocked);
  return blocked == me.mask() && !is_on_alternate_stack(in);
}

/// Have the last two ticks also found the body with the same registers? A single tick proves nothing: a hypervisor may take the
/// processor from a thread as soon as the handler has returned, until the next tick.
bool is_found_again(body& me, const ucontext_t& in) {
  const std::uint64_t registers = registers_of(in);
  me.found_again = std::exchange(me.ticked_at, registers) == registers ? me.found_again + 1 : 0;
  return me.found_again >= 2;
}

void handle(int, siginfo_t* why, void* context) {
  body* const me = this_body;
  if (why->si_code != SI_QUEUE) return;  // out-of-band data on a socket of the program
  auto& in = *static_cast<ucontext_t*>(context);
  if (why->si_value.sival_ptr == &called_in) return answer_call_in(in);
  if (me == nullptr) return;
  const auto* const its = static_cast<const processor*>(why->si_value.sival_ptr);
  // The tick may have come late, to another body.
  if (me->where() != its || its->current() != me || me->held.load(std::memory_order_relaxed) != 0 ||
      me->is_calling() || !is_plain(*me, in) || is_at_system_call(in))
    return;
  const std::uintptr_t code = code_of(in);
  const bool same = is_found_again(*me, in);
  if (!same && !is_known_to_spin(code)) return;
  if (same) note_spin(code);
  processor& on = *me->where();
  on.spins.store(on.spins.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const int before = errno;
  {
    const without_preemption to_the_end(me);
    on.yield(*me);
  }
  // The body may have moved. The return from a handler sets the alternate stack of the kernel thread, so it must be the present
  // one.
  sigaltstack(nullptr, &in.uc_stack);
  errno = before;
}

// The number of the kernel thread that sends ticks, or changes the handler of ticks. A handler of the program that interrupts
// this thread goes on without waiting.
constinit std::atomic<pid_t> holder{0};
// The program's setting for SIGURG, in place of which the handler of ticks is installed: ignored, or the default, which is the
// same. Used by the holder.
constinit auto of_program = SIG_DFL;

/// False: the calling thread already holds the handler.
bool hold_handler() {
  const auto me = static_cast<pid_t>(raw_call(SYS_gettid));
  for (;;) {
    pid_t found = 0;
    if (holder.compare_exchange_strong(found, me, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    if (found == me) return false;
    yield_to_kernel();
  }
}
void release_handler() { holder.store(0, std::memory_order_release); }

bool is_ours(const struct sigaction& its) { return (its.sa_flags & SA_SIGINFO) != 0 && its.sa_sigaction == handle; }

/// Is the handler of ticks installed? While it runs, the signal is not blocked, because another body runs on this kernel thread
/// before the handler returns.
bool is_installed() {
  struct sigaction now {}, ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  if (sigaction(signal_number, nullptr, &now) != 0) return false;
  if (is_ours(now)) return true;
  if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) return false;
  of_program = now.sa_handler;
  return sigaction(signal_number, &ours, nullptr) == 0;
}

/// Removes the handler, and with it the ticks that are still pending: the kernel drops signals that are ignored, also by default.
/// Otherwise a thread that has lost the processor would handle a tick by the handler that the program installs [sigaction(2),
/// Linux].
void uninstall() {
  struct sigaction now {}, its {};
  if (sigaction(signal_number, nullptr, &now) != 0 || !is_ours(now)) return;
  its.sa_handler = of_program;
  sigaction(signal_number, &its, nullptr);
}

/// Sends a tick to the running body, which cannot stop meanwhile.
bool send_to(processor& its) {
  const body& runs = *its.current();
  const pid_t thread = its.thread.load(std::memory_order_relaxed);
  // System calls that do not go through the C library's functions are not announced.
  if (runs.is_calling() || (runs.mask() & its_bit) != 0 || is_in_system(thread, false)) return false;
  siginfo_t why{};
  why.si_signo = signal_number;
  why.si_code = SI_QUEUE;
  why.si_pid = getpid();
  why.si_value.sival_ptr = &its;
  return raw_call(SYS_rt_tgsigqueueinfo, getpid(), thread, signal_number, as_argument(&why)) == 0;
}

// Each of the two fences serves all processors. After the first, no call of the C library begins until the claim ends. After the
// second, the signal has been handled before the body goes on.
void send_to_all(std::span<processor* const> all) {
  for (processor* const p : all) {
    p->seen.ticked = p->switches();
    p->ask_for_claim();
  }
  bool sent = false;
  if (native_threads::fence_everywhere())
    for (processor* const p : all) sent |= p->is_granted(p->seen.ticked) && send_to(*p);
  if (sent) native_threads::fence_everywhere();
  for (processor* const p : all) p->unclaim();
}

}  // namespace

bool hold_ticks() {
  if (!hold_handler()) return false;
  if (is_installed()) return true;
  release_handler();
  return false;
}
void release_ticks() { release_handler(); }

void tick(std::span<processor* const> all) {
  if (all.empty() || !hold_handler()) return;
  if (is_installed()) send_to_all(all);
  release_handler();
}

without_tick_handler::without_tick_handler(int number) : holds_(number == signal_number && hold_handler()) {
  if (holds_) uninstall();
}
without_tick_handler::~without_tick_handler() {
  if (holds_) release_handler();
}

void forget_tick_handler() { release_handler(); }

}  // namespace weir::threads
