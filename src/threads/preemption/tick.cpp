#include "threads/preemption/tick.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <sys/auxv.h>
#include <ucontext.h>

#include "system/filter.hpp"
#include "system/fork_page.hpp"
#include "threads/polling/decoder.hpp"
#include "threads/polling/polling.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/preemption/above.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/preemption/repeatable.hpp"
#include "threads/preemption/trampoline_entry.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/support/code.hpp"
#include "threads/support/valgrind.hpp"

namespace weir::threads {

namespace {

constexpr int signal_number = tick_signal;

/// A hash of the registers of the interrupted body. In a body that computes, at least one register differs each time, such as the
/// counter of a loop or a floating-point sum; in a body that polls a word, all registers stay the same.
std::uint64_t registers_of(const ucontext_t& in) {
  std::uint64_t place = 0;
  const auto add = [&](std::uint64_t word) { place = (place ^ word) * 0x9e3779b97f4a7c15u; };
#if defined(__x86_64__)
  const auto& general = in.uc_mcontext.gregs;
  for (const int which : {REG_RAX, REG_RBX, REG_RBP, REG_RSP, REG_RSI, REG_RDI, REG_RCX, REG_RDX,  //
                          REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15})
    add(static_cast<std::uint64_t>(general[which]));
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

/// Have the last two ticks also found the body with the same registers? A single tick proves nothing: a hypervisor may take the
/// processor from a thread as soon as the handler has returned, until the next tick.
bool is_found_again(body& me, const ucontext_t& in) {
  const std::uint64_t registers = registers_of(in);
  me.found_again = std::exchange(me.ticked_at, registers) == registers ? me.found_again + 1 : 0;
  return me.found_again >= 2;
}

// What the signal says: a tick; or that the body leaves the kernel thread (evict()), from its code or from a system call, whose
// number is added.
constexpr int is_tick = 0, leave_code = 1, leave_call = 2;

enum class finding { computes, spins, polls };

/// Does the body spin? Then it is noted where. At `pause` it does, whatever it counts meanwhile, unless bodies here hardly spin.
finding what_is_found(body& me, const ucontext_t& in) {
  processor& on = *me.where();
  polling loop;
  const bool same = is_found_again(me, in), polls = loop.is_found_in(in);
  const std::uintptr_t code = code_of(in);
  // Loops of Weir know how to yield.
  const bool may_pause = !polls && on.only_spins.load(std::memory_order_relaxed) && !is_own_code(code);
  const std::uintptr_t pause = may_pause ? pause_at(code) : 0;
  if (!same && !polls && pause == 0 && !is_known_to_spin(code)) return finding::computes;
  if (polls)
    want_trampoline(loop, trampoline_entry());
  else if (pause != 0 && (pause == code || begins_in_loop(pause, code)))
    want_trampoline_at_pause(pause, trampoline_entry());
  else if (same && pause == 0)
    note_spin(code);
  // Where there is a trampoline the body would have yielded without the tick.
  auto& count = polls && has_trampoline(loop.first()) ? on.jumped : on.spins;
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return polls ? finding::polls : finding::spins;
}

// A handler of the program that interrupts this one before it has begun again (interrupted.hpp) would run on the stack of the
// kernel thread, and might leave that; what it executes would inherit the mask. The C library's signal for cancellation unwinds
// the stack, and this handler may have interrupted a call in which a thread may be cancelled. Faults are the interrupted code's.
constexpr signal_mask only(int number) { return signal_mask{1} << (number - 1); }
constexpr signal_mask until_let_in = ~(only(SIGSEGV) | only(SIGBUS) | only(SIGILL) | only(SIGFPE) | only(SIGTRAP));
void block_until_let_in(struct sigaction& in) {
  std::memcpy(&in.sa_mask, &until_let_in, sizeof until_let_in);
}  // sigfillset() leaves some

void end_of_handler(ucontext_t& in, int errno_before) {
  return_with_present_stack(in);
  errno = errno_before;
}

/// At the end of a handler that has interrupted this body, which may move: another ready body of the processor runs, if there is
/// one.
void yield_in_handler(body& me, ucontext_t& in, bool polls) {
  let_signals_in(in);
  const int before = errno;
  {
    const without_preemption to_the_end(&me);
    processor& on = *me.where();
    polls ? on.yield_in_loop(me) : on.yield(me);
  }
  end_of_handler(in, before);
}

// relaxed: a number.
constinit std::atomic<unsigned> bare_signals{0};

/// Where the user's signals that are pending are as many as may be (RLIMIT_SIGPENDING), the kernel keeps of another one the
/// number alone [kernel/signal.c, collect_signal()].
bool is_bare(const siginfo_t& why) { return why.si_code == SI_USER && why.si_pid == 0; }

/// The program has no handler for the signal, so it must end no call, whoever has sent it.
void repeat_ended_call(const siginfo_t& why, ucontext_t& in) {
  if (why.si_code == SI_QUEUE && why.si_errno >= leave_call)
    repeat_interrupted(in, why.si_errno - leave_call);
  else
    repeat_interrupted(in);
}

void handle(int number, siginfo_t* why, void* context) {
  if (auto& in = *static_cast<ucontext_t*>(context); begins_beside(in)) {
    // A thread that has left its own stack, as fibres do: nobody knows how much room there is. The tick has been in vain.
    if (!has_room_below(in)) return repeat_ended_call(*why, in);
    begin_again_below(handle, number, why, in);
  }
  repeat_ended_call(*why, *static_cast<ucontext_t*>(context));
  const bool bare = is_bare(*why);
  if (bare) bare_signals.fetch_add(1, std::memory_order_relaxed);
  if (why->si_code != SI_QUEUE && !bare) return;  // out-of-band data on a socket of the program
  const int message = bare ? is_tick : why->si_errno;
  auto& in = *static_cast<ucontext_t*>(context);
  leave_stub(in);
  const void* const what = bare ? nullptr : why->si_value.sival_ptr;
  if (what == &attach_request) return answer_attach_request(in);
  if (what == &poll_question) return answer_poll_question(in);
  body* const me = this_body;
  if (me == nullptr) return;
  const auto* const for_processor = bare ? me->where() : static_cast<const processor*>(what);
  if (!processor::may_stop(for_processor, *me) || !is_plain(*me, in)) return;
  // A tick, or the other message, may find a system call of which nobody has told.
  if (message < leave_call && (me->is_calling() || is_at_system_call(in))) return;
  if (is_in_allocator(code_of(in))) return;  // it may hold the allocator's locks
  if (message == is_tick) {
    // There it may hold a lock for which others would wait, among them who forks, and keeps the lists locked meanwhile.
    if (is_system_code(code_of(in))) return;
    if (const finding found = what_is_found(*me, in); found != finding::computes)
      yield_in_handler(*me, in, found == finding::polls);
    return;
  }
  let_signals_in(in);
  const int before = errno;
  pin_for_a_while();
  end_of_handler(in, before);
}

// The number of the kernel thread that sends ticks, or changes the handler of ticks. A handler of the program that interrupts
// this thread goes on without waiting.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<pid_t> holder{0};
// The program's setting for SIGURG, in place of which the handler of ticks is installed: ignored, or the default, which is the
// same. Used by the holder.
constinit auto of_program = SIG_DFL;

constinit bool begins_on_alternate_stacks = frames_can_be_copied;  // used by the holder

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

bool is_ours(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle; }

/// Is the handler of ticks installed? While it runs, the signal is not blocked, because another body runs on this kernel thread
/// before the handler returns.
bool is_installed() {
  struct sigaction now{}, ours{};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | (begins_on_alternate_stacks && !runs_on_valgrind() ? SA_ONSTACK : 0);
  block_until_let_in(ours);
  if (sigaction(signal_number, nullptr, &now) != 0) return false;
  if (is_ours(now))
    return (now.sa_flags & SA_ONSTACK) == (ours.sa_flags & SA_ONSTACK) || sigaction(signal_number, &ours, nullptr) == 0;
  if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) return false;
  of_program = now.sa_handler;
  return sigaction(signal_number, &ours, nullptr) == 0;
}

/// Removes the handler, and with it the ticks that are still pending: the kernel drops signals that are ignored, also by default.
/// Otherwise a thread that has lost the processor would handle a tick by the handler that the program installs [sigaction(2),
/// Linux].
void uninstall() {
  struct sigaction now{}, previous{};
  if (sigaction(signal_number, nullptr, &now) != 0 || !is_ours(now)) return;
  previous.sa_handler = of_program;
  sigaction(signal_number, &previous, nullptr);
}

bool send_to(processor& to, int message) { return send_tick_signal(to.thread.load(std::memory_order_relaxed), &to, message); }

/// Sends a tick to the running body, which cannot stop meanwhile.
bool send_tick(processor& to) {
  const body& runs = *to.current();
  // System calls that do not go through the C library's functions are not announced.
  if (runs.is_calling() || runs.blocks(tick_signal) || is_in_system(to.thread.load(std::memory_order_relaxed), false))
    return false;
  return send_to(to, is_tick);
}

// Each of the two fences serves all processors. After the first, no call of the C library begins until the claim ends. After the
// second, the signal has been handled before the body goes on.
void send_to_all(std::span<processor* const> processors) {
  for (processor* const p : processors) {
    p->seen.ticked = p->switches();
    p->ask_for_claim();
  }
  bool sent = false;
  if (native_threads::fence_everywhere())
    for (processor* const p : processors) sent |= p->is_granted(p->seen.ticked) && send_tick(*p);
  if (sent) native_threads::fence_everywhere();
  for (processor* const p : processors) p->unclaim();
}

}  // namespace

bool has_room_for_tick(std::size_t bytes) {
  constexpr std::size_t least = 2048;  // until the handler begins again below
  return bytes >= getauxval(AT_MINSIGSTKSZ) + least;
}
void never_tick_on_alternate_stacks() {
  const bool holds = hold_handler();
  begins_on_alternate_stacks = false;
  struct sigaction now{};
  if (sigaction(signal_number, nullptr, &now) == 0 && is_ours(now)) is_installed();
  if (holds) release_handler();
}

unsigned signals_without_reason() { return bare_signals.load(std::memory_order_relaxed); }

bool hold_ticks() {
  if (!hold_handler()) return false;
  if (is_installed()) return true;
  release_handler();
  return false;
}
void release_ticks() { release_handler(); }
bool is_handler_of_ticks(std::uintptr_t code) { return code == reinterpret_cast<std::uintptr_t>(handle); }

bool send_tick_signal(pid_t thread, const void* value, int message) {
  siginfo_t why{};
  why.si_signo = signal_number;
  why.si_errno = message;
  why.si_code = SI_QUEUE;
  why.si_pid = getpid();
  why.si_value.sival_ptr = const_cast<void*>(value);
  return filter::call<SYS_rt_tgsigqueueinfo>(getpid(), thread, signal_number, as_argument(&why)) == 0;
}

void let_signals_in(const ucontext_t& in) { exchange_mask(mask_of(in)); }

void tick(std::span<processor* const> processors) {
  if (processors.empty() || !hold_handler()) return;
  if (is_installed()) send_to_all(processors);
  release_handler();
}

namespace {
enum class outlook { sent, later, never };

/// The queue is claimed: the body begins no other call of the C library meanwhile.
outlook send_eviction(processor& to) {
  const body& blocks = *to.current();
  const pid_t thread = to.thread.load(std::memory_order_relaxed);
  int message = leave_code;
  if (is_in_system(thread, true)) {
    const auto call = call_of(thread);
    if (!call) return outlook::later;
    if (only_sleeps(*call)) return outlook::later;
    if (!may_be_repeated(*call)) return outlook::never;
    message = static_cast<int>(call->number) + leave_call;
  } else if (blocks.is_calling()) {
    return outlook::later;
  }
  if (blocks.parking == nullptr || blocks.blocks(tick_signal)) return outlook::never;
  if (send_to(to, message)) native_threads::fence_everywhere();
  return outlook::sent;
}
}  // namespace

void evict(processor& from) {
  if (!hold_handler()) return;
  outlook result = outlook::never;
  if (is_installed()) {
    result = outlook::later;
    if (from.claim(from.switches())) {
      result = send_eviction(from);
      from.unclaim();
    }
  }
  release_handler();
  std::uint32_t tried = from.wish.load(std::memory_order_relaxed);
  // Not if the body has come back meanwhile, and wants nothing any more.
  if (result != outlook::later && tried != nothing_wanted && tried < hopeless)
    from.wish.compare_exchange_strong(tried, result == outlook::sent ? tried + 1 : hopeless, std::memory_order_relaxed);
}

without_tick_handler::without_tick_handler(int number)
    : number_is_ticks_(number == signal_number), holds_(number_is_ticks_ && hold_handler()) {
  if (holds_) uninstall();
}
without_tick_handler::~without_tick_handler() {
  if (holds_) release_handler();
}

WEIR_RUN_BY_FORKS void forget_tick_handler() {
  if (holder.load(std::memory_order_relaxed) != 0) release_handler();  // relaxed: the child has one thread
}

}  // namespace weir::threads
