// Bodies on processors that drive them.
#pragma once

#include "driving.hpp"

namespace explored_threads {

/// Bodies of one processor give it to each other; the other processor steals.
template <unsigned Bodies>
struct yielding : driving {
  yielding() : driving(Bodies) { processors[1].is_thief = true; }
  void pass(unsigned member, unsigned) {
    begin_on_one(member);
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
    begin_on_one(member);
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
template <unsigned Bodies, bool BlocksOften = false>
struct blocking : driving {
  blocking() : driving(Bodies) { bodies[0].blocks_often = BlocksOften; }
  void pass(unsigned member, unsigned) {
    begin_on_one(member);
    if (is_context(member, [this](driven_body& b) {
          if (&b != &bodies[0]) return;
          yield(b);
        }))
      return;
    hand_off(processors[0], processors[1]);
  }
};

/// Body 0 detaches, or comes from there and goes back, while the monitor claims its processor: the claim is refused, or the body
/// does not stop meanwhile.
template <bool Attaches>
struct claiming : driving {
  claiming() : driving(1, 1) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
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

/// Body 0 sleeps at the stand-in of its seat, and body 1 wakes it: there it leaves the stand-in first, and is asleep once it has
/// stopped.
template <bool Yields>
struct sleeping_at_stand_in : driving {
  sleeping_at_stand_in() : driving(2) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
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

/// Body 0 goes to processor 1, from its own kernel thread or from processor 0, and home again.
template <bool IsDetached>
struct moving : driving {
  moving() : driving(2) {}
  void pass(unsigned member, unsigned) {
    if (IsDetached)
      begin(member, [&] {
        has_nothing_at_first(1);
        is_detached(0);
        runs_first(1, 0);
      });
    else
      begin_on_one(member);
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
    begin_on_one(member, [&] { bodies[1].mask_of_context(1); });
    is_context(member, [this](driven_body& b) {
      if (&b == &bodies[0]) changes_seat(b, &processors[1]);
      if (&b == &bodies[1]) yield(b);
    });
  }
};

/// Body 0 runs at the stand-in of its seat, which has been reclaimed, and waits there: the others return first.
template <bool Sleeps>
struct returning_bodies : driving {
  returning_bodies() : driving(2) {}
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      seat(0, 0);
      is_ready(1, 0);
      has_nothing_at_first(0);
      processors[0].hand_off(processors[1]);
      processors[0].reclaim();
      runs_first(bodies[0], 1);
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &bodies[0]) return Sleeps ? sleep(b) : yield(b);
      check(b.where() == &processors[0]);
      changed.store(1, order::relaxed);
      wake(&b);
    });
  }
};

/// Body 0 has been blocked at its processor, and yields or leaves: the stand-in is needed no more.
template <bool Yields>
struct leaving_one_stood_in_for : driving {
  leaving_one_stood_in_for() : driving(2) {}
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      is_ready(1, 0);
      runs_first(0, 0);
      processors[0].hand_off(processors[1]);
      has_nothing_at_first(1);
    });
    is_context(member, [this](driven_body& b) {
      if (!Yields || &b != &bodies[0]) return;
      yield(b);
      check(!processors[0].is_stood_in_for());
    });
    if (is_last(members)) check(!processors[0].is_stood_in_for());
  }
};

}  // namespace explored_threads
