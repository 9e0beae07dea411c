// Processors without bodies: they sleep, or steal.
#pragma once

#include "scenario.hpp"

namespace explored_threads {

/// Member 0 drives the processor, and sleeps until it has a body from each of the others.
struct arriving : scenario {
  queue processor;
  body bodies[2];
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      for (unsigned b = 0; b + 1 < members; ++b) belongs(bodies[b], processor);
    });
    if (member != 0) return make_ready(bodies[member - 1]);
    for (unsigned had = 0; had + 1 < members;)
      if (auto* const next = static_cast<body*>(processor.take())) {
        takes_over(*next);
        ++had;
      } else {
        processor.await_arrival();
      }
  }
};

/// Member 0 drives the processor, and takes one of two ready bodies in the name of its own, or makes another one ready; member 1
/// steals.
template <bool Takes>
struct stealing : scenario {
  queue processor, thief;
  body own, bodies[2];
  explored_word<std::uint32_t> taken[2]{};
  void take(weir::threads::basic_runnable<machine>* b) {
    if (b != nullptr) check(taken[b == &bodies[1]].fetch_add(1, order::relaxed) == 0);
  }
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      runs_at(own, processor);
      for (auto& b : bodies) belongs(b, processor);
      processor.append(bodies[0]);
      if (Takes) processor.append(bodies[1]);
    });
    if (member == 0) {
      own.hold();
      if (Takes)
        take(processor.take());
      else
        make_ready(bodies[1], &own);
      own.release();
    } else if (processor.claim(1)) {
      thief.steal_from(processor);
      processor.unclaim();
      while (auto* const b = thief.take()) take(b);
    }
    if (!is_last(members)) return;
    take(processor.take());
    take(processor.take());
    for (auto& each : taken) check(each.load(order::relaxed) == 1);
  }
};

/// Each of two members drives a processor, takes a body there and tries to steal from the other one. Five bodies, of which two
/// run.
struct stealing_from_each_other : scenario {
  queue processor[2];
  body own[2], bodies[3];
  explored_mutex making;
  explored_word<std::uint32_t> taken[3]{};
  void take(queue& from) {
    const auto* const b = from.take();
    for (unsigned i = 0; i < 3; ++i)
      if (b == &bodies[i]) check(taken[i].fetch_add(1, order::relaxed) == 0);
  }
  void pass(unsigned member, unsigned members) {
    begin(member, [&] {
      for (unsigned p : {0, 1}) runs_at(own[p], processor[p]);
      for (unsigned b = 0; b < 3; ++b) {
        belongs(bodies[b], processor[b % 2]);
        processor[b % 2].append(bodies[b]);
      }
    });
    queue &here = processor[member], &other = processor[1 - member];
    own[member].hold();
    take(here);
    own[member].release();
    own[member].hold();
    making.lock();
    if (other.claim(1)) {
      here.steal_from(other);
      other.unclaim();
    }
    making.unlock();
    own[member].release();
    if (!is_last(members)) return;
    for (queue& each : processor)
      while (each.has_ready()) take(each);
    for (auto& each : taken) check(each.load(order::relaxed) == 1);
  }
};

/// Member 0's body goes on elsewhere, as member 1, and the next one takes a third body before it is done; member 2 steals. The
/// body that has left is not held any more, but the queue is in use.
struct leaving : scenario {
  queue processor, thief;
  body first, second, third;
  explored_word<std::uint32_t> taken{0}, left{0};
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      runs_at(first, processor);
      for (body* b : {&second, &third}) {
        belongs(*b, processor);
        processor.append(*b);
      }
    });
    const auto take = [&](queue& from) {
      if (from.take() != nullptr) check(taken.fetch_add(1, order::relaxed) == 0);
    };
    if (member == 0) {
      first.hold();
      processor.take();
      processor.runs(second);
      left.store(1, order::release);
      take(processor);
      second.release();
    } else if (member == 1) {
      explored::spin(left, [](std::uint32_t now) { return now == 1; });
      first.release();
    } else if (processor.claim(1)) {
      thief.steal_from(processor);
      processor.unclaim();
      take(thief);
    }
  }
};

/// Member 0's body gives the processor to one that comes from elsewhere, and that takes a third one before it is done; member 2
/// steals. Where the second body was before, it was not held.
struct joining : scenario {
  queue processor, other, thief;
  body first, bodies[2];
  explored_word<std::uint32_t> taken[2]{};
  void take(weir::threads::basic_runnable<machine>* b) {
    if (b != nullptr) check(taken[b == &bodies[1]].fetch_add(1, order::relaxed) == 0);
  }
  void pass(unsigned member, unsigned) {
    begin(member, [&] {
      runs_at(first, processor);
      runs_at(bodies[0], other);
      for (body& b : bodies) b.seat.store(&processor, order::relaxed);
    });
    if (member == 0) {
      first.hold();
      auto* const next = processor.take();
      take(next);
      if (next != &bodies[0]) return first.release();
      processor.runs(bodies[0]);
      take(processor.take());
      bodies[0].release();
    } else if (member == 1) {
      bodies[0].hold();
      for (body& b : bodies) make_ready(b);
    } else if (processor.claim(1)) {
      thief.steal_from(processor);
      processor.unclaim();
      while (auto* const b = thief.take()) take(b);
    }
  }
};

}  // namespace explored_threads
