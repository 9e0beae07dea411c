// What run queues and the lists of sleepers know of a body.
//
// The text is a template over a machine, so that the explorer checks it (tests/explorer/run_queue_test.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

template <class Machine>
class basic_run_queue;

/// Who but its seat's own thread may run a body.
enum class moves : std::uint32_t {
  anywhere,
  to_stand_in,  // it is its kernel thread's own: that thread drives its seat
  nowhere
};

template <class Machine>
struct basic_runnable {
  using queue = basic_run_queue<Machine>;
  template <class T>
  using word = typename Machine::template word<T>;
  template <class T>
  using pointer = typename Machine::template pointer<T>;

  // relaxed, all: they go with the body, from who hands it over to who takes it.
  pointer<basic_runnable> next{nullptr};  // in a list of ready bodies, or of sleeping ones
  pointer<queue> on{nullptr};             // where it runs, or is to run; null: in its own kernel thread
  pointer<queue> seat{nullptr};           // where it belongs; null: in its own kernel thread
  word<std::uint32_t> stolen_at{0};       // how often that queue had switched
  word<std::uint32_t> may_move{static_cast<std::uint32_t>(moves::anywhere)};
  pointer<const word<std::uint32_t>> awaits{nullptr};  // that it sleeps on (sleep_queue.hpp); null: none

  // Not zero: it must not be stopped, and it may change the queue that it is on. Written by the body alone.
  word<std::uint32_t> held{1};
  // Not zero: it is in a function that a signal might cut short. Written by the body alone.
  word<std::uint32_t> calling{0};

  bool may(moves how) const { return may_move.load(std::memory_order_relaxed) <= static_cast<std::uint32_t>(how); }

  /// Keeps claimants off the queue that it runs on, until release(). Nests. By the body itself.
  void hold() {
    const std::uint32_t before = held.load(std::memory_order_relaxed);  // relaxed: the body alone writes it
    for (;;) {
      // relaxed: the claimant's fence orders it before the test, or after the claim.
      held.store(before + 1, std::memory_order_relaxed);
      Machine::light_fence();
      queue* const its = before == 0 ? on.load(std::memory_order_relaxed) : nullptr;
      if (its == nullptr || !its->is_claimed()) [[likely]] return;
      held.store(0, std::memory_order_release);  // release: as in release(), since this zero may hide that one
      its->await_end_of_claim();
    }
  }
  void release() {
    Machine::light_fence();
    // release: a claimant that finds zero sees the queue.
    held.store(held.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }

  /// Until end_call() no claimant that finds is_calling() sends it a signal. Nests. By the body itself.
  void begin_call() {
    // relaxed: the claimant's fence orders it before the claimant's look, or after the claim.
    calling.store(calling.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    Machine::light_fence();
    const queue* const its = on.load(std::memory_order_relaxed);
    if (its != nullptr && its->is_claimed()) [[unlikely]] its->await_end_of_claim();
  }
  void end_call() { calling.store(calling.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed); }
  bool is_calling() const { return calling.load(std::memory_order_relaxed) != 0; }
};

/// Calls what(body) for each of a list. It may put the body into another one.
template <class Runnable, class What>
void for_each_of(Runnable* list, What what) {
  while (list != nullptr) {
    Runnable& b = *list;
    list = b.next.load(std::memory_order_relaxed);
    what(b);
  }
}

}  // namespace weir::threads
