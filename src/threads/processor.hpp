// Virtual processors: kernel threads that drive bodies in turn.
//
// A body belongs to one processor, whose own thread alone runs it, and takes it out of its lists. So a body that others have made ready
// while it is about to stop has stopped before it is resumed. Bodies give the processor away of their own accord, by yield() or by
// block(); a processor without ready bodies waits in the body that has stopped last, on its stack.
//
// A thread of the program drives a processor of its own while it is in a region (driving), and its own body runs there alone. The other
// processors of the process are threads that do nothing else (helper()).
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

#include "machine/scheduling.hpp"
#include "threads/body.hpp"

namespace weir::threads {

class processor {
 public:
  processor() { own_.on = this; }

  /// The body becomes ready here. Thread-safe; the caller hands it over.
  void make_ready(body& b);
  /// For the thread that drives it, in the name of the body `me`: to another ready body, if there is one; and until `me` is made ready.
  void yield(body& me);
  void block(body& me);
  /// Drives other bodies, until one switches to `me`; `me` goes home.
  void leave_for_home(body& me);
  void after_switch();
  /// No thread drives it any more: bodies that are ready, or are made ready later, go home.
  void close();

  body& own() { return own_; }

 private:
  body* take();
  void take_arrived();
  void append(body& b);
  void switch_to(body& me, body& next);
  void idle();

  body own_;                  // of the kernel thread that drives it
  body* first_ = nullptr;     // ready, in the order in which they run
  body* last_ = nullptr;
  body* leaving_ = nullptr;   // for home, once it has stopped
  unsigned idle_yields_ = 0;  // in a row
  // Made ready by other threads, the last one first. relaxed and acquire where it is taken: the push releases what the sender did.
  alignas(line_bytes) std::atomic<body*> arrived_{nullptr};
  std::atomic<std::uint32_t> asleep_{0};  // 1: its kernel thread sleeps, or is about to
};

/// What bodies do instead of system calls.
extern const scheduling by_processors;

/// In its lifetime the calling thread drives the processor of its own. For a thread that is a body, or drives one already, it does
/// nothing.
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
/// The processors of the process besides those that its threads drive themselves: `which` counts from 0. Null: the system refuses a
/// thread. Thread-safe.
processor* helper(unsigned which);

inline void make_ready(body& b) { b.on->make_ready(b); }
inline void after_switch(body& me) { me.on->after_switch(); }
inline void leave_for_home(body& me) { me.on->leave_for_home(me); }

}  // namespace weir::threads
