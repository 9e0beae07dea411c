// What run queues and the lists of sleepers know about a body.
//
// The source is a template over a machine, so that the explorer can check it (tests/explorer/run_queue_test.cpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "threads/threads.hpp"

namespace weir::threads {

template <class Machine>
class basic_run_queue;

/// The threads that may run a body, besides the thread of its seat.
enum class moves : std::uint32_t {
  anywhere,
  to_stand_in,  // the body belongs to the kernel thread that drives its seat
  nowhere
};

/// What has ended a body's sleep.
enum class woken_by : std::uint32_t {
  others,  // a signal, or whoever wakes all; or it has not slept
  notification,
  limit
};

template <class Machine>
struct basic_runnable : whereabouts<typename Machine::template pointer<basic_run_queue<Machine>>> {
  using queue = basic_run_queue<Machine>;
  template <class T>
  using word = typename Machine::template word<T>;
  template <class T>
  using pointer = typename Machine::template pointer<T>;

  using whereabouts<pointer<queue>>::on, whereabouts<pointer<queue>>::seat;
  // relaxed, all: they travel with the body, from the thread that hands it over to the thread that takes it.
  pointer<basic_runnable> next{nullptr};  // in a list of ready bodies, or of sleeping ones
  word<std::uint32_t> stolen_at{0};       // the count of switches of the queue that it was last stolen from
  word<std::uint32_t> may_move{static_cast<std::uint32_t>(moves::anywhere)};
  // The word that it sleeps on (sleep_queue.hpp), or the address of another object; null: none.
  pointer<const word<std::uint32_t>> awaits{nullptr};
  word<std::uint32_t> woken{static_cast<std::uint32_t>(woken_by::others)};

  // Not zero: the body must not be stopped, and may change the queue that it is on. Only the body writes this word.
  word<std::uint32_t> held{1};
  // Not zero: the body is in a function that a signal might cut short. Only the body writes this word.
  word<std::uint32_t> calling{0};
  // Not zero: a claimant may be sending a message to the body, which is detached (preemption/messages.hpp). Only the claimant
  // writes this word.
  word<std::uint32_t> is_asked{0};

  /// relaxed, both: of this body alone until it sleeps, and written before it is made ready.
  void forget_waker() { woken.store(static_cast<std::uint32_t>(woken_by::others), std::memory_order_relaxed); }
  bool was(woken_by what) const { return woken.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(what); }

  bool may(moves how) const { return may_move.load(std::memory_order_relaxed) <= static_cast<std::uint32_t>(how); }

  /// Called by the body itself: keeps claimants off the queue on which it runs, until release(). Nests.
  void hold() {
    const std::uint32_t before = held.load(std::memory_order_relaxed);  // relaxed: the body alone writes it
    // relaxed: the claimant's fence orders it before the test, or after the claim.
    held.store(before + 1, std::memory_order_relaxed);
    Machine::light_fence();
    queue* const at = before == 0 ? on.load(std::memory_order_relaxed) : nullptr;
    if (at != nullptr && at->is_claimed()) [[unlikely]]
      hold_after_claim(at);
  }
  void release() {
    Machine::light_fence();
    // release: a claimant that finds zero sees the queue.
    held.store(held.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }

  /// Called by the body itself: until end_call(), no claimant that finds is_calling() sends a signal to this body. Nests.
  void begin_call() {
    // relaxed: the claimant's fence orders it before the claimant's look, or after the claim or the question.
    calling.store(calling.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    Machine::light_fence();
    if (const queue* const at = on.load(std::memory_order_relaxed)) {
      if (at->is_claimed()) [[unlikely]]
        at->await_end_of_claim();
    } else if (is_asked.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      Machine::yield_until(is_asked, [](std::uint32_t now) { return now == 0; });
    }
  }
  /// release: a claimant that finds zero sees the mask that the call has set.
  void end_call() { calling.store(calling.load(std::memory_order_relaxed) - 1, std::memory_order_release); }
  bool is_calling() const { return calling.load(std::memory_order_acquire) != 0; }

 private:
  // Not inline, so that hold() saves no registers for it.
  [[gnu::noinline]] void hold_after_claim(queue* at) {
    do {
      held.store(0, std::memory_order_release);  // release: as in release(), since this zero may hide that one
      at->await_end_of_claim();
      held.store(1, std::memory_order_relaxed);  // relaxed: as in hold()
      Machine::light_fence();
      at = on.load(std::memory_order_relaxed);
    } while (at != nullptr && at->is_claimed());
  }
};

/// Calls what(body) for each body of a list. `what` may put the body into another list.
template <class Runnable, class What>
void for_each_of(Runnable* list, What what) {
  while (list != nullptr) {
    Runnable& b = *list;
    list = b.next.load(std::memory_order_relaxed);
    what(b);
  }
}

}  // namespace weir::threads
