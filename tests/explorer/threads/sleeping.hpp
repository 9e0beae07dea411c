// Threads and bodies that sleep, and calls that no signal may cut short.
#pragma once

#include "scenario.hpp"

namespace explored_threads {

/// Member 0 is the monitor; a body becomes ready by member 1, in the name of one that runs there or from outside.
template <bool Inside>
struct monitoring : scenario {
  queue processor;
  body own, b;
  idle_sleep idle;
  void pass(unsigned member, unsigned) {
    of_monitor = &idle;
    begin(member, [&] {
      runs_at(own, processor);
      belongs(b, processor);
    });
    if (member == 0) {
      idle.sleep_unless([&] { return processor.has_ready(); });
    } else {
      own.hold();
      make_ready(b, Inside ? &own : nullptr);
      own.release();
    }
  }
};

/// Member 0 is the monitor until member 1 relieves it, and takes its place; a body becomes ready by member 2.
struct relieving : scenario {
  queue processor;
  body b;
  idle_sleep idle;
  explored_mutex making;
  word<std::uint32_t> generation{0};
  void look_as(std::uint32_t which) {
    const auto is_relieved = [&] { return generation.load(order::relaxed) != which; };
    const auto any = [&] {
      making.lock();
      const bool its_any = is_relieved() || processor.has_ready();
      making.unlock();
      return its_any;
    };
    idle.sleep_unless(any);
  }
  void pass(unsigned member, unsigned) {
    of_monitor = &idle;
    begin(member, [&] { belongs(b, processor); });
    if (member == 0) return look_as(0);
    if (member == 2) return make_ready(b);
    making.lock();
    generation.store(1, order::relaxed);
    idle.wake();
    making.unlock();
    look_as(1);
  }
};

/// Member 0's body is in a call that a signal might cut short; member 1 would send one.
struct calling : scenario {
  queue processor;
  body own;
  word<std::uint32_t> signals{0};
  void pass(unsigned member, unsigned) {
    begin(member, [&] { runs_at(own, processor); });
    if (member == 0) {
      own.begin_call();
      const std::uint32_t before = signals.load(order::relaxed);
      check(signals.load(order::relaxed) == before);
      own.end_call();
    } else if (processor.claim(1)) {
      if (!own.is_calling()) {
        signals.store(1, order::relaxed);
        machine::fence_everywhere();  // the signal is handled before the body goes on
      }
      processor.unclaim();
    }
  }
};

/// The same, where the call has set the mask, by which the body blocks the signal from then on: it would stay pending.
struct blocking_by_call : scenario {
  queue processor;
  body own;
  word<std::uint32_t> blocks{0}, signals{0};
  void pass(unsigned member, unsigned) {
    begin(member, [&] { runs_at(own, processor); });
    if (member == 0) {
      own.begin_call();
      const std::uint32_t before = signals.load(order::relaxed);
      blocks.store(1, order::relaxed);
      own.end_call();
      check(signals.load(order::relaxed) == before);
    } else if (processor.claim(1)) {
      if (!own.is_calling() && blocks.load(order::relaxed) == 0) {
        signals.store(1, order::relaxed);
        machine::fence_everywhere();  // the signal is handled before the body goes on
      }
      processor.unclaim();
    }
  }
};

/// The word changes, and who sleeps on the object is woken.
inline void change(sleep_queue& bucket, word<std::uint32_t>& of, word<std::uint32_t>& object) {
  of.store(1, order::relaxed);
  machine::full_fence();
  if (bucket.has_sleepers()) bucket.wake(object, 1, nullptr);
}
inline void change(sleep_queue& bucket, word<std::uint32_t>& of) { change(bucket, of, of); }

/// A body sleeps, and its processor for want of others; member 1 changes the word for whose change it sleeps, and wakes it.
struct body_that_sleeps : scenario {
  sleep_queue bucket;
  word<std::uint32_t> object{0};
  queue processor;
  body b;
  /// `falls_asleep()`: on the object.
  template <class FallsAsleep>
  void sleep_until_changed(unsigned member, unsigned members, word<std::uint32_t>& changed, FallsAsleep falls_asleep) {
    begin(member, [&] { belongs(b, processor); });
    if (member == 0) {
      b.has_done.store(1, order::relaxed);
      if (falls_asleep()) await(processor, b);
      check(changed.load(order::relaxed) == 1);
    } else {
      change(bucket, changed, object);
    }
    if (is_last(members)) check(!bucket.has_sleepers());
  }
};

/// It sleeps on the word.
struct sleeping : body_that_sleeps {
  void pass(unsigned member, unsigned members) {
    sleep_until_changed(member, members, object, [this] { return bucket.add(b, object, 0); });
  }
};

/// It sleeps on a word while another one is zero, which member 1 changes.
struct sleeping_while_zero : body_that_sleeps {
  word<std::uint32_t> must_be_zero{0};
  void pass(unsigned member, unsigned members) {
    sleep_until_changed(member, members, must_be_zero, [this] {
      return bucket.add(b, object, object, 0, [this] { return must_be_zero.load(order::relaxed) != 0; });
    });
  }
};

/// Bodies sleep, each in a kernel thread of its own; the last member changes the word and wakes all, at once or one at a time.
template <bool AtOnce>
struct sleeping_together : scenario {
  sleep_queue bucket;
  word<std::uint32_t> changed{0};
  body bodies[2];
  void pass(unsigned member, unsigned members) {
    if (member + 1 != members) {
      body& me = bodies[member];
      if (bucket.add(me, changed, 0)) me.parked.await_end();
      check(changed.load(order::relaxed) == 1);
    } else {
      changed.store(1, order::relaxed);
      machine::full_fence();
      for (unsigned i = 0; i < (AtOnce ? 1 : members - 1); ++i)
        if (bucket.has_sleepers()) bucket.wake(changed, AtOnce ? members : 1, nullptr);
    }
    if (is_last(members)) check(!bucket.has_sleepers());
  }
};

/// One member alone: of bodies that sleep on two words, a wake-up takes those of its own, the one that has slept longest first,
/// and no more than it is asked for.
struct sleeping_in_order : scenario {
  sleep_queue bucket;
  word<std::uint32_t> changed{0}, other{0};
  queue processor;
  body bodies[3], of_other;
  void pass(unsigned, unsigned) {
    for (body* b : {&bodies[0], &of_other, &bodies[1], &bodies[2]}) {
      belongs(*b, processor);
      check(bucket.add(*b, b == &of_other ? other : changed, 0));
    }
    bucket.wake(changed, 2, nullptr);
    check(processor.take() == &bodies[0] && processor.take() == &bodies[1] && processor.take() == nullptr &&
          bucket.has_sleepers());
    bucket.wake(of_other, nullptr);
    check(processor.take() == &of_other && processor.take() == nullptr && bucket.has_sleepers());
    check(!bucket.add(of_other, other, 1));
    check(bucket.add(bodies[0], changed, 0));  // behind the one that is left
    bucket.wake(changed, 2, nullptr);
    check(processor.take() == &bodies[2] && processor.take() == &bodies[0] && !bucket.has_sleepers());
  }
};

/// A body sleeps that runs at the stand-in of its seat, by member 0; the seat's own thread comes back, and takes what is ready;
/// member 2 wakes the body. Nobody runs it before it has stopped.
struct sleeping_away : scenario {
  sleep_queue bucket;
  word<std::uint32_t> changed{0}, stopped{0};
  queue processor, stand_in;
  body own, b;
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      runs_at(own, processor);
      belongs(b, processor);
      processor.append(b);
      check(processor.claim(1));
      processor.hand_off(stand_in);
      check(stand_in.take() == &b);
      b.has_done.store(1, order::relaxed);
    });
    if (member == 0) {
      const bool before = stand_in.alone_runs(b);
      if (!before) stopped.store(1, order::relaxed);
      const bool sleeps = bucket.add(b, changed, 0);
      if (before) stopped.store(1, order::relaxed);
      if (!sleeps) queue::make_ready(b, nullptr);
    } else if (member == 1) {
      processor.reclaim();
      if (const auto* const next = processor.take()) {
        check(next == &b && stopped.load(order::relaxed) == 1);
        processor.append(b);
      }
    } else {
      change(bucket, changed);
    }
    if (is_last(members)) check(count(processor, b) + count(stand_in, b) == 1);
  }
};

/// A body sleeps; two others wake it, by the word and by its name: it becomes ready once.
struct waking_twice : scenario {
  sleep_queue bucket;
  word<std::uint32_t> changed{0};
  queue processor;
  body b;
  void pass(unsigned member, unsigned members) {
    begin(member, [&] { belongs(b, processor); });
    if (member == 0) {
      b.has_done.store(1, order::relaxed);
      if (bucket.add(b, changed, 0)) await(processor, b);
    } else if (member == 1) {
      change(bucket, changed);
    } else if (b.awaits.load(order::relaxed) == &changed) {
      bucket.wake(b, nullptr);
    }
    if (is_last(members)) check(!bucket.has_sleepers() && processor.take() == nullptr);
  }
};

}  // namespace explored_threads
