#include "threads/preemption/messages.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
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
#include "threads/preemption/trampoline_entry.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/support/code.hpp"
#include "threads/support/valgrind.hpp"

namespace weir::threads {

namespace {

// ---- the answer to a tick

/// Have the last two ticks also found the body with the same registers? A single tick proves nothing: a hypervisor may take the
/// processor from a thread as soon as the handler has returned, until the next tick.
bool is_found_again(body& me, const ucontext_t& in) {
  const std::uint64_t registers = hash_of_registers(in);
  me.found_again = std::exchange(me.ticked_at, registers) == registers ? me.found_again + 1 : 0;
  return me.found_again >= 2;
}

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

void answer_tick(ucontext_t& in, const processor* to) {
  body* const me = this_body;
  if (me == nullptr || !processor::may_stop(to, *me) || !is_plain(*me, in)) return;
  // It may be in a system call of which nobody has told.
  if (me->is_calling() || is_at_system_call(in)) return;
  // It may hold the allocator's locks, or one of the C library's for which others would wait, among them who forks, and keeps the
  // lists locked meanwhile.
  if (is_in_allocator(code_of(in)) || is_system_code(code_of(in))) return;
  if (const finding found = what_is_found(*me, in); found != finding::computes)
    yield_in_handler(*me, in, found == finding::polls);
}

/// What the signal carries: si_errno and si_value.
struct record {
  message what = message::tick;
  const processor* to = nullptr;  // of a tick
};

// relaxed: a number.
constinit std::atomic<unsigned> bare_signals{0};

/// Where the user's signals that are pending are as many as may be (RLIMIT_SIGPENDING), the kernel keeps of another one the
/// number alone [kernel/signal.c, collect_signal()]: it counts as a tick. Nothing: out-of-band data on a socket of the program.
std::optional<record> record_in(const siginfo_t& why) {
  if (why.si_code == SI_USER && why.si_pid == 0) {
    bare_signals.fetch_add(1, std::memory_order_relaxed);
    return record{message::tick, this_body != nullptr ? this_body->where() : nullptr};
  }
  if (why.si_code != SI_QUEUE) return {};
  return record{static_cast<message>(why.si_errno), static_cast<const processor*>(why.si_value.sival_ptr)};
}

void handle(int number, siginfo_t* why, void* context) {
  auto& in = *static_cast<ucontext_t*>(context);
  // A thread that has left its own stack, as fibres do: nobody knows how much room there is. The message is in vain.
  const bool is_beside = begins_beside(in), is_in_vain = is_beside && !has_room_below(in);
  if (is_beside && !is_in_vain) begin_again_below(handle, number, why, in);
  repeat_interrupted(in);  // the program has no handler for the signal, so it must end no call, whoever has sent it
  if (is_in_vain) return;
  const auto got = record_in(*why);
  if (!got) return;
  leave_stub(in);
  switch (got->what) {
    case message::tick: return answer_tick(in, got->to);
    case message::poll_question: return answer_poll_question(in);
    case message::attach_request: return answer_attach_request(in);
  }
}

// ---- the handler is installed, or not

// The number of the kernel thread that sends messages, or changes the handler. A handler of the program that interrupts
// this thread goes on without waiting.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<pid_t> holder{0};
// The program's setting for SIGURG, in place of which the handler is installed: ignored, or the default, which is the
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

/// Is it installed? While it runs, the signal is not blocked, because another body runs on this kernel thread
/// before the handler returns.
bool is_installed() {
  struct sigaction now{}, ours{};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | (begins_on_alternate_stacks && !runs_on_valgrind() ? SA_ONSTACK : 0);
  block_until_let_in(ours);
  if (sigaction(message_signal, nullptr, &now) != 0) return false;
  if (is_ours(now))
    return (now.sa_flags & SA_ONSTACK) == (ours.sa_flags & SA_ONSTACK) || sigaction(message_signal, &ours, nullptr) == 0;
  if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) return false;
  of_program = now.sa_handler;
  return sigaction(message_signal, &ours, nullptr) == 0;
}

/// Removes the handler, and with it the messages that are still pending: the kernel drops signals that are ignored, also by
/// default. Otherwise a thread that has lost the processor would handle a message by the handler that the program installs
/// [sigaction(2), Linux].
void uninstall() {
  struct sigaction now{}, previous{};
  if (sigaction(message_signal, nullptr, &now) != 0 || !is_ours(now)) return;
  previous.sa_handler = of_program;
  sigaction(message_signal, &previous, nullptr);
}

// ---- the sender

/// Not if the signal would end a system call early, or if the body would find it pending, and take it in sigwait(). Whether a
/// handler of the program blocks it is not known. System calls that do not go through the C library's functions are not
/// announced.
bool send(const record& what, const body& to, pid_t thread, bool where_not_told) {
  if (to.is_calling() || to.blocks(message_signal) || is_in_system(thread, where_not_told)) return false;
  siginfo_t why{};
  why.si_signo = message_signal;
  why.si_errno = static_cast<int>(what.what);
  why.si_code = SI_QUEUE;
  why.si_pid = getpid();
  why.si_value.sival_ptr = const_cast<processor*>(what.to);
  return filter::call<SYS_rt_tgsigqueueinfo>(getpid(), thread, message_signal, as_argument(&why)) == 0;
}

struct to_processor {
  static void announce(processor& p) {
    p.seen.ticked = p.switches();
    p.ask_for_claim();
  }
  static bool send(message what, processor& p) {
    if (!p.is_granted(p.seen.ticked)) return false;
    return threads::send({what, &p}, *p.current(), p.thread.load(std::memory_order_relaxed), false);
  }
  static void end(processor& p) { p.unclaim(); }
};
struct to_detached {
  static void announce(body& b) { b.is_asked.store(1, std::memory_order_relaxed); }  // relaxed: the fence orders it
  static bool send(message what, body& b) { return threads::send({what}, b, b.id, true); }
  static void end(body& b) { b.is_asked.store(0, std::memory_order_release); }  // release: the signal has been sent
};

template <class To, class Recipient>
void send_to_all(message what, std::span<Recipient* const> recipients) {
  for (Recipient* const r : recipients) To::announce(*r);
  bool sent = false;
  if (!recipients.empty() && native_threads::fence_everywhere())
    for (Recipient* const r : recipients) sent |= To::send(what, *r);
  if (sent) native_threads::fence_everywhere();
  for (Recipient* const r : recipients) To::end(*r);
}

}  // namespace

message_sender::message_sender() : holds_(hold_handler()), is_installed_(holds_ && is_installed()) {}
message_sender::~message_sender() {
  if (holds_) release_handler();
}
void message_sender::tick(std::span<processor* const> processors) const {
  if (is_installed_) send_to_all<to_processor>(message::tick, processors);
}
void message_sender::ask(message what, std::span<body* const> bodies) const {
  if (is_installed_) send_to_all<to_detached>(what, bodies);
}

unsigned signals_without_reason() { return bare_signals.load(std::memory_order_relaxed); }
void let_signals_in(const ucontext_t& in) { exchange_mask(mask_of(in)); }

bool is_message_handler(std::uintptr_t code) { return code == reinterpret_cast<std::uintptr_t>(handle); }
bool has_room_for_message(std::size_t bytes) {
  constexpr std::size_t least = 2048;  // until the handler begins again below
  return bytes >= getauxval(AT_MINSIGSTKSZ) + least;
}
void leave_alternate_stacks_alone() {
  const bool holds = hold_handler();
  begins_on_alternate_stacks = false;
  struct sigaction now{};
  if (sigaction(message_signal, nullptr, &now) == 0 && is_ours(now)) is_installed();
  if (holds) release_handler();
}

without_message_handler::without_message_handler(int number)
    : is_of_messages_(number == message_signal), holds_(is_of_messages_ && hold_handler()) {
  if (holds_) uninstall();
}
without_message_handler::~without_message_handler() {
  if (holds_) release_handler();
}

WEIR_RUN_BY_FORKS void forget_message_handler() {
  if (holder.load(std::memory_order_relaxed) != 0) release_handler();  // relaxed: the child has one thread
}

}  // namespace weir::threads
