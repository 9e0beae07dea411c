// What bodies do on processors that drive them: all scenarios, by name.
#pragma once

#include "driving.hpp"
#include "scenarios.hpp"

namespace explored_threads {

/// Bodies of one processor give it to each other; the other processor steals.
template <unsigned Bodies>
struct yielding : driving {
  yielding() : driving(Bodies) { processors[1].is_thief = true; }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      for (unsigned b = 1; b < Bodies; ++b) is_ready(b, 0);
      has_nothing_at_first(1);
      runs_first(0, 0);
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &bodies[0]) yield(b);
    });
  }
};

/// Bodies of one processor, which the monitor interrupts, so that they yield at any point at which they are not held.
template <unsigned Bodies, unsigned Ticks, bool Steals>
struct ticking : driving {
  ticking() : driving(Bodies, Steals ? 2 : 1) {
    processors[1].is_thief = Steals;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      for (unsigned b = 1; b < Bodies; ++b) is_ready(b, 0);
      if (Steals) has_nothing_at_first(1);
      runs_first(0, 0);
    });
    if (is_context(member, [](driven_body&) {})) return;
    for (unsigned t = 0; t < Ticks; ++t) tick(processors[0]);
  }
};

/// Body 0 sleeps until body 1 wakes it, on the same processor or on the other one.
template <bool Together>
struct sleeping_driven : driving {
  sleeping_driven() : driving(2, Together ? 1 : 2) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      if (Together) {
        is_ready(1, 0);
      } else {
        runs_first(1, 1);
      }
      runs_first(0, 0);
    });
    is_context(member, [&](driven_body& b) {
      if (&b == &bodies[0]) return sleep(b);
      changed.store(1, order::relaxed);
      wake(&b);
    });
  }
};

/// Body 0 blocks; the monitor hands the processor off; body 0 comes back. Both wait then.
template <unsigned Bodies>
struct blocking : driving {
  blocking() : driving(Bodies) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      for (unsigned b = 1; b < Bodies; ++b) is_ready(b, 0);
      has_nothing_at_first(1);
      runs_first(0, 0);
    });
    if (is_context(member, [this](driven_body& b) {
          if (&b == &bodies[0]) yield(b);
        }))
      return;
    hand_off(processors[0], processors[1]);
  }
};

/// A signal comes to body 0, which waits for it, or gives the processor to body 1 first; body 1 goes on at the other processor.
template <bool Yields>
struct signalling : driving {
  signalling() : driving(2, 1) {
    sends_signals = true;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      is_ready(1, 0);
      runs_first(0, 0);
    });
    if (is_context(member, [this](driven_body& b) {
          if (Yields || &b != &bodies[0]) yield(b);
          if (&b == &bodies[0]) awaits_signal();
        }))
      return;
    send(bodies[0]);
  }
};

/// Body 0 goes home, or comes from there and goes back, while the monitor claims its processor: the claim is refused, or the body does
/// not stop meanwhile.
template <bool Attaches>
struct claiming : driving {
  claiming() : driving(1, 1) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      if (Attaches) {
        has_nothing_at_first(0);
        is_detached(0);
      } else {
        runs_first(0, 0);
      }
    });
    if (is_context(member, [this](driven_body& b) {
          if (Attaches) changes_seat(b, &processors[0]);
        }))
      return;
    driven_processor& p = processors[0];
    if (!p.claim(p.switches())) return;
    check(p.current() == &bodies[0]);
    check(p.current() == &bodies[0]);
    p.unclaim();
  }
};

/// Body 0 sleeps at the stand-in of its seat, and body 1 wakes it: there it leaves the stand-in first, and is asleep once it has stopped.
template <bool Yields>
struct sleeping_at_stand_in : driving {
  sleeping_at_stand_in() : driving(2) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      seat(0, 0);
      seat(1, 0);
      processors[1].append(bodies[1]);
      runs_first(processors[0].idle(), 0);
      runs_first(bodies[0], 1);
      bodies[1].on.store(&processors[1], order::relaxed);
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &bodies[0]) {
        sleep(b);
        check(changed.load(order::relaxed) == 1);
      } else {
        if (Yields) yield(b);
        changed.store(1, order::relaxed);
        wake(&b);
      }
    });
  }
};

/// The thread of processor 0 ends to drive it, while another body blocks there and its own body runs at the stand-in.
struct ending : driving {
  word<std::uint32_t> returns{0};
  ending() : driving(2) {
    contexts[0] = &processors[0].own();
    contexts[1] = &bodies[1];
    processors[0].own().is_run_by_member = true;
  }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      driven_body& own = processors[0].own();
      own.may_move.store(static_cast<std::uint32_t>(weir::threads::moves::to_stand_in), order::relaxed);
      processors[0].append(own);
      has_nothing_at_first(1);
      runs_first(1, 0);
    });
    if (is_context(member, [this](driven_body& b) {
          if (&b == &processors[0].own()) return ends_driving(processors[0]);
          explored::spin(returns, [](std::uint32_t now) { return now == 1; });
          yield(b);
        }))
      return;
    hand_off(processors[0], processors[1]);
    returns.store(1, order::relaxed);
  }
};

/// Body 0 goes to processor 1, from its own kernel thread or from processor 0, and home again.
template <bool IsDetached>
struct moving : driving {
  moving() : driving(2) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      has_nothing_at_first(1);
      if (IsDetached) {
        is_detached(0);
        runs_first(1, 0);
      } else {
        is_ready(1, 0);
        runs_first(0, 0);
      }
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &bodies[0]) changes_seat(b, &processors[1]);
      yield(b);
    });
  }
};

/// The same, where two others stay, which block different signals.
struct moving_between_masks : driving {
  moving_between_masks() : driving(3) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      has_nothing_at_first(1);
      is_ready(1, 0);
      is_ready(2, 0);
      bodies[1].mask_of_context(1);
      runs_first(0, 0);
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &bodies[0]) changes_seat(b, &processors[1]);
      if (&b == &bodies[1]) yield(b);
    });
  }
};

/// Another thread calls body 0 home while it changes its signal mask: it is at home when it has waited.
struct calling_home : driving {
  word<std::uint32_t> has_called{0};
  calling_home() : driving(2, 1) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      is_ready(1, 0);
      runs_first(0, 0);
    });
    if (is_context(member, [this](driven_body& b) {
          if (&b != &bodies[0]) return yield(b);
          changes_mask(b, 1);
          explored::spin(has_called, [](std::uint32_t now) { return now == 1; });
          yield(b);
          check(b.where() == nullptr);
        }))
      return;
    bodies[0].call_home();
    driven_bodies::wake(bodies[0]);
    has_called.store(1, order::release);
    // From then on the caller may change the state of the body's kernel thread.
    if (!bodies[0].is_called_home()) check(bodies[0].on.load(order::relaxed) == nullptr);
  }
};

/// A signal comes to body 0, which goes home, or to another processor, where it waits for the signal.
template <bool Home>
struct signalling_one_that_moves : driving {
  signalling_one_that_moves() : driving(1, Home ? 1 : 2) {
    sends_signals = true;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      prepare();
      if (!Home) has_nothing_at_first(1);
      runs_first(0, 0);
    });
    if (is_context(member, [this](driven_body& b) {
          changes_seat(b, Home ? nullptr : &processors[1]);
          awaits_signal();
        }))
      return;
    send(bodies[0]);
  }
};

/// Member 0 does what drivers do for body 0, which computes then; member 1 sends it a signal.
enum class summoned { goes_on, goes_home, goes_home_blocking, unblocks, begins_to_drive };
template <summoned How>
struct summoning : driving {
  summoning() : driving(1, 1) { sends_signals = true; }
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      prepare();
      seat(0, 0);
      processors[0].runs(How == summoned::unblocks || How == summoned::begins_to_drive ? bodies[0] : processors[0].idle());
      if (How == summoned::unblocks || How == summoned::goes_home_blocking) bodies[0].mask_of_context(1);
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
    switch (How) {
      case summoned::goes_on:
        processors[0].runs(*me);
        if (me->is_summoned()) me->take_signals();
        break;
      case summoned::goes_home:
      case summoned::goes_home_blocking:
        runs_on = nullptr;
        me->on.store(nullptr, order::relaxed);
        me->arrive_detached();
        break;
      case summoned::unblocks:
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

/// Those with few states under weak memory.
inline std::vector<named> small_driven_scenarios() {
  return {of<sleeping_driven<true>>("sleeping together", 3),
          of<summoning<summoned::goes_on>>("summoned where it goes on", 2),
          of<summoning<summoned::goes_home>>("summoned while it goes home", 2),
          of<summoning<summoned::goes_home_blocking>>("summoned while it goes home and blocks", 2),
          of<summoning<summoned::unblocks>>("summoned while it unblocks", 2),
          of<summoning<summoned::begins_to_drive>>("summoned while it begins to drive", 2),
          of<calling_home>("calling home", 4)};
}

/// Those with more, up to some hundred thousand.
inline std::vector<named> driven_scenarios() {
  return {of<claiming<false>>("claiming while it leaves", 3),
          of<claiming<true>>("claiming while it attaches", 3),
          of<ticking<2, 1, false>>("ticking", 4),
          of<sleeping_at_stand_in<false>>("sleeping at a stand-in", 4),
          of<ending>("ending", 5),
          of<moving<true>>("attaching", 4),
          of<moving<false>>("moving", 4),
          of<signalling_one_that_moves<true>>("signalling one that goes home", 3),
          of<signalling<false>>("signalling", 4),
          of<signalling<true>>("signalling one that yields", 4)};
}

/// Those with too many.
inline std::vector<named> larger_driven_scenarios() {
  return {of<sleeping_driven<false>>("sleeping apart", 4),
          of<yielding<2>>("yielding", 4),
          of<yielding<3>>("three yielding", 5),
          of<ticking<2, 1, true>>("ticking and stealing", 5),
          of<ticking<3, 4, true>>("three bodies, four ticks and a thief", 6),
          of<sleeping_at_stand_in<true>>("sleeping and yielding at a stand-in", 4),
          of<moving_between_masks>("moving between masks", 5),
          of<blocking<2>>("blocking", 5),
          of<blocking<3>>("three bodies, one of which blocks", 6),
          of<signalling_one_that_moves<false>>("signalling one that moves", 4)};
}

}  // namespace explored_threads
