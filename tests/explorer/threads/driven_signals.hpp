// Signals that come to bodies, and requests to detach.
#pragma once

#include "driving.hpp"

namespace explored_threads {

/// A signal comes to body 0, which waits for it, or gives the processor to body 1 first; body 1 goes on at the other processor.
template <bool Yields>
struct signalling : driving {
  signalling() : driving(2, 1) {
    sends_signals = true;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    begin_on_one(member);
    if (is_context(member, [this](driven_body& b) {
          if (Yields || &b != &bodies[0]) yield(b);
          if (&b == &bodies[0]) awaits_signal();
        }))
      return;
    send(bodies[0]);
  }
};

/// Another thread calls body 0 home while it changes its signal mask: it is at home when it has waited.
template <unsigned Bodies, bool ForAWhile>
struct asking_to_detach : driving {
  word<std::uint32_t> has_asked{0};
  asking_to_detach() : driving(Bodies, 1) {}
  void pass(unsigned member, unsigned) {
    begin_on_one(member);
    if (is_context(member, [this](driven_body& b) {
          if (&b != &bodies[0]) return yield(b);
          changes_mask(b, 1);
          explored::spin(has_asked, [](std::uint32_t now) { return now == 1; });
          yield(b);
          check((b.where() == nullptr) != ForAWhile && times_away == (ForAWhile ? 1 : 0));
          changes_mask(b, 0);
          check(!b.is_asked_to_detach() && !b.has_signals() && !b.is_summoned() && has_handled && times_away <= 1);
        }))
      return;
    bodies[0].summon({});
    if (ForAWhile)
      bodies[0].ask_to_detach_for_a_while();
    else
      bodies[0].ask_to_detach();
    driven_bodies::wake(bodies[0]);
    has_asked.store(1, order::release);
    // From then on the caller may change the state of the body's kernel thread.
    if (!ForAWhile && !bodies[0].is_asked_to_detach()) check(bodies[0].on.load(order::relaxed) == nullptr);
  }
};

/// A signal of another process comes to the thread of a processor, where body 1 blocks it, from the beginning or later, and body
/// 0 does not.
template <bool Changes>
struct signalling_from_outside : driving {
  signalling_from_outside() : driving(2, 1) {
    from_outside = true;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    begin_on_one(member, [&] { bodies[1].mask_of_context(Changes ? 0 : driven_bodies::of_program); });
    if (is_context(member, [this](driven_body& b) {
          if (Changes && &b == &bodies[1]) changes_mask(b, driven_bodies::of_program);
          yield(b);
          if (&b == &bodies[0]) awaits_signal();
        }))
      return;
    processors[0].signals.store(of_program, order::relaxed);
  }
};

/// A signal comes to body 0, which detaches, or to another processor, where it waits for the signal.
template <bool Home>
struct signalling_one_that_moves : driving {
  signalling_one_that_moves() : driving(1, Home ? 1 : 2) {
    sends_signals = true;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    begin_on_one(member);
    if (is_context(member, [this](driven_body& b) {
          changes_seat(b, Home ? nullptr : &processors[1]);
          awaits_signal();
        }))
      return;
    send(bodies[0]);
  }
};

/// Member 0 does what drivers do for body 0, which computes then; member 1 sends it a signal.
enum class summoned { goes_on, detaches, detaches_blocking, unblocks, begins_to_drive };
template <summoned How>
struct summoning : driving {
  summoning() : driving(1, 1) { sends_signals = true; }
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      seat(0, 0);
      processors[0].runs(How == summoned::unblocks || How == summoned::begins_to_drive ? bodies[0] : processors[0].idle());
      if (How == summoned::unblocks || How == summoned::detaches_blocking) bodies[0].mask_of_context(1);
      if (How == summoned::begins_to_drive) may_move(weir::threads::moves::nowhere);
    });
    if (member == 1) {
      send(bodies[0]);
    } else {
      me = &bodies[0];
      passes();
      me->release();
      awaits_signal();
    }
    if (is_last(members)) check(of_own_thread[0].load(order::relaxed) == 0);
  }

 private:
  void may_move(weir::threads::moves how) { bodies[0].may_move.store(static_cast<std::uint32_t>(how), order::relaxed); }
  void passes() {
    runs_on = &processors[0];
    runs_on->memory.is_here = true;
    switch (How) {
      case summoned::goes_on:
        processors[0].runs(*me);
        if (me->is_summoned()) me->take_signals();
        break;
      case summoned::detaches:
      case summoned::detaches_blocking:
        runs_on = nullptr;
        me->on.store(nullptr, order::relaxed);
        me->arrive_detached();
        break;
      case summoned::unblocks:
        if (me->is_summoned()) me->take_signals();
        me->mask(0);
        if (me->is_summoned()) me->take_signals();
        break;
      case summoned::begins_to_drive:
        may_move(weir::threads::moves::to_stand_in);
        me->release();
        me->hold();
        // From now on other bodies may run on this thread.
        if (of_own_thread[0].exchange(0, order::relaxed) != 0) handles();
    }
  }
};

}  // namespace explored_threads
