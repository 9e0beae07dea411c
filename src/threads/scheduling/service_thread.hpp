// The life of a thread of Weir's that serves all processors of the process: the monitor, the maker, the signal thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include <pthread.h>

#include "system/detached_thread.hpp"
#include "threads/scheduling/lists.hpp"

namespace weir::threads {

// All changes are made under the lock of the lists, but that the system has refused the thread. seq_cst, all: they are rare.
class service_thread {
 public:
  /// The thread begins with `run`, which passes what it gets to number_of().
  constexpr explicit service_thread(void* (*run)(void*)) : run_(run) {}

  /// Unless it is there, or the system has refused it before, or nobody uses processors any more. The caller does not hold the
  /// lock: who creates a thread may wait for a body that holds a lock of the C library. `before`: under the lock.
  template <class Before>
  void start(Before before) {
    if (is_there_ || is_refused_) return;
    unsigned number = 0;
    {
      const std::lock_guard lock(pool_lock);
      if (is_there_ || is_refused_ || pool->threads_with_bodies == 0) return;
      is_there_ = true;
      number = ++latest_;
      before();
    }
    if (start_service(run_, reinterpret_cast<void*>(std::uintptr_t{number}))) return;
    is_refused_ = true;
    is_there_ = false;
  }
  void start() {
    start([] {});
  }
  /// It ends when it next asks is_present(). The caller holds the lock, and wakes the thread.
  void stop() {
    ++latest_;
    is_there_ = false;
  }
  /// In the child of a fork.
  void forget() {
    if (is_there_) stop();
  }

  bool is_there() const { return is_there_; }
  bool is_refused() const { return is_refused_; }
  /// Asked by the thread itself: has nobody stopped it?
  bool is_present(unsigned number) const { return latest_ == number; }
  static unsigned number_of(void* given) { return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(given)); }

 private:
  void* (*const run_)(void*);
  std::atomic<unsigned> latest_{0};
  std::atomic<bool> is_there_{false}, is_refused_{false};
};

}  // namespace weir::threads
