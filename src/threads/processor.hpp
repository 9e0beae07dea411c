// Virtual processors: kernel threads that drive bodies in turn.
//
// A processor's own thread alone runs its bodies, and takes them out of its lists. So a body that others have made ready while it
// is about to stop has stopped before it is resumed. Bodies give the processor away of their own accord, by yield() or by
// block(); a processor without ready bodies waits in the body that has stopped last, on its stack, or, if that leaves, in a
// context of its own.
//
// Or a timer takes the processor from a body that has run for a whole quantum while others were ready (quantum.hpp): by a
// signal, whose handler yields in the body's name. And a processor that has nothing to do robs one that does not come to its
// ready bodies (stealing.cpp). What changes a processor's lists holds both off. A processor that nobody drives is not robbed.
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
#include "threads/ready_list.hpp"

namespace weir::threads {

class processor {
 public:
  processor() { own_.on = own_.seat = idle_.on = idle_.seat = this; }

  /// The body becomes ready here. Thread-safe; the caller hands it over.
  void make_ready(body& b);
  /// For the thread that drives it, without preemption, in the name of the body `me`: to another ready body, if there is one;
  /// and until `me` is made ready.
  void yield(body& me);
  void block(body& me);
  /// For the same thread, before the body yields: if all bodies have only waited for a while, it helps another processor, or
  /// threads of the system run first.
  void let_others_run(const body& me);
  /// `me` goes on at that processor; null: at home.
  void leave(body& me, processor* to);
  /// A body has begun to run here: it ends what the last one has left.
  void settle();
  /// For the handler of the quantum's signal, which has interrupted the running body at this place (quantum.cpp). Returns when
  /// the body runs again, unless it need not stop. `in_system`: in a system call. True: that may go on as long as it likes.
  bool end_quantum(std::uint64_t place, bool in_system);
  /// For the thread that drives it: from now on, and no longer.
  void begin_driving();
  void end_driving();
  /// No thread drives it: bodies that are ready, or are made ready later, go home. begin_driving() ends that.
  void close();
  /// For the thread that drives another processor: takes ready bodies from it to this one, if it does not come to them. True:
  /// some.
  bool rob(processor& other);

  /// Are there bodies that wait for the processor? relaxed: whether, not which.
  bool has_ready() const {
    return !ready_.empty() || arrived_.load(std::memory_order_relaxed) != nullptr;
  }
  /// Does its kernel thread sleep, as it has nothing to do? relaxed: a hint.
  bool sleeps() const { return asleep_.load(std::memory_order_relaxed) != 0; }
  /// Lets a thread that sleeps look for bodies once more. Thread-safe.
  void wake_up();
  /// The kernel's number of the processor on which it has waited last; -1: nobody drives it, or its thread sleeps. relaxed: a
  /// hint for live_apart().
  int runs_on() const { return runs_on_.load(std::memory_order_relaxed); }
  /// acquire: what the robber did.
  bool is_robbed() const { return robbed_.load(std::memory_order_acquire); }
  body& own() { return own_; }

 private:
  body* take();
  void take_arrived();
  bool give_to_another();
  void stop_looking();
  void switch_to(body& me, body& next);
  void idle();
  body& next_body();
  void make_idle_context();
  static context idle_main(void* its);

  body own_;   // of the kernel thread that drives it
  body idle_;  // the same thread, where it waits after a body has left
  context making_idle_ = nullptr;
  void* idle_stack_ = nullptr;
  body* leaving_ = nullptr;  // once it has stopped
  std::uint64_t last_look_ = 0, idle_since_ = 0, apart_since_ = 0;  // in ticks
  std::uint32_t switches_before_ = 0;             // when the timer has looked last
  unsigned idle_looks_ = 0;                       // in a row
  bool has_robbed_ = false;                       // since it is driven
  quantum quantum_;
  // Changed by the processor's thread, or by a robber in its place (stealing.cpp).
  alignas(line_bytes) ready_list ready_;
  // The body that runs, and how often another one has begun to. relaxed: for robbers, which have a fence.
  std::atomic<body*> current_{&own_};
  std::atomic<std::uint32_t> switches_{0};
  std::atomic<bool> robbed_{false};  // bodies that are about to change the lists wait
  std::uint32_t switches_seen_ = 0;  // by the robber that has looked last, and when
  std::uint64_t seen_at_ = 0;
  // Made ready by other threads, the last one first. relaxed and acquire where it is taken: the push releases what the sender
  // did.
  alignas(line_bytes) std::atomic<body*> arrived_{nullptr};
  std::atomic<std::uint32_t> asleep_{0};  // 1: its kernel thread sleeps, or is about to
  std::atomic<int> runs_on_{-1};
};

/// In its lifetime no signal makes the calling body stop, and nobody robs its processor. For threads that are none it does
/// nothing.
class without_preemption {
 public:
  explicit without_preemption(body* me = this_body) : me_(me) {
    if (me_ == nullptr) return;
    const std::uint32_t before = me_->held.load(std::memory_order_relaxed);
    // The body's processor is the same from the store on.
    for (;;) {
      me_->held.store(before + 1, std::memory_order_relaxed);
      // For the compiler and the handler; the processor's fence is the robber's.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (before != 0 || me_->on == nullptr || !me_->on->is_robbed()) [[likely]] return;
      me_->held.store(0, std::memory_order_relaxed);
      wait_for_robber(*me_->on);
    }
  }
  without_preemption(const without_preemption&) = delete;
  ~without_preemption() {
    if (me_ == nullptr) return;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // release: a robber that finds zero sees the lists.
    me_->held.store(me_->held.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }

 private:
  static void wait_for_robber(const processor& its);
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
  const bool outermost_;
  const scheduling* const before_;
};

/// Of the calling thread: that which drives it, or its own.
processor& here();
/// The same, but if another one drives it just now, its own seat.
processor& seat();
/// The calling thread, if it has a processor of its own, will not drive it, since others are to drive its body.
void close_own_processor();
/// The processors of the process besides those that its threads drive themselves: `which` counts from 0. Null: the system
/// refuses a thread. Thread-safe.
processor* helper(unsigned which);
/// For a processor that has nothing to do: robs the others. True: it has bodies now.
bool rob_another(processor& mine);
/// For the thread that drives it, while it waits: a helper on the same processor of the kernel as another one goes to a free one. The
/// kernel would leave both there for some milliseconds, each waiting for the other.
void live_apart(const processor& mine);
/// A helper; null: there is none. For handlers, too.
processor* another(const processor& mine);
/// Returns when those that are robbing have done so.
void wait_for_robbers();

inline void make_ready(body& b) { b.on->make_ready(b); }

}  // namespace weir::threads
