// Kernel threads that sleep until another thread needs them: the kernel thread of a body that runs elsewhere, and the monitor.
//
// The text is a template over a machine, as run_queue.hpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

/// Where the kernel thread of a body sleeps until the body goes on there.
template <class Machine>
class basic_parking {
 public:
  /// Before the body is ready. relaxed: only this thread reads it until then.
  void begin() { ended_.store(0, std::memory_order_relaxed); }
  void await_end() {
    // acquire: what the body did elsewhere, and where it has stopped.
    while (ended_.load(std::memory_order_acquire) == 0) Machine::sleep_while(ended_, 0);
  }
  /// Called by the thread that owns the body, which is in no list and does not run.
  void end() {
    ended_.store(1, std::memory_order_release);  // release: what the body did, for its kernel thread
    Machine::wake(ended_);
  }

 private:
  typename Machine::template word<std::uint32_t> ended_{0};
};

/// Where the thread that looks at run queues sleeps, while there is nothing to look at.
template <class Machine>
class basic_idle_sleep {
 public:
  /// Returns when something has happened: at once if `any()`, which looks at the queues.
  template <class Any>
  void sleep_unless(Any any) {
    sleep_unless(any, [](const auto& word) { return Machine::sleep_while(word, 1), true; });
  }
  /// The same; sleep(word) sleeps while the word is 1, and returns false to give up.
  template <class Any, class Sleep>
  void sleep_unless(Any any, Sleep sleep) {
    asleep_.store(1, std::memory_order_relaxed);
    // A thread that changes a queue executes no fence. With this fence, either that thread sees that this one sleeps, or this
    // thread sees the change.
    Machine::fence_everywhere();
    // Two threads may sleep here: a thread that has been relieved, and the one that looks now.
    if (any()) return wake();
    while (asleep_.load(std::memory_order_relaxed) != 0)
      if (!sleep(asleep_)) asleep_.store(0, std::memory_order_relaxed);
  }
  /// After a change. relaxed: the sleeper's fence orders it.
  void has_changed() {
    if (asleep_.load(std::memory_order_relaxed) != 0) [[unlikely]] wake();
  }
  void wake() {
    if (asleep_.exchange(0, std::memory_order_relaxed) != 0) Machine::wake(asleep_);
  }
  /// In the child of a fork, where nobody sleeps here.
  void forget() {
    if (asleep_.load(std::memory_order_relaxed) != 0) asleep_.store(0, std::memory_order_relaxed);
  }

 private:
  typename Machine::template word<std::uint32_t> asleep_{0};
};

}  // namespace weir::threads
