// Functions that change the signal mask of a thread, or jump to where another one was in force.
//
// Signal masks change so often that each body has a mask of its own, which moves with the body (processor.cpp).
#include "threads/calls/masks.hpp"

#include <cstring>
#include <optional>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include "threads/posix/interpose.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/signals/process_signals.hpp"

namespace weir::threads {

body* body_with_mask() { return this_body != nullptr ? this_body : own_processor != nullptr ? &own_processor->own() : nullptr; }

namespace {
// With SIGKILL, which nobody blocks: no body has this mask.
constexpr signal_mask not_known = ~signal_mask{0} ^ signal_mask{3} << 31;

/// The body of a thread of the program in its own kernel thread, which has the mask: for those who would ask it by the signal of
/// ticks.
body* detached_body() {
  body* const own = own_body_of_thread();
  return body_with_mask() == nullptr && own != nullptr && own->is_adopted ? own : nullptr;
}

/// `is_set`: the kernel thread has it, whoever runs there next.
void record(signal_mask now, bool is_set) {
  const without_preemption to_the_end;
  body* const me = body_with_mask();
  if (me == nullptr) {  // it has gone to its own kernel thread, which has the mask, or is about to be given it
    if (body* const detached = detached_body()) detached->mask(now);
    return;
  }
  const bool is_the_same = now == me->mask();
  me->mask(now);
  me->where()->has_mask(is_set || is_the_same ? now : not_known);
  await_signals_for(*me);
  if (me->is_summoned()) me->take_signals();
}
}  // namespace
void note_mask(signal_mask now) { record(now, true); }
/// A signal that the member has left pending in its own kernel thread comes before the mask's change returns [sigprocmask(3p)].
bool has_signals_in_thread(signal_mask now) { return this_body != nullptr && (this_body->left_in_thread & ~now) != 0; }
void take_signals_of_thread(signal_mask now) {
  if (!has_signals_in_thread(now)) return;
  this_body->left_in_thread &= now;
  if (!detach_to_block()) pin_for_a_while();
}
// The body may leave before the mask is set, to its own kernel thread.
void note_mask_to_be(signal_mask now) {
  record(now, false);
  take_signals_of_thread(now);
}

}  // namespace weir::threads

namespace {

using weir::threads::body;
using weir::threads::body_with_mask;
using weir::threads::detached_body;
using weir::threads::note_mask;
using weir::threads::signal_mask;
using weir::threads::without_ticks;

signal_mask as_mask(const sigset_t& set) {
  signal_mask mask;
  std::memcpy(&mask, &set, sizeof mask);
  return mask;
}

bool is_mask_kept() { return (body_with_mask() != nullptr || detached_body() != nullptr) && !weir::threads::is_in_child(); }

/// Signals that were sent before the member took its seat wait in its kernel thread, and come before those that were sent later.
/// So it goes there under the mask that it had, and takes the others along.
void take_in_order(signal_mask now) {
  weir::threads::exchange_mask(body_with_mask()->mask());
  weir::threads::take_signals_of_thread(now);
  body* const detached = detached_body();
  if (detached != nullptr) detached->mask(now);
  weir::threads::exchange_mask(now);
  if (detached == nullptr) note_mask(now);
}

/// The thread's mask has been changed in this way, from `before`. In a handler `before` differs from the mask that the body has
/// recorded, and the end of the handler restores the recorded mask.
void note_change(int how, signal_mask set, signal_mask before) {
  const signal_mask asked = how == SIG_BLOCK ? before | set : how == SIG_UNBLOCK ? before & ~set : set;
  const signal_mask now = asked & weir::threads::all_signals;
  body* const detached = detached_body();
  const body* const me = detached != nullptr ? detached : body_with_mask();
  if (me == nullptr) return;
  if (before != me->mask()) return weir::threads::take_signals_of_thread(now);
  if (detached != nullptr) return detached->mask(now);
  if (weir::threads::has_signals_in_thread(now)) return take_in_order(now);
  note_mask(now);
}

/// Does such a change block ticks? Then none is sent until the mask is on record: it would stay pending, and come to a sigwait()
/// of the program's. Changes that only unblock signals come without, because a handler of such a signal may jump out of them.
bool may_block_ticks(int how, const sigset_t& set) {
  return how != SIG_UNBLOCK && sigismember(&set, weir::threads::message_signal) == 1;
}

template <class Next>
int change_mask(Next* next, int how, const sigset_t* set, sigset_t* old) {
  if (set == nullptr || !is_mask_kept()) return next(how, set, old);
  const sigset_t wanted = *set;  // `old` may be the same
  std::optional<without_ticks> meanwhile;
  if (may_block_ticks(how, wanted)) meanwhile.emplace();
  sigset_t before;
  const int result = next(how, set, &before);
  if (result != 0) return result;
  if (old != nullptr) *old = before;
  note_change(how, as_mask(wanted), as_mask(before));
  return 0;
}

/// Surrounds a function of the C library that changes the thread's mask by a system call of its own.
class noted_change {
 public:
  explicit noted_change(bool may_block) : is_kept_(is_mask_kept()), before_(is_kept_ ? weir::threads::present_mask() : 0) {
    if (is_kept_ && may_block) meanwhile_.emplace();
  }
  noted_change(const noted_change&) = delete;
  ~noted_change() {
    if (is_kept_) note_change(SIG_SETMASK, weir::threads::present_mask(), before_);
  }

 private:
  const bool is_kept_;
  const signal_mask before_;
  std::optional<without_ticks> meanwhile_;
};

/// The mask will be this one, even if the present handler runs with another.
void note_mask_of_context(const sigset_t& set) {
  const signal_mask mask = as_mask(set) & weir::threads::all_signals;
  body* const detached = detached_body();
  if (detached != nullptr && detached->mask() == mask) return;  // as where coroutines switch
  if (!is_mask_kept()) return;
  if (detached == nullptr) return weir::threads::note_mask_to_be(mask);
  const without_ticks meanwhile;
  detached->mask(mask);
}
void leave_waits() {
  body* const me = weir::threads::this_body != nullptr ? weir::threads::this_body : weir::threads::own_body_of_thread();
  if (me != nullptr && me->may_have_interrupted() && !weir::threads::is_in_child()) me->leave_interrupted();
}
void note_jump(const __jmp_buf_tag* to) {
  leave_waits();
  if (to->__mask_was_saved == 0) return;
  sigset_t set;
  std::memcpy(&set, &to->__saved_mask, sizeof set);
  note_mask_of_context(set);
}
void note_switch(const ucontext_t* to) { note_mask_of_context(to->uc_sigmask); }
void note_end(const ucontext_t* to) {
  leave_waits();
  note_switch(to);
}

}  // namespace

INTERPOSE(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* old)) {
  return change_mask(next_pthread_sigmask.get(), how, set, old);
}
INTERPOSE(int, sigprocmask, (int how, const sigset_t* set, sigset_t* old)) {
  return change_mask(next_sigprocmask.get(), how, set, old);
}
// The older ones.
#define CHANGES_MASK(name, parameters, arguments, may_block) \
  INTERPOSE(int, name, parameters) {                         \
    auto* const next = next_##name.get();                    \
    const noted_change meanwhile(may_block);                 \
    return next arguments;                                   \
  }
CHANGES_MASK(sighold, (int which), (which), true)
CHANGES_MASK(sigrelse, (int which), (which), false)
CHANGES_MASK(sigblock, (int which), (which), true)
CHANGES_MASK(sigsetmask, (int to), (to), true)
namespace {
/// The handler may have interrupted Weir's code, where the thread's type is the deferred one: that code does not go on to set it
/// back.
void leave_interrupted() {
  weir::let_be_cancelled();
}
}  // namespace
// Jumps, mostly out of a handler, that restore a saved mask.
#define JUMPS(name)                                                      \
  INTERPOSE_UNGUARDED(void, name, (__jmp_buf_tag * to, int value)) {     \
    weir::deferred<note_jump>::call_if_needed(to);                       \
    leave_interrupted();                                                 \
    next_##name.get()(to, value);                                        \
  }
JUMPS(longjmp)
JUMPS(_longjmp)
JUMPS(siglongjmp)
JUMPS(__longjmp_chk)
INTERPOSE_UNGUARDED(int, setcontext, (const ucontext_t* to)) {
  weir::deferred<note_end>::call_if_needed(to);
  leave_interrupted();
  return next_setcontext.get()(to);
}
INTERPOSE_UNGUARDED(int, swapcontext, (ucontext_t* from, const ucontext_t* to)) {
  weir::deferred<note_switch>::call_if_needed(to);
  return next_swapcontext.get()(from, to);
}
