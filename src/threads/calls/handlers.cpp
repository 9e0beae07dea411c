// The functions that set and query the handler of a signal. SIGURG, the signal of ticks, belongs to the program like any other: a
// query returns what the program has set, and no tick reaches a handler of the program.
//
// The kernel calls a stub instead of a handler that sigaction() sets. A handler may write a signal mask into the context to which
// it returns, or change the mask while it runs. The stub sees the mask that will be in force afterwards, which is the member's.
//
// Each function is replaced separately, since the functions of the C library do not call each other by name.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include <signal.h>
#include <ucontext.h>

#include "system/cancel_type.hpp"
#include "threads/calls/masks.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/posix/interpose.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/scheduling/alternate_stacks.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/signals/process_signals.hpp"
#include "threads/signals/signals.hpp"
#include "threads/support/library_signals.hpp"

using weir::threads::signal_mask;
using weir::threads::without_message_handler;

namespace {
using plain_handler = void (*)(int);
using handler_with_context = void (*)(int, siginfo_t*, void*);

// Handlers beyond this number get no stub.
constexpr std::size_t most_stubs = 64;
// Entries are never removed. relaxed, all: an address of code, stored before the system call that lets the kernel call the stub.
constinit std::array<std::atomic<handler_with_context>, most_stubs> behind_stubs{};

signal_mask mask_in(const void* context) {
  signal_mask mask;
  std::memcpy(&mask, &static_cast<const ucontext_t*>(context)->uc_sigmask, sizeof mask);
  return mask & weir::threads::all_signals;
}

/// The signal has come to the kernel thread of a virtual processor that runs no body now. No handler of the program shall run
/// there, where the variables of a thread are those of a thread that the program does not know.
bool is_passed_on(int number, const siginfo_t* why) {
  const weir::threads::body* const me = weir::threads::this_body;
  if (me == nullptr) return false;
  weir::threads::processor* const here = me->where();
  if (here == nullptr || !here->is_helper.load(std::memory_order_relaxed) || me != &here->own()) return false;
  // The kernel writes what it knows of the signal only for handlers that ask for it. A handler for one time is gone by now.
  const auto handler = weir::threads::handled_by(number);
  if (!handler.is_handler()) return false;
  const signal_mask usual = weir::threads::exchange_mask(weir::threads::all_signals);
  const bool is_given =
      weir::threads::gives_to_signal_thread(*here, handler.asks_why() ? *why : weir::threads::signal_of_mine(number));
  weir::threads::exchange_mask(usual);
  return is_given;
}

struct running_handler {
  running_handler() { ++weir::threads::handlers_running; }
  running_handler(const running_handler&) = delete;
  ~running_handler() {
    if (weir::threads::handlers_running != 0) --weir::threads::handlers_running;
  }
};
[[gnu::constructor]] void when_loaded() { weir::threads::all_handlers_count.store(true, std::memory_order_relaxed); }

/// `type`: where the thread may be cancelled, in the program's handler again.
void call(handler_with_context handler, int number, siginfo_t* why, void* context, weir::interrupted_type& type) {
  if (is_passed_on(number, why)) return;
  const running_handler counted;
  const weir::threads::body* const me = weir::threads::body_with_mask();
  // Otherwise it has interrupted another handler, whose end restores the recorded mask.
  const bool is_first = me != nullptr && mask_in(context) == me->mask();
  weir::threads::leave_stub(*static_cast<ucontext_t*>(context));
  type = weir::with_interrupted_type(type, handler, number, why, context);
  if (!is_first || me != weir::threads::body_with_mask() || weir::threads::is_in_child()) return;
  if (const signal_mask now = mask_in(context); now != me->mask()) weir::threads::note_mask_to_be(now);
}

/// The end of a handler sets the alternate stack that the kernel thread had at the begin. The thread may have gone to another one
/// meanwhile, which must not get the same stack for ticks.
void return_with_own_stack_for_ticks(ucontext_t& in) {
  if (!weir::threads::is_for_sender(in.uc_stack)) return;
  const weir::threads::body* const me = weir::threads::this_body;
  const weir::threads::processor* const here = me != nullptr ? me->where() : nullptr;
  if ((here != nullptr ? here->without_signal_stack() : weir::threads::stack_for_ticks()).ss_sp == in.uc_stack.ss_sp) return;
  weir::threads::exchange_mask(weir::threads::all_signals);  // it goes nowhere until the return
  weir::threads::return_with_present_stack(in);
}

// Nothing is to be destroyed here.
template <std::size_t which>
void stub(int number, siginfo_t* why, void* context) {
  // The program has set no alternate stack.
  auto& in = *static_cast<ucontext_t*>(context);
  if (weir::threads::begins_beside(in) && weir::threads::is_for_sender(in.uc_stack))
    weir::threads::begin_again_below(stub<which>, number, why, in);
  weir::interrupted_type type = weir::defer_in_handler();
  call(behind_stubs[which].load(std::memory_order_relaxed), number, why, context, type);
  weir::restore_after_handler(type);
  return_with_own_stack_for_ticks(in);
}
constexpr auto stubs = []<std::size_t... indices>(std::index_sequence<indices...>) {
  return std::array<handler_with_context, most_stubs>{stub<indices>...};
}(std::make_index_sequence<most_stubs>());

/// The stub of the handler; without one, the handler itself.
handler_with_context stub_of(handler_with_context handler) {
  if (std::ranges::find(stubs, handler) != stubs.end()) return handler;  // the program has it from a bare system call
  for (std::size_t i = 0; i < most_stubs; ++i) {
    handler_with_context found = nullptr;
    if (behind_stubs[i].compare_exchange_strong(found, handler, std::memory_order_relaxed) || found == handler) return stubs[i];
  }
  weir::threads::all_handlers_count.store(false, std::memory_order_relaxed);
  return handler;
}
/// With a stub, if it is a handler, and if the kernel passes the context: on x86-64 in any case.
plain_handler with_stub([[maybe_unused]] plain_handler to) {
#if defined(__x86_64__)
  if (to != SIG_DFL && to != SIG_IGN && to != SIG_ERR && to != SIG_HOLD) {
    struct sigaction action {};
    action.sa_handler = to;
    action.sa_sigaction = stub_of(action.sa_sigaction);
    return action.sa_handler;
  }
#endif
  return to;
}
/// What the program has set.
void without_stub(struct sigaction& action) {
  const auto* const found = std::ranges::find(stubs, action.sa_sigaction);
  if (found == stubs.end()) return;
  action.sa_sigaction = behind_stubs[static_cast<std::size_t>(found - stubs.begin())].load(std::memory_order_relaxed);
}
plain_handler without_stub(plain_handler to) {
  struct sigaction action {};
  action.sa_handler = to;
  without_stub(action);
  return action.sa_handler;
}
int without_stub(int result) { return result; }

/// Does the kernel pass the context? On x86-64 it does so in any case.
bool has_context([[maybe_unused]] const struct sigaction& action) {
#if defined(__x86_64__)
  return true;
#else
  return (action.sa_flags & SA_SIGINFO) != 0;
#endif
}
}  // namespace

namespace {
using sigaction_function = int(int, const struct sigaction*, struct sigaction*);
int act(sigaction_function* next, int of, const struct sigaction* to, struct sigaction* old) {
  const without_message_handler meanwhile(of);
  if (meanwhile.is_for_sender()) return next(of, to, old);
  struct sigaction with_stub;
  if (to != nullptr && has_context(*to) && to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
    with_stub = *to;
    with_stub.sa_sigaction = stub_of(to->sa_sigaction);
    to = &with_stub;
  }
  const int result = next(of, to, old);
  if (result != 0 || old == nullptr) return result;
  without_stub(*old);
  return result;
}
}  // namespace

INTERPOSE(int, sigaction, (int of, const struct sigaction* to, struct sigaction* old)) {
  return act(next_sigaction.get(), of, to, old);
}
INTERPOSE(int, __sigaction, (int of, const struct sigaction* to, struct sigaction* old)) {
  return act(next___sigaction.get(), of, to, old);
}

// [sigset(3), POSIX.1-2008] SIG_HOLD stands for a blocked signal. The C library's function would set a handler without a stub.
INTERPOSE(plain_handler, sigset, (int of, plain_handler to)) {
  sigset_t changed, before;
  sigemptyset(&changed);
  if (sigaddset(&changed, of) != 0) return SIG_ERR;
  const bool holds = to == SIG_HOLD;
  struct sigaction with {}, old {};
  with.sa_handler = to;
  if (sigaction(of, holds ? nullptr : &with, &old) != 0 || sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &changed, &before) != 0)
    return SIG_ERR;
  return sigismember(&before, of) == 1 ? SIG_HOLD : old.sa_handler;
}

#define CHANGES_HANDLER(result, name, parameters, number, arguments) \
  INTERPOSE(result, name, parameters) {                              \
    auto* const next = next_##name.get();                            \
    const without_message_handler meanwhile(number);                 \
    return without_stub(next arguments);                             \
  }

CHANGES_HANDLER(plain_handler, signal, (int of, plain_handler to), of, (of, with_stub(to)))
CHANGES_HANDLER(plain_handler, bsd_signal, (int of, plain_handler to), of, (of, with_stub(to)))
CHANGES_HANDLER(plain_handler, ssignal, (int of, plain_handler to), of, (of, with_stub(to)))
CHANGES_HANDLER(plain_handler, sysv_signal, (int of, plain_handler to), of, (of, with_stub(to)))
CHANGES_HANDLER(plain_handler, __sysv_signal, (int of, plain_handler to), of, (of, with_stub(to)))
CHANGES_HANDLER(int, sigignore, (int of), of, (of))
CHANGES_HANDLER(int, siginterrupt, (int of, int how), of, (of, how))
