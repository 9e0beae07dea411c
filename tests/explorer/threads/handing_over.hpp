// Bodies of processors whose threads are blocked, end, or drive nothing any more.
#pragma once

#include "scenario.hpp"

namespace explored_threads {

/// Member 1 hands a processor off while member 0 makes two bodies ready there: both must be at the stand-in.
struct handing_off : scenario {
  queue processor, stand_in;
  body own, bodies[2];
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      runs_at(own, processor);
      for (body& b : bodies) belongs(b, processor);
    });
    if (member == 0)
      for (body& b : bodies) make_ready(b);
    else if (processor.claim(1))
      processor.hand_off(stand_in);
    if (!is_last(members)) return;
    unsigned times[2] = {};
    while (const auto* const each = stand_in.take()) ++times[each == &bodies[1]];
    check(times[0] == 1 && times[1] == 1 && processor.take() == nullptr);
  }
};

/// Member 0's body comes back from a call, and takes the processor again; member 1 hands it off; member 2 makes a body ready.
struct handing_off_and_back : scenario {
  queue processor, stand_in;
  body own, b;
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      runs_at(own, processor);
      belongs(b, processor);
    });
    if (member == 0) {
      own.hold();
      if (processor.is_stood_in_for()) processor.reclaim();
      own.release();
    } else if (member == 1) {
      if (processor.claim(1)) processor.hand_off(stand_in);
    } else {
      make_ready(b);
    }
    if (is_last(members)) check(count(processor, b) + count(stand_in, b) == 1);
  }
};

/// Member 0's body comes back while member 1 drives the stand-in, which has its bodies; member 2 makes another one ready.
struct coming_back : scenario {
  queue processor, stand_in;
  body own, runs, ready, arrives;
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      runs_at(own, processor);
      for (body* b : {&ready, &arrives}) belongs(*b, processor);
      processor.append(ready);
      processor.claim(1);
      processor.hand_off(stand_in);
      runs_at(runs, stand_in);
    });
    if (member == 0) {
      own.hold();
      processor.reclaim();
      own.release();
    } else if (member == 1) {
      runs.hold();
      stand_in.return_bodies();
      runs.release();
    } else {
      make_ready(arrives);
    }
    if (!is_last(members)) return;
    for (const body* b : {&ready, &arrives}) check(b->on.load(order::relaxed) != nullptr);
    unsigned times[2] = {};
    for (queue* q : {&processor, &stand_in})
      while (const auto* const each = q->take()) ++times[each == &arrives];
    check(times[0] == 1 && times[1] == 1);
  }
};

/// A stand-in is blocked, too: member 1 hands it off to the next one. Member 0 comes back, and member 2 makes a body
/// ready.
struct handing_off_in_turn : scenario {
  queue processor, first, second;
  body own, runs, b;
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      runs_at(own, processor);
      belongs(b, processor);
      processor.claim(1);
      processor.hand_off(first);
      runs_at(runs, first);
    });
    if (member == 0) {
      own.hold();
      processor.reclaim();
      own.release();
    } else if (member == 1) {
      if (first.claim(1)) first.hand_off(second);
    } else {
      make_ready(b);
    }
    if (is_last(members)) check(count(processor, b) + count(first, b) + count(second, b) == 1);
  }
};

/// The kernel thread of a body, member 1, parks; member 0 closes the processor to which the body goes.
struct closing : scenario {
  queue processor;
  body b;
  void pass(unsigned member, unsigned) {
    begin(member, [&] { belongs(b, processor); });
    if (member == 0) {
      processor.close();
    } else if (member == 1) {
      b.parked.begin();
      make_ready(b);
      b.parked.await_end();
      check(b.on.load(order::relaxed) == nullptr);
    }
  }
};

/// The kernel threads of bodies, members 1 and up, are parked; the last member makes the bodies ready while member 0 closes the
/// processor.
struct closing_for_others : scenario {
  queue processor;
  body bodies[2];
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      for (body& b : bodies) belongs(b, processor);
    });
    if (member == 0) return processor.close();
    if (member + 1 == members) {
      for (unsigned b = 0; b + 2 < members; ++b) make_ready(bodies[b]);
    } else {
      bodies[member - 1].parked.await_end();
      check(bodies[member - 1].has_done.load(order::relaxed) == 1);
    }
  }
};

/// Member 0 drives the processor, and sends the body home, member 1; member 2 finds the processor blocked, where there is no
/// stand-in.
struct detaching : scenario {
  queue processor;
  body own, b;
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      runs_at(own, processor);
      belongs(b, processor);
      processor.append(b);
    });
    if (member == 0) {
      own.hold();
      if (auto* const next = static_cast<body*>(processor.take())) {
        next->has_done.store(1, order::relaxed);
        next->seat.store(nullptr, order::relaxed);
        queue::make_ready(*next, &own);
      }
      own.release();
    } else if (member == 1) {
      b.parked.await_end();
      check(b.on.load(order::relaxed) == nullptr);
      check((b.seat.load(order::relaxed) == nullptr) == (b.has_done.load(order::relaxed) == 1));
    } else if (processor.claim(1)) {
      processor.detach_all();
      processor.unclaim();
    }
  }
};

/// Member 0 ends driving a processor that has stolen a body of member 1's; member 2 makes one of its own ready.
struct returning_stolen : scenario {
  queue thief, seat;
  body own, stolen, late;
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      runs_at(own, thief);
      belongs(late, thief);
      belongs(stolen, seat);
      stolen.on.store(&thief, order::relaxed);
      stolen.has_done.store(1, order::relaxed);
      thief.append(stolen);
    });
    if (member == 0) {
      own.hold();
      thief.return_stolen();
    } else if (member == 1) {
      await(seat, stolen);
    } else {
      make_ready(late);
    }
    if (is_last(members)) check(count(thief, late) == 1);
  }
};

}  // namespace explored_threads
