// How members wait for objects that are not Weir's: by event counts. The object keeps its own state, which only the functions of
// the C library change. A member that finds it busy announces itself, tries once more, and then sleeps on the object's address.
//
//   waiter:    waiters += 1;  fence;  seen = events;  try;  busy?  then sleep on the object while events == seen;  seen = events;
//   try; ...
//              waiters -= 1
//   notifier:  (changes the object);  fence;  waiters == 0?  then done;  events += 1;  wake those that sleep on the object
//
// Several objects may share an event count. A waiter then tries again for another object's event, but a notification wakes only
// sleepers of its own object. The text is a template over a machine, so that the explorer checks it.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::threads {

template <class Machine>
class alignas(line_bytes) basic_event_count {
 public:
  using word = typename Machine::template word<std::uint32_t>;

  /// Before the waiter tries once more. Returns the number of events so far.
  std::uint32_t announce() {
    waiters_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the fence orders it
    // seq_cst: either the notifier, which has a fence after its change of the object, sees this waiter, or the waiter's next
    // attempt sees the change.
    Machine::fence_after_update();
    return events_.load(std::memory_order_acquire);  // acquire: the change before an event that is not waited for
  }
  /// The same before each further attempt. Without a fence: a notifier that does not see this waiter has changed the object
  /// before announce().
  std::uint32_t so_far() const { return events_.load(std::memory_order_acquire); }  // acquire: as in announce()
  void retire() { waiters_.fetch_sub(1, std::memory_order_relaxed); }  // relaxed: a notifier that sees it late looks in vain

  /// After a change of the object, and a fence: does anybody wait? Otherwise wake() has nothing to do. relaxed: the fence orders
  /// it.
  bool has_waiters() const { return waiters_.load(std::memory_order_relaxed) != 0; }
  /// A thread that is about to sleep tries again. Afterwards the caller wakes those who sleep.
  void happens() {
    events_.fetch_add(1, std::memory_order_release);  // release: the change, for announce()
    // seq_cst: either a sleeper sees the event (sleep_queue.hpp), or the caller sees the sleeper.
    Machine::fence_after_update();
  }
  /// For a waiter that has found its limit passed, before it retires: has anything been notified since it announced itself?
  /// `of_limit`: how many of the events since then are its limit's.
  bool has_missed(std::uint32_t seen, std::uint32_t of_limit) const {
    // seq_cst: who has notified before the limit, by the clock, is seen.
    Machine::full_fence();
    return events_.load(std::memory_order_relaxed) - seen != of_limit;  // relaxed: the fence orders it
  }
  const word& events() const { return events_; }
  /// In the child of a fork, where nobody waits.
  void forget() { waiters_.store(0, std::memory_order_relaxed); }

 private:
  word waiters_{0}, events_{0};
};

}  // namespace weir::threads
