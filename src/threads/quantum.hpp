// Quanta: a timer for each virtual processor, by which a body that computes, or spins on a variable of another's, loses the
// processor to one that is ready.
//
// The timer's signal goes to the kernel thread that drives the processor. It is SIGURG, which programs hardly use and which is
// ignored by default. A timer that finds nobody waiting stops, so that members that do not compete are not interrupted, and is
// started again where a body becomes ready.
#pragma once

#include <atomic>
#include <cstdint>

#include <time.h>

namespace weir::threads {

class processor;

class quantum {
 public:
  /// Makes the timer, for the calling thread. False: the system refuses; then nothing is ever interrupted.
  bool make(processor& its);
  /// For the same thread, the last call.
  void end();
  /// Thread-safe. After the body has become ready.
  void start() {
    // relaxed: stop() and the caller each have a fence between their store and their load.
    if (stopped_.load(std::memory_order_relaxed)) [[unlikely]] set_going();
  }
  /// For the handler: a body has run through its quantum while others were ready; or none has.
  void shorten();
  void lengthen();
  /// For the handler; the caller looks for ready bodies once more.
  void stop();

 private:
  void set_going();
  void set_timer();

  timer_t timer_{};
  std::atomic<bool> made_{false};
  std::atomic<bool> stopped_{true};
  std::atomic<long> length_ns_{1'000'000'000};  // or the longest, if that is shorter
};

/// Of all processors, in microseconds; set before the first body is made.
void set_quantum(unsigned microseconds);
/// Null: the signal is free; else why there can be no quanta.
const char* why_no_quanta();

}  // namespace weir::threads
