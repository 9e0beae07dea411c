// Quanta: a timer for each virtual processor, by which a body that computes, or spins on a variable of another's, loses the
// processor to one that is ready.
//
// The timer's signal goes to the kernel thread that drives the processor. It is SIGURG, which programs hardly use and which is
// ignored by default. A timer that finds nobody waiting stops, so that members that do not compete are not interrupted, and is
// started again where a body becomes ready.
//
// A body that follows one whose quantum has ended is looked at after 50 us, again after 50, then after four times as long each
// time. If its registers are as they were the last time, it spins, and its quantum ends. Else the quantum ends with the last
// look, after 17 ms. Where a body has been found to spin, others will: the next looks follow each other soon.
//
// A body that is found in a system call goes home: its own kernel thread executes the call again, and waits there. Calls that
// end by EINTR, whatever the program asks for, are those in which a thread waits for time, for files or for a signal: they are
// executed again, too, once. So a sleep may last longer than asked by what it has lasted until then: a quantum, or more if nobody
// else was ready when it began. A sleep that ends early would break more programs.
#pragma once

#include <atomic>
#include <cstdint>

#include <time.h>

namespace weir::threads {

class processor;

class quantum {
 public:
  /// Makes the timer, for the calling thread. If the system refuses, nothing is ever interrupted.
  void make(processor& its);
  /// For the same thread, the last call.
  void end();
  /// Thread-safe. After a body has become ready.
  void go_on() {
    // relaxed: stop() and the caller each have a fence between their store and their load.
    if (stopped_.load(std::memory_order_relaxed)) [[unlikely]] set_going();
  }

  // For the handler, which is called when the time has passed.
  /// Nobody looks any more; the caller looks for ready bodies once more.
  void stop();
  /// Nobody looks until the processor is driven again, even if bodies become ready there.
  void lapse() { lapsed_ = true; }
  void end_of_lapse() {
    if (lapsed_) stop();
  }
  /// The next look: at a body that follows another, or that goes on; or after the longest time.
  void look_at_next();
  void look_again();
  /// The body spins: the next looks come at once.
  void hurry();
  void look_late();
  /// Was this the last look?
  bool is_over() const;

 private:
  void set_going();
  void set_timer(unsigned which);

  timer_t timer_{};
  std::atomic<bool> made_{false};
  std::atomic<bool> stopped_{true};
  bool lapsed_ = false;            // of the processor's thread, and its handler
  unsigned hurried_looks_ = 0;     // likewise
  std::atomic<unsigned> look_{0};  // relaxed: who starts the timer does nothing else
};

/// Null: the signal is free; else why there can be no quanta.
const char* why_no_quanta();

}  // namespace weir::threads
