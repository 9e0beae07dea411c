// Virtual processors: kernel threads that drive bodies in turn.
//
// A body belongs to one processor, whose own thread alone runs it, and takes it out of its lists. So a body that others have
// made ready while it is about to stop has stopped before it is resumed. Bodies give the processor away of their own accord, by
// yield() or by block(); a processor without ready bodies waits in the body that has stopped last, on its stack.
//
// Or a timer takes the processor from a body that has run for a whole quantum while others were ready (quantum.hpp): by a
// signal, whose handler yields in the body's name. What changes the processor's lists holds the timer off.
//
// A thread of the program drives a processor of its own while it is in a region (driving), and its own body runs there alone.
// The other processors of the process are threads that do nothing else (helper()).
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

#include "machine/scheduling.hpp"
#include "threads/body.hpp"
#include "threads/quantum.hpp"

namespace weir::threads {

class processor {
 public:
  processor() { own_.on = this; }

  /// The body becomes ready here. Thread-safe; the caller hands it over.
  void make_ready(body& b);
  /// For the thread that drives it, without preemption, in the name of the body `me`: to another ready body, if there is one;
  /// and until `me` is made ready.
  void yield(body& me);
  void block(body& me);
  /// For the same thread, before a body yields: if all bodies have only waited for a while, threads of the system run first.
  void let_others_run();
  /// `me` goes home, as soon as there is another body to drive.
  void leave_for_home(body& me);
  /// A body begins to run here.
  void arrive();
  /// For the handler of the quantum's signal, which has interrupted the running body at this place (quantum.cpp). Returns when the
  /// body runs again, unless it need not stop.
  void end_quantum(std::uint64_t place);
  /// For the thread that drives it: from now on, and no longer.
  void begin_driving();
  void end_driving();
  /// No thread drives it any more: bodies that are ready, or are made ready later, go home.
  void close();

  /// Are there bodies that wait for the processor? For the same thread. relaxed: whether, not which.
  bool has_ready() const { return first_ != nullptr || arrived_.load(std::memory_order_relaxed) != nullptr; }
  body& own() { return own_; }

 private:
  friend class without_preemption;
  body* take();
  void take_arrived();
  void append(body& b);
  void switch_to(body& me, body& next);
  void idle();
  body& next_body();

  body own_;                  // of the kernel thread that drives it
  body* first_ = nullptr;     // ready, in the order in which they run
  body* last_ = nullptr;
  body* leaving_ = nullptr;   // for home, once it has stopped
  unsigned yields_ = 0;
  std::uint64_t last_look_ = 0, idle_since_ = 0;  // in ticks
  std::uint32_t switches_ = 0, switches_before_ = 0;  // now, and when the timer has looked last
  unsigned idle_looks_ = 0;                           // in a row
  // Not zero: its thread is about to change what is above, or drives nothing. relaxed: for a handler on the same thread. It
  // belongs to the body that runs, which finds its own value again.
  std::atomic<std::uint32_t> held_{1};
  quantum quantum_;
  // Made ready by other threads, the last one first. relaxed and acquire where it is taken: the push releases what the sender
  // did.
  alignas(line_bytes) std::atomic<body*> arrived_{nullptr};
  std::atomic<std::uint32_t> asleep_{0};  // 1: its kernel thread sleeps, or is about to
};

/// In its lifetime no signal makes the calling body stop. For threads that are none it does nothing.
class without_preemption {
 public:
  explicit without_preemption(body* me = this_body) : me_(me) { add(1); }
  without_preemption(const without_preemption&) = delete;
  ~without_preemption() { add(~0u); }

 private:
  // Not one update: only the thread itself and its handler write it, and the handler leaves it as it was.
  void add(std::uint32_t by) {
    if (me_ == nullptr || me_->on == nullptr) return;  // none, or at home by now
    auto& held = me_->on->held_;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    held.store(held.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  body* const me_;
};

/// What bodies do instead of system calls.
extern const scheduling by_processors;

/// In its lifetime the calling thread drives the processor of its own. For a thread that is a body, or drives one already, it
/// does nothing.
class driving {
 public:
  driving();
  driving(const driving&) = delete;
  ~driving();

 private:
  bool outermost_;
};

/// Of the calling thread: that which drives it, or its own.
processor& here();
/// The processors of the process besides those that its threads drive themselves: `which` counts from 0. Null: the system
/// refuses a thread. Thread-safe.
processor* helper(unsigned which);

inline void make_ready(body& b) { b.on->make_ready(b); }
inline void leave_for_home(body& me) { me.on->leave_for_home(me); }

}  // namespace weir::threads
