// Kernel threads that begin to drive processors, end, and are idle.
#pragma once

#include "driving.hpp"

namespace explored_threads {

/// The thread of processor 0 ends to drive it, while another body blocks there and its own body runs at the stand-in.
struct ending : driving {
  word<std::uint32_t> returns{0};
  ending() : driving(2) { has_own_body(); }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
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

/// The same, while its own body is back there, and the other one runs at the stand-in.
struct ending_one_stood_in_for : driving {
  ending_one_stood_in_for() : driving(2) { has_own_body(); }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      is_ready(1, 0);
      runs_first(processors[0].own(), 0);
      processors[0].hand_off(processors[1]);
      has_nothing_at_first(1);
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &processors[0].own()) return ends_driving(processors[0]);
      yield(b);
    });
  }
};

/// The same, with a body that it has stolen.
struct ending_with_stolen : driving {
  ending_with_stolen() : driving(2) { has_own_body(); }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      is_ready(1, 0);
      bodies[1].seat.store(&processors[1], order::relaxed);
      has_nothing_at_first(1);
      runs_first(processors[0].own(), 0);
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &processors[0].own()) return ends_driving(processors[0]);
      check(b.where() == &processors[1]);
    });
  }
};

/// The thread of processor 0 begins to drive it again; body 1 attaches itself there; then the thread ends.
struct driving_again : driving {
  word<std::uint32_t> begun{0};
  driving_again() : driving(2, 1) { has_own_body(); }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      driven_body& own = processors[0].own();
      processors[0].close();
      own.hold();  // until the thread begins
      runs_first(own, 0);
      is_detached(1);
    });
    is_context(member, [this](driven_body& b) {
      if (&b == &bodies[1]) {
        explored::spin(begun, [](std::uint32_t now) { return now == 1; });
        changes_seat(b, &processors[0]);
        check(b.where() == &processors[0]);
        changed.store(1, order::relaxed);
        wake(&b);
      } else {
        processors[0].begin_driving();
        check(processors[0].is_driven() && b.held.load(order::relaxed) == 0);
        begun.store(1, order::release);
        sleep(b);
        ends_driving(processors[0]);
      }
    });
  }
};

/// The thread of processor 0 drives others' bodies until its own is ready. It handles no signals for the process, and its queue
/// is not claimed while it goes away.
template <bool IsClaimed>
struct helping : driving {
  helping() : driving(2, 1) {
    has_own_body();
    if (IsClaimed) return;
    from_outside = true;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    driven_processor& helper = processors[0];
    begin(member, [&] {
      helper.own().mask_of_context(driven_bodies::all_signals);
      helper.blocked = driven_bodies::all_signals;
      helper.has_mask(driven_bodies::all_signals);
      runs_first(helper.own(), 0);
      is_detached(1);
    });
    if (is_context(member, [&](driven_body& b) {
          if (&b == &bodies[1]) {
            changes_seat(b, &helper);
            b.hold();
            queue::make_ready(helper.own(), &b);
            b.release();
          } else {
            helper.drive_others();
            check(b.held.load(order::relaxed) == 0);
            drops_idle_context(helper);
          }
        }))
      return;
    if (!IsClaimed) {
      helper.signals.store(of_program, order::relaxed);
    } else if (helper.claim(helper.switches())) {
      const auto* const runs = helper.current();
      check(helper.current() == runs);
      check(helper.current() == runs);
      helper.unclaim();
    }
  }
};

/// Body 0 leaves a processor whose thread's own body is elsewhere: the thread has the same thread pointer, and handles no signal.
struct idle_without_own_body : driving {
  idle_without_own_body() : driving(1, 1) {
    from_outside = true;
    with_signals();
  }
  void pass(unsigned member, unsigned) {
    begin_on_one(member, [&] { processors[0].own().on.store(&processors[1], order::relaxed); });
    if (!is_context(member, [](driven_body&) {})) processors[0].signals.store(of_program, order::relaxed);
  }
};

}  // namespace explored_threads
