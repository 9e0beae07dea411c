// How the thread of a virtual processor drives bodies: they give the processor to each other, sleep, and leave it for where they
// belong.
//
// A body may run elsewhere as soon as it is made ready there, so it must have stopped before. Therefore the body that runs next
// does what is left to do for the one that has left:
//
//   leaves:      leaving_ = me;  its registers are saved  |
//   runs next:                                            |  settle(): makes leaving_ ready where it belongs
//
// A body that yields on its own queue is ready before it has stopped: only this thread takes it from there, or a claimant, whom
// the body holds off (run_queue.hpp). Without ready bodies the thread waits in a context of its own, since the body that stopped
// last may go on elsewhere meanwhile.
//
// The text is a template, so that the explorer checks it (tests/explorer/driver_test.cpp). `Bodies` has the types, and what the
// machine does: contexts, signal masks, and the memory that the thread of one processor has for itself. Its processor derives
// from basic_driver, and has the policies: which body is next, and what a thread without bodies does before it sleeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "threads/scheduling/run_queue.hpp"

namespace weir::threads {

template <class Bodies>
class basic_driver : public Bodies::queue {
 public:
  using machine = typename Bodies::machine;
  using queue = typename Bodies::queue;
  using body = typename Bodies::body;
  using processor = typename Bodies::processor;
  using awaited = typename Bodies::awaited;
  using signal_mask = typename Bodies::signal_mask;

  basic_driver() : own_(this), idle_(this) {}

  body* current() const { return static_cast<body*>(queue::current()); }
  body& own() { return own_; }
  /// While nobody else can run the body of its thread.
  bool is_at_home() const { return own_.on.load(std::memory_order_relaxed) == this; }
  /// For its own thread: between begin_driving() and end_driving(). A stand-in may do it in place of this thread, which then runs
  /// without a body.
  bool is_driven() const { return is_driven_; }
  /// The signals that its kernel thread blocks now have been changed by the running body.
  void has_mask(signal_mask now) { mask_ = now; }

  // ---- for the thread that drives the processor, in the name of the body `me`, which is held

  /// Switches to another ready body, if there is one.
  [[gnu::noinline]] void yield(body& me);

  /// The same, until the word is woken; at once if it has another value.
  [[gnu::noinline]] void sleep(body& me, const awaited& on);

  /// `me` goes on at its seat, or detached if it has no seat.
  [[gnu::noinline]] void leave(body& me);

  /// A body has begun to run here, and finishes what the last body has left to do.
  void settle(body& me) {
    if (unsettled_) [[unlikely]] settle_slowly(me);
  }

  // ---- for the thread itself

  /// From now on, and no longer.
  void begin_driving() {
    this->open();
    is_driven_ = true;
    own_.release();
  }
  void end_driving();

  /// Of a helper: until its own body is made ready.
  void drive_others();

  /// In the idle context, again and again.
  [[gnu::always_inline]] void drive_next() {
    settle(idle_);
    body* const next = self().next();
    if (next != nullptr)
      switch_to(idle_, *next);
    else
      wait_for_bodies();
  }

  // ---- for others

  /// A thread attaches its body, which has a seat: its kernel thread parks. Returns where the body goes on.
  static void attach(body& b) {
    b.parked.begin();
    b.held.store(1, std::memory_order_relaxed);  // relaxed: the body travels by push()
    Bodies::lend(b);
    if (!goes_on(b)) return;  // the processor drives nothing any more
    b.release();
  }

  /// For a handler that has interrupted the code of `me`, by a signal for the thread that drives `on`: may the body be stopped
  /// there? The signal may have come late, to another body.
  static bool may_stop(const processor* on, const body& me) {
    return me.where() == on && on->current() == &me && me.held.load(std::memory_order_relaxed) == 0;
  }

  // ---- for the thread that drives this processor, which is the only claimant, by a lock

  /// True: `other` is claimed, if its running body has run since the count of switches was `switched`. Most processors hold their
  /// running bodies, and so do processors that nobody drives.
  static bool may_steal_from(processor& other, std::uint32_t switched) {
    // relaxed: asked again by claim().
    return other.current()->held.load(std::memory_order_relaxed) == 0 && other.claim(switched);
  }
  /// Takes half of its bodies that may go, and ends the claim. True: it has taken some.
  template <class MayGo>
  bool steal_claimed(processor& other, MayGo may_go) {
    const bool some = this->steal_from(other, may_go);
    other.unclaim();
    return some;
  }

 protected:
  /// A body that has not stopped since it was summoned: asked to detach.
  static void answer(body& me) {
    if (me.is_summoned()) [[unlikely]] me.take_signals();
  }

  void block(signal_mask signals) {
    if (mask_ == signals) return;
    mask_ = signals;
    Bodies::block(signals);
  }

  body own_;   // of the kernel thread that drives it
  body idle_;  // the same thread, where it waits

 private:
  template <class T>
  using own_memory = typename Bodies::template own_memory<T>;

  processor& self() { return static_cast<processor&>(*this); }

  [[gnu::noinline]] void settle_slowly(body& me);

  /// The body has been switched to. False: it is in its own kernel thread.
  static bool goes_on(body& me) {
    processor* const on = me.where();
    if (on != nullptr)
      on->settle(me);
    else
      me.arrive_detached();
    return on != nullptr;
  }

  // `me` is held, and may go on elsewhere. Between two bodies that block different signals, all signals are blocked: no signal
  // may be handled in the name of a body that blocks it. Nor on the alternate stack of another body, which may go on elsewhere.
  void switch_to(body& me, body& next) {
    this->runs(next);
    // The sender of a signal summons the body, executes a fence everywhere, and looks whether the body runs (sender.hpp): either
    // this thread sees the summons, or the sender sees that the body runs.
    machine::light_fence();
    if (next.mask_or_summons() != mask_ || !self().has_signal_stack_of(next)) [[unlikely]] {
      block(Bodies::all_signals);
      unsettled_ = true;
    }
    Bodies::switch_context(me, next);
    goes_on(me);
  }

  body& next_or_idle() {
    if (body* const next = self().next()) return *next;
    // Whatever is blocked now. But while the body of this thread may run elsewhere, with the same thread pointer, no signal may
    // be handled here.
    idle_.mask_of_context(is_at_home() ? mask_ : Bodies::all_signals);
    return idle_;
  }

  /// Has `me` left for where it belongs?
  bool returns_elsewhere(body& me) {
    if (this->is_stood_in_for()) [[unlikely]] {
      this->reclaim();
      if (self().stays_detached(me)) return true;
    }
    if (me.home() == this) [[likely]] return false;
    this->return_bodies();
    if (self().stays_detached(me)) return true;
    if (this->is_place_of(me)) return false;
    leave(me);
    return true;
  }

  // Threads that are not the program's should handle no signals, but blocking them costs two system calls each time, so they do
  // so only while asleep.
  void wait_for_bodies() {
    if (self().finds_bodies()) return;
    if (is_at_home()) block(own_.mask());
    this->await_arrival();
  }

  own_memory<body*> leaving_{nullptr};  // the body that leaves, once it has stopped
  own_memory<awaited> sleeps_on_{};     // what that body sleeps on; nothing: it is ready where it belongs
  own_memory<bool> unsettled_{
      false};  // a body leaves, or the kernel thread's signal mask or alternate stack differs from the body's
  own_memory<bool> is_driven_{false};
  own_memory<signal_mask> mask_{0};     // of the kernel thread
};

// Not inline: a user of the native processor must not need its policies, and inlined copies would save registers around every
// branch.

template <class Bodies>
void basic_driver<Bodies>::yield(body& me) {
  if (returns_elsewhere(me)) return;
  body* const next = self().next();
  if (next == nullptr) {
    answer(me);
    return Bodies::pause();
  }
  this->append(me);
  switch_to(me, *next);
}

template <class Bodies>
void basic_driver<Bodies>::sleep(body& me, const awaited& on) {
  if (this->alone_runs(me)) [[likely]] {
    if (!Bodies::falls_asleep(me, on)) return answer(me);
    // It may have been made ready meanwhile.
    if (body& next = next_or_idle(); &next != &me) switch_to(me, next);
    return;
  }
  if (this->is_stood_in_for() && self().stays_detached(me)) return;
  this->return_bodies();
  sleeps_on_ = on;
  leave(me);
}

template <class Bodies>
void basic_driver<Bodies>::leave(body& me) {
  if (this->is_stood_in_for()) this->reclaim();
  body& next = next_or_idle();
  leaving_ = &me;
  unsettled_ = true;
  switch_to(me, next);
}

template <class Bodies>
void basic_driver<Bodies>::end_driving() {
  own_.hold();
  // The processor's own thread goes on where the program began to drive it.
  own_.may_move.store(static_cast<std::uint32_t>(moves::nowhere), std::memory_order_relaxed);
  while (!is_at_home()) own_.where()->leave(own_);
  if (this->is_stood_in_for()) this->reclaim();
  this->return_stolen();
  is_driven_ = false;
}

template <class Bodies>
void basic_driver<Bodies>::drive_others() {
  own_.hold();
  idle_.mask_of_context(mask_);
  switch_to(own_, idle_);
  own_.release();
}

template <class Bodies>
void basic_driver<Bodies>::settle_slowly(body& me) {
  unsettled_ = false;
  // First: the body that has left may go on elsewhere, and handle signals on the stack. The C library's signals, which nobody
  // blocks, come here meanwhile.
  self().take_signal_stack_of(me);
  if (body* const left = leaving_; left != nullptr) {
    leaving_ = nullptr;
    const awaited on = sleeps_on_;
    sleeps_on_ = awaited{};
    if (!on || !Bodies::falls_asleep(*left, on)) queue::make_ready(*left, &me);
  }
  const bool summoned = me.is_summoned();
  block(me.mask());
  if (summoned) me.take_signals();
}

}  // namespace weir::threads
