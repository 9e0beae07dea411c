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

#include <weir/machine/native.hpp>

#include "machine/scheduling.hpp"
#include "system/run_delay.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/driver.hpp"
#include "threads/scheduling/lost_slices.hpp"
#include "threads/scheduling/neighbours.hpp"
#include "threads/scheduling/sleepers.hpp"
#include "threads/support/valgrind.hpp"

namespace weir::threads {

/// What the monitor has seen of a processor (monitor.cpp).
struct observation {
  std::uint32_t switches = 0, spins = 0;      // at the last look
  std::uint32_t ticked = 0;                   // switches at the last tick
  std::uint64_t since = 0, had = 0, due = 0;  // nanoseconds: by the clock, of processor time, by the clock
  unsigned level = 0;                         // how long until the next look
  std::uint32_t jumped = 0;                   // as the processor counts
  unsigned spun = 0;                          // the number of looks at which a body at `pause` counts as one that spins
  unsigned ticks = 0;                         // for the same body
  unsigned early_looks = 0;                   // the number of looks that come soon
  unsigned spinning = 0;                      // the number of looks at which the running body gets a tick
  unsigned cancelled = 0;                     // the number of looks at which a cancelled body was here
  bool blocked = false;                       // when its bodies were last handed off: the running one is left alone
  bool twice = false;                         // the next look follows soon upon the last one
  run_times times;                            // of its kernel thread, at the last look for deprivation
  std::uint32_t switched = 0, found_to_spin = 0, found_to_jump = 0;  // what it had counted then
};

/// What drivers need from the system, on Linux.
struct native_bodies {
  using machine = native_threads;
  using queue = run_queue;
  using body = threads::body;
  using processor = threads::processor;
  using awaited = threads::awaited;
  using signal_mask = threads::signal_mask;
  template <class T>
  using own_memory = T;

  static constexpr signal_mask all_signals = threads::all_signals;
  static void block(signal_mask signals) { exchange_mask(signals); }
  static void switch_context(body& me, body& next) { weir_switch(&me.at, next.at, next.thread_pointer); }
  /// The kernel thread of `b` is parked, and makes it ready where it belongs.
  static void lend(body& b);
  static bool falls_asleep(body& b, const awaited& on) { return threads::falls_asleep(b, on); }
  static void pause() { native::pause(); }

  using signal = siginfo_t;
  using pending = signal_queue::pending;
  static int send_to_thread(const body& b, const siginfo_t& why);
  static bool has_processor(const body& b);
  static int send_to_processor(const processor& p, const siginfo_t& why);
  static void wake(body& b);
};

/// Whose code waits? Weir's learns by itself whether yields cost slices. Where the program yields, what it has computed since its
/// last yield may be a loop in which it polls.
enum class waits_by { weir, program, programs_yield };

class processor : public basic_driver<native_bodies> {
 public:
  processor() { runs(own()); }

  /// For the thread that drives the processor, in the name of the body `me`, which is held, and polls in a loop of its own.
  void yield_in_loop(body& me);
  /// For the same thread, before the body yields: if all bodies have done nothing but wait for a while, the processor helps
  /// another processor, or lets threads of the system run first.
  void let_others_run(body& me, waits_by whose = waits_by::weir) {
    if (looks_left_out_ != 0 && has_ready() && me.home() == this) [[likely]] {
      --looks_left_out_;
      return;
    }
    look_and_let_others_run(me, whose);
  }
  /// For its own thread: from now on, and no longer.
  void begin_driving();
  /// The calling body yields by the program's code, and may wait for a thread that is kept in the kernel (kept_threads.hpp).
  static void yield_beside_kept();
  /// The alternate stack that its kernel thread has while it runs bodies that have none.
  const stack_t& without_signal_stack() const { return without_signal_stack_; }
  /// From now on no thread drives the processor: bodies that are ready, or are made ready later, are detached. begin_driving()
  /// ends this state.
  void close();
  /// Another thread will drive it.
  void leaves_thread();
  /// For the thread that drives this processor: takes ready bodies from `other`, if that processor does not get round to them.
  /// True: it has taken some.
  bool steal(processor& other);

  /// Does it take bodies of others when it has nothing to do? Helpers alone do. A thread of the program lends its kernel thread
  /// to its own team, whose members are done when it leaves its region. A member of another team could block there until that
  /// very thread goes on.
  bool steals() const { return is_helper.load(std::memory_order_relaxed) && !stands_in; }
  /// Is it a helper that the program's threads may not use any more? They go to the others.
  bool is_left() const;
  std::atomic<pid_t> thread{0};   // the kernel's, that drives it; -1: none any more. relaxed: a number
  const void* spare_area = nullptr;  // of that thread (rseq_areas.hpp)
  processor* made_before = nullptr;  // in a list of all that ever were
  std::atomic<bool> is_helper{false};  // it belongs to no thread of the program; relaxed: changed where nobody drives it
  bool stands_in = false;  // it is no body's seat, and is idle unless it is put to work
  unsigned number = 0;     // of a helper, among the helpers
  observation seen;        // by the monitor
  // A body that was here has been cancelled, and may block in the system. relaxed: a hint for the monitor.
  std::atomic<bool> has_cancelled{false};
  // relaxed, all: hints. How many bodies have been found to spin here by ticks and at trampolines.
  std::atomic<std::uint32_t> spins{0}, jumped{0};
  std::atomic<bool> only_spins{false};  // as the monitor has last seen it
  neighbours others;                    // for its own thread: at whom it looks for bodies
  signal_queue came_while_idle;  // signals for the process, which no thread of the program has handled (process_signals.hpp)

 private:
  friend basic_driver<native_bodies>;  // for the policies
  body* next() { return static_cast<body*>(take()); }
  bool has_signal_stack_of(const body& b) const { return signal_stack_ == b.signal_stack.number; }
  void take_signal_stack_of(const body& b) {
    if (!has_signal_stack_of(b)) set_alternate_stack(b.signal_stack, without_signal_stack_);
    signal_stack_ = b.signal_stack.number;
  }
  bool stays_detached(body& me);
  bool finds_bodies();

  void look_and_let_others_run(body& me, waits_by whose);
  void yield_to_others(const body& me, waits_by whose);
  void may_move(body& me) const;
  void make_idle_context();
  static context idle_main(void* given);

  context making_idle_ = nullptr;
  void* idle_stack_ = nullptr;
  known_stack known_idle_stack_;
  lost_slices lost_;
  std::uint64_t last_look_ = 0, idle_since_ = 0;  // in ticks
  unsigned looks_left_out_ = 0;  // of those at the clock in yields to come
  // The count of switches at which a thief last looked at this queue. Used only by the thread that wants to steal.
  std::uint32_t switches_seen_ = 0;
  std::uint64_t seen_at_ = 0;
  // The same, and the time, at which a thief has claimed this queue in vain.
  std::uint32_t in_vain_at_ = ~std::uint32_t{0};
  std::uint64_t in_vain_since_ = 0;
  std::uint64_t signal_stack_ = 0;  // the number of the alternate stack that the kernel thread has
  stack_t without_signal_stack_{};    // what the kernel thread has for bodies that have none
};

extern template class basic_driver<native_bodies>;

inline body::body(run_queue* of) {
  on.store(of, std::memory_order_relaxed);
  seat.store(of, std::memory_order_relaxed);
  may_move.store(static_cast<std::uint32_t>(moves::nowhere), std::memory_order_relaxed);
}
inline processor* body::where() const { return static_cast<processor*>(on.load(std::memory_order_relaxed)); }
inline processor* body::home() const { return static_cast<processor*>(seat.load(std::memory_order_relaxed)); }

/// The functions that bodies call instead of system calls.
extern const scheduling by_processors;

}  // namespace weir::threads
