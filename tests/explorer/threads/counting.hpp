// Bodies that wait for objects by event counts (event_counts.hpp).
#pragma once

#include "scenario.hpp"
#include "threads/scheduling/event_counts.hpp"

namespace explored_threads {

using event_count = weir::threads::basic_event_count<machine>;

/// What waiters and notifiers do.
struct counting : scenario {
  sleep_queue bucket;
  event_count events;

  /// Until try_once(), as wait_while() does.
  template <class Try>
  void wait(body& me, const word<std::uint32_t>& object, Try try_once) {
    for (std::uint32_t seen = events.announce(); !try_once(); seen = events.so_far()) {
      me.parked.begin();
      if (bucket.add(me, object, events.events(), seen, [] { return false; })) me.parked.await_end();
    }
    events.retire();
  }
  void wake_on(const word<std::uint32_t>& object, std::uint32_t most) {
    events.happens();
    if (bucket.has_sleepers()) bucket.wake(object, most, nullptr);
  }
  void notify(const word<std::uint32_t>& object, std::uint32_t most = 1) {
    machine::full_fence();
    if (events.has_waiters()) wake_on(object, most);
  }
};

/// Member 0 waits for what member 1 does.
struct counting_one : counting {
  word<std::uint32_t> object{0};
  body b;
  void pass(unsigned member, unsigned members) {
    if (member == 0) {
      wait(b, object, [&] { return object.load(order::relaxed) == 1; });
    } else {
      object.store(1, order::relaxed);
      notify(object);
    }
    if (is_last(members)) check(!bucket.has_sleepers() && !events.has_waiters());
  }
};

/// Two members wait for the same change; the last one wakes one of them for it, and then the other.
struct counting_two : counting {
  word<std::uint32_t> object{0};
  body bodies[2];
  void pass(unsigned member, unsigned members) {
    if (member != 2) {
      wait(bodies[member], object, [&] { return object.load(order::relaxed) == 1; });
    } else {
      object.store(1, order::relaxed);
      for (int i = 0; i < 2; ++i) notify(object, 1);
    }
    if (is_last(members)) check(!bucket.has_sleepers() && !events.has_waiters());
  }
};

/// Two objects share the event count: member 0 waits for one; others change both.
struct counting_for_two_objects : counting {
  word<std::uint32_t> own{0}, other{0};
  body b;
  void pass(unsigned member, unsigned) {
    if (member == 0) return wait(b, own, [&] { return own.load(order::relaxed) == 1; });
    word<std::uint32_t>& object = member == 1 ? own : other;
    object.store(1, order::relaxed);
    notify(object);
  }
};

/// The time comes, by member 1, whether or not the member waits already: the event tells a body that is about to sleep.
struct counting_until : counting {
  word<std::uint32_t> object{0}, time{0};
  body b;
  void pass(unsigned member, unsigned) {
    if (member == 0) return wait(b, object, [&] { return time.load(order::relaxed) == 1; });
    time.store(1, order::relaxed);
    events.happens();
    machine::full_fence();
    if (b.awaits.load(order::relaxed) != nullptr) bucket.wake(b, nullptr);
  }
};

/// Member 0 waits with a limit, as for a condition. Member 1 notifies once member 0 has given back the mutex, and the limit
/// passes, by member 2. A notification in time is not taken for the limit, wherever member 0 is.
struct counting_until_limit : counting {
  word<std::uint32_t> object{0}, time{0}, released{0}, of_limit{0}, in_time{0}, late{0};
  explored_mutex linking;
  body b;
  void wait_until_limit() {
    b.forget_waker();
    const std::uint32_t seen = events.announce();
    released.store(1, order::release);
    b.parked.begin();
    const auto sleeps = [&] { return bucket.add(b, object, events.events(), seen, [] { return false; }); };
    if (time.load(order::relaxed) == 0 && sleeps()) b.parked.await_end();
    if (!b.was(weir::threads::woken_by::notification) && time.load(order::relaxed) == 1) {
      linking.lock();
      if (b.was(weir::threads::woken_by::limit) || !events.has_missed(seen, of_limit.load(order::relaxed)))
        late.store(1, order::relaxed);
      linking.unlock();
    }
    events.retire();
  }
  void pass(unsigned member, unsigned members) {
    if (member == 0) {
      wait_until_limit();
    } else if (member == 1) {
      explored::spin(released, [](std::uint32_t now) { return now == 1; });
      machine::full_fence();
      if (events.has_waiters()) {
        wake_on(object, 1);
        machine::full_fence();
        if (time.load(order::relaxed) == 0) in_time.store(1, order::relaxed);
      }
    } else {
      time.store(1, order::relaxed);
      linking.lock();
      of_limit.store(1, order::relaxed);
      events.happens();
      if (b.awaits.load(order::relaxed) != nullptr) bucket.wake(b, nullptr, weir::threads::woken_by::limit);
      linking.unlock();
    }
    if (is_last(members)) check(late.load(order::relaxed) == 0 || in_time.load(order::relaxed) == 0);
  }
};

}  // namespace explored_threads
