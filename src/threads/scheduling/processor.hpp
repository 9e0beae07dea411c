// Virtual processors: kernel threads that drive bodies in turn.
//
// Bodies give the processor away of their own accord, by yield() or by sleep(). run_queue.hpp has the operations on the lists, by
// bodies and by others. A processor without ready bodies waits in a context of its own, since the body that stopped last may go
// on elsewhere meanwhile.
//
// A thread of the program drives a processor of its own while it is in a region (driving, in threads.hpp). The other processors
// of the process are threads that do nothing else: helpers, which are seats of bodies, and stand-ins.
#pragma once

#include <atomic>
#include <cstdint>

#include "machine/scheduling.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/sleepers.hpp"
#include "threads/scheduling/traps.hpp"
#include "threads/support/valgrind.hpp"

namespace weir::threads {

/// What the monitor has seen of a processor (monitor.cpp).
struct observation {
  std::uint32_t switches = 0, spins = 0;      // at the last look
  std::uint32_t ticked = 0;                   // switches at the last tick
  std::uint64_t since = 0, had = 0, due = 0;  // nanoseconds: by the clock, of processor time, by the clock
  unsigned level = 0;                         // how long until the next look
  std::uint32_t trapped = 0, polled = 0;      // as the processor counts
  unsigned spun = 0;                          // the number of looks at which traps are worth their price
  unsigned ticks = 0;                         // for the same body
  unsigned hurried = 0;                       // the number of looks that come soon
  unsigned spinning = 0;                      // the number of looks at which the running body gets a tick
  unsigned cancelled = 0;                     // the number of looks at which a cancelled body was here
  bool blocked = false;                       // when its bodies were last handed off: the running one is left alone
  bool twice = false;                         // the next look follows soon upon the last one
  pause_traps traps;
};

/// The own body of a thread that drives a processor may want this kernel thread back from another body, which blocks there. This is
/// the number of attempts to make that other body leave; 0: nothing is wanted.
enum wish : std::uint32_t { nothing_wanted, wanted, hopeless = 64 };

class processor : public run_queue {
 public:
  processor() : own_(this), idle_(this) { runs(own_); }

  /// For the thread that drives the processor, in the name of the body `me`, which is held: switches to another ready body, if
  /// there is one.
  void yield(body& me);
  /// The same for a body that polls in a loop, until that loop has ended or the body is detached. `me` polls already, or it just yields.
  static void yield_while_it_polls(body& me);
  /// The same, until the word is woken; at once if it has another value.
  void sleep(body& me, awaited on);
  /// For the same thread, before the body yields: if all bodies have done nothing but wait for a while, the processor helps
  /// another processor, or lets threads of the system run first.
  void let_others_run(body& me);
  /// `me` goes on at its seat, or detached if it has no seat.
  void leave(body& me);
  /// A body has begun to run here, and finishes what the last body has left to do.
  void settle(body& me) {
    if (unsettled_) [[unlikely]] settle_slowly(me);
  }
  /// For its own thread: from now on, and no longer.
  void begin_driving();
  void end_driving();
  /// For a helper's own thread, until its own body `me` is made ready.
  void drive_others(body& me);
  /// From now on no thread drives the processor: bodies that are ready, or are made ready later, are detached. begin_driving()
  /// ends this state.
  void close();
  /// For the thread that drives this processor: takes ready bodies from `other`, if that processor does not get round to them.
  /// True: it has taken some.
  bool steal(processor& other);

  body* current() const { return static_cast<body*>(run_queue::current()); }
  /// The kernel's number of the processor on which this virtual processor has last waited; -1: nobody drives it, or its thread
  /// sleeps. relaxed: a hint for live_apart().
  int runs_on() const { return runs_on_.load(std::memory_order_relaxed); }
  /// While nobody else can run the body of its thread.
  bool is_at_home() const { return own_.on.load(std::memory_order_relaxed) == this; }
  body& own() { return own_; }
  /// For its own thread: between begin_driving() and end_driving(). A stand-in may do it in place of this thread, which then runs
  /// without a body.
  bool is_driven() const { return is_driven_; }
  /// The signals that its kernel thread blocks now have been changed by the running body.
  void has_mask(signal_mask now) { mask_ = now; }

  std::atomic<pid_t> thread{0};   // the kernel's, that drives it. relaxed: a number
  processor* made_before = nullptr;  // in a list of all that ever were
  bool is_helper = false;  // it belongs to no thread of the program
  bool stands_in = false;  // it is no body's seat, and is idle unless it is put to work
  observation seen;        // by the monitor
  std::atomic<std::uint32_t> wish{nothing_wanted};  // relaxed: a hint for the monitor, and from it
  // A body that was here has been cancelled, and may block in the system. relaxed: a hint for the monitor.
  std::atomic<bool> has_cancelled{false};
  // relaxed, all: hints. How many bodies have been found to spin here by ticks, by traps and at trampolines, and how many have ended to
  // poll; the instruction at which one has been found since the monitor has looked.
  std::atomic<std::uint32_t> spins{0}, trapped{0}, polled{0};
  std::atomic<std::uintptr_t> pauses_at{0};
  std::atomic<bool> only_spins{false};  // as the monitor has last seen it
  signal_queue came_while_idle;         // signals for the process, which no thread of the program has handled (process_signals.hpp)

 private:
  void switch_to(body& me, body& next);
  body* take_next();
  body* take_next_or_one_that_polls();
  body& next_or_idle();
  void settle_slowly(body& me);
  void answer(body& me);
  bool stays_detached(body& me);
  bool returns_elsewhere(body& me);
  void look_apart(std::uint64_t now);
  void may_move_to_idle(body& me, std::uint64_t now);
  void idle();
  void make_idle_context();
  static context idle_main(void* its);

  body own_;   // of the kernel thread that drives it
  body idle_;  // the same thread, where it waits
  context making_idle_ = nullptr;
  void* idle_stack_ = nullptr;
  known_stack known_idle_stack_;
  body* leaving_ = nullptr;  // the body that leaves, once it has stopped
  awaited sleeps_on_;        // what that body sleeps on; nothing: it is ready where it belongs
  bool unsettled_ = false;   // a body leaves, or the kernel thread's signal mask differs from the body's
  bool has_stolen_ = false;  // since it is driven
  bool is_driven_ = false;
  signal_mask mask_ = 0;     // of the kernel thread
  std::uint64_t last_look_ = 0, idle_since_ = 0, apart_since_ = 0, last_turn_ = 0, last_spread_ = 0;  // in ticks
  // The count of switches at which a thief last looked at this queue. Used only by the thread that wants to steal.
  std::uint32_t switches_seen_ = 0;
  std::uint64_t seen_at_ = 0;
  // The same, and the time, at which a thief has claimed this queue in vain.
  std::uint32_t in_vain_at_ = ~std::uint32_t{0};
  std::uint64_t in_vain_since_ = 0;
  std::atomic<int> runs_on_{-1};
};

inline body::body(processor* its) {
  on.store(its, std::memory_order_relaxed);
  seat.store(its, std::memory_order_relaxed);
  may_move.store(static_cast<std::uint32_t>(moves::nowhere), std::memory_order_relaxed);
}
inline processor* body::where() const { return static_cast<processor*>(on.load(std::memory_order_relaxed)); }
inline processor* body::home() const { return static_cast<processor*>(seat.load(std::memory_order_relaxed)); }

/// The functions that bodies call instead of system calls.
extern const scheduling by_processors;

}  // namespace weir::threads
