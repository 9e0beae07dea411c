// The simulated machine of virtual processors: run queues and the lists of sleepers (src/threads/scheduling) in virtual time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulator/engine.hpp"
#include "simulator/simulated.hpp"
#include "threads/scheduling/run_queue.hpp"
#include "threads/scheduling/sleep_queue.hpp"

namespace weir::simulator::threads {

/// A word of an address.
template <class T>
class simulated_pointer {
 public:
  simulated_pointer(T* to) : word_(of(to)) {}
  T* load(std::memory_order how) const { return as(word_.load(how)); }
  void store(T* to, std::memory_order how) { word_.store(of(to), how); }
  T* exchange(T* to, std::memory_order how) { return as(word_.exchange(of(to), how)); }
  bool compare_exchange_strong(T*& expected, T* to, std::memory_order how) {
    std::uintptr_t seen = of(expected);
    const bool same = word_.compare_exchange_strong(seen, of(to), how);
    expected = as(seen);
    return same;
  }

 private:
  static std::uintptr_t of(const T* p) { return reinterpret_cast<std::uintptr_t>(p); }
  static T* as(std::uintptr_t w) { return reinterpret_cast<T*>(w); }
  simulated_word<std::uintptr_t> word_;
};

/// What threads have asked the system for, besides what the engine counts.
struct fence_counts {
  std::uint64_t fences = 0;       // membarriers
  std::uint64_t interrupted = 0;  // processors that these have interrupted: those that run a thread of the process
};

struct machine {
  template <class T>
  using word = simulated_word<T>;
  template <class T>
  using pointer = simulated_pointer<T>;

  template <class T>
  static T* mark() {
    alignas(T) static char at[sizeof(T)];
    return reinterpret_cast<T*>(at);
  }
  static void light_fence() {}
  static void full_fence() { engine::here().drain(); }
  static void fence_after_update() {}  // the update has waited for the stores before it
  /// membarrier(2). What others have stored so far has taken effect when it returns. The interrupts' time at the others is left
  /// out.
  static bool fence_everywhere() {
    engine& e = engine::here();
    e.system_call(e.model().system.wake);
    time latest = e.now();
    for (const thread& t : e.threads()) {
      if (!t.stores.empty()) latest = std::max(latest, t.stores.back().takes_effect);
      counted.interrupted += t.is == thread::state::running && t.id != e.self().id;
    }
    ++counted.fences;
    if (latest > e.now()) e.spend(latest - e.now() + 1, activity::switching);
    return true;
  }
  static void sleep_while(const word<std::uint32_t>& w, std::uint32_t value) { simulated_kernel::sleep_while(w, value); }
  static void wake(const word<std::uint32_t>& w) { simulated_kernel::wake_sleepers(w); }
  template <class Word, class Ready>
  static void yield_until(const Word& w, Ready ready) {
    simulated::yield_until(w, ready);
  }
  // Bodies have seats here, no processor is blocked in the system, and nobody watches.
  static void go_on_in_own_thread(weir::threads::basic_runnable<machine>&) {}
  static void has_made_ready() {}
  static void wants_stand_in() {}

  static inline thread_local fence_counts counted;
};

}  // namespace weir::simulator::threads
