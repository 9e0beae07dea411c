// A body: a thread that lends its stack, its registers and its thread pointer to virtual processors.
//
//     pthread_create              go_to(a processor)               go_to(another)
//   ------------------> detached ---------------------> attached ---------------.
//                          ^                            |  ^                     |
//                          |                    resumed |  | suspended           |
//                          |                            v  |                     |
//                          '------------ runs on a virtual processor <-----------'
//                              go_to(null)
//
// A detached body is a kernel thread like any other. While a body is attached, its own kernel thread is parked. A suspended body
// may be detached wherever it has stopped. Other processors may run the body (run_queue.hpp); it returns to its seat when it
// waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <pthread.h>
#include <sys/types.h>

#include "system/run_delay.hpp"
#include "threads/scheduling/alternate_stacks.hpp"
#include "threads/scheduling/parking.hpp"
#include "threads/scheduling/run_queue.hpp"
#include "threads/scheduling/signal_queue.hpp"
#include "threads/scheduling/summons.hpp"
#include "threads/scheduling/switch.hpp"
#include "threads/support/native_threads.hpp"

namespace weir::threads {

using runnable = basic_runnable<native_threads>;
using run_queue = basic_run_queue<native_threads>;

/// All signals except SIGKILL and SIGSTOP, and except 32 and 33, which the C library uses for cancellation, and for setuid and
/// the like in all threads.
inline constexpr signal_mask all_signals = ~(signal_mask{1} << 8 | signal_mask{1} << 18 | signal_mask{3} << 31);
/// Sets the signal mask of the calling kernel thread, and returns the previous one.
signal_mask exchange_mask(signal_mask to);
/// The same thread's present one.
signal_mask present_mask();

class deadline;

struct body : runnable, basic_summons<native_threads> {
  context at = nullptr;  // while it is suspended
  void* thread_pointer = nullptr;

  // The registers at the last tick, and the number of ticks before that with the same registers (preemption/messages.cpp).
  std::uint64_t ticked_at = 0;
  unsigned found_again = 0;
  bool yields_in_loop = false;  // it would only poll, as far as is known; for the thread that has the body
  // At trampolines (trampoline_entry.cpp), in ticks.
  struct {
    std::uint64_t paused_at = 0, since = 0;
    const void* at = nullptr;  // the last trampoline
    std::uint32_t patience = 0, yields = 0;
    bool has_yielded = true;
  } wait;

  deadline* limit = nullptr;  // of its latest wait with a limit

  void (*run)(void*) = nullptr;
  void* what = nullptr;
  bool is_adopted = false;     // start() has not made the thread
  bool keeps_monitor = false;  // the monitor runs for this thread of the program, until it ends
  body *in_list_before = nullptr, *in_list_behind = nullptr;  // of all bodies (lists.hpp)
  void* parking = nullptr;  // the end of the stack on which its kernel thread is parked; null: it cannot be attached
  basic_parking<native_threads> parked;  // its kernel thread
  pid_t id = 0;                          // of its kernel thread
  pthread_t thread{};                    // to the C library
  // The body stays in its own kernel thread, whatever its seat, because the state of this thread differs from that of others.
  bool is_pinned = false;
  bool is_kept = false;  // counted in threads_kept_in_kernel
  std::uint64_t had = 0;  // of processor time, in its own kernel thread, as a claimant has last seen it
  run_times times;        // the same, at the last look for deprivation
  alternate_stack signal_stack;  // while it is attached
  // Signals that were pending when it was attached, since it blocks them: in its own kernel thread, or for the process.
  signal_mask left_in_thread = 0;
  // How often it has waited by yielding, and been found to poll. relaxed: a number, which only its thread changes.
  std::atomic<std::uint32_t> waits{0};
  std::uint32_t waits_seen = 0;
  void count_waits(std::uint32_t n = 1) { waits.store(waits.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  /// For the monitor: since it last asked.
  std::uint32_t waits_lately() {
    const std::uint32_t now = waits.load(std::memory_order_relaxed);
    return now - std::exchange(waits_seen, now);
  }
  // How often in a row the monitor has found the body blocked, and when it last did, in ticks. relaxed: hints.
  std::atomic<unsigned> blocked{0};
  std::atomic<std::uint64_t> blocked_at{0};
  std::uint64_t detached_until = 0;  // while it is pinned, in ticks; 0: for good
  int cancel_state = PTHREAD_CANCEL_ENABLE;  // what the program has asked for; an attached body is never cancelled
  // How many signals have come to its sleep that the program handles, and how many of them without asking for calls to be
  // restarted.
  unsigned handled = 0, interrupted = 0;

  body() = default;
  body(run_queue* of);
  /// Called by a claimant: a signal for this thread alone comes to the body, which does not run, or blocks the signal. Nothing:
  /// no room is left.
  std::optional<signal_queue::pending> summon(const siginfo_t& why);
  bool blocks(int signal) const { return (mask() & signal_mask{1} << (signal - 1)) != 0; }
  bool blocks(const siginfo_t& why) const { return blocks(why.si_signo); }
  /// Called by a claimant: takes the signal back. False: the body has already taken it.
  bool withdraw(const signal_queue::pending& sent) { return queued_.withdraw(sent); }
  /// Called by the body itself: signals that it does not block are handled now.
  void take_signals();
  processor* where() const;  // on
  processor* home() const;   // seat
  /// For the child of a fork: pending signals belong to the parent.
  void forget_signals();
  /// Called by the body itself, when a region begins.
  bool stays_pinned();
  bool is_pinned_for_good() const { return is_pinned && detached_until == 0; }
  /// Called by a handler of the program that leaves by a jump: what it has interrupted does not go on. So no limit of its waits
  /// is left, and nothing holds the body of a thread of the program any more that was held where it took its signals.
  void leave_interrupted();
  bool may_have_interrupted() const { return limit != nullptr || held_in_handlers_ != 0; }
  /// In its kernel thread, where it goes on.
  void arrive_detached();
  /// For a sender that finds it detached: has its kernel thread the signals that were left with it? acquire: it has.
  bool has_arrived() const { return has_arrived_.load(std::memory_order_acquire); }
  /// Before it is attached, for which a claimant's end orders it.
  void departs() { has_arrived_.store(false, std::memory_order_relaxed); }

 private:
  void send_queued(signal_mask all_but);
  // How often it is held while its handlers run, which have interrupted nothing but a wait; 0: none runs there.
  std::uint32_t held_in_handlers_ = 0;
  signal_queue queued_;
  std::atomic<bool> has_arrived_{true};
};

/// The stack of a thread whose creator does not say how large.
std::size_t usual_stack_bytes();
/// The own body of a thread that start() has created, or that has been adopted, attached or not; null for other threads.
extern constinit thread_local body* own_body;
inline body* own_body_of_thread() { return own_body; }
/// The calling thread, which nobody here has made, has this body from now on, and is detached.
void adopt(body& b);
/// It may go to processors from now on. `parking`: the end of at least parking_bytes of memory, where its kernel thread sleeps
/// while it is attached. False: no other thread uses processors, and the caller wants to begin none.
bool use_processors(body& b, void* parking, bool only_if_others_do);
/// There is room for the frame of one signal, because the C library's own signals (for setuid and the like, in all threads)
/// cannot be blocked.
inline constexpr std::size_t parking_bytes = 16384;
/// How many bytes the kernel and a processor put there is told at run time (AT_MINSIGSTKSZ); the handlers of these signals and
/// the wait take less than a page. 11,952: with tiles (AMX).
constexpr bool has_room_for_frame(std::size_t bytes) { return bytes + 4096 <= parking_bytes; }
static_assert(has_room_for_frame(11'952) && !has_room_for_frame(16'000));
/// Before that thread ends: it goes on detached, and the body may be destroyed.
void abandon(body& b);

/// The calling body goes on in its own kernel thread for good, because it is about to change the state of this thread. In a
/// child, which shares the memory, it does nothing: that child has no other thread.
void pin();
/// All bodies do so when they next wait or are seated, and so will bodies to come.
void pin_all();
bool all_are_pinned();
/// For a thread that may not have seen pin_all() yet, and needs the kernel to know it.
inline void pin_as_all() {
  if (all_are_pinned()) [[unlikely]] pin();
}
/// Does the calling body run in the kernel thread of another thread of the program, which has lent it?
bool is_in_lent_thread();
/// The calling body is going to block for long: if it belongs to a thread that drives no processor, it goes on in its own kernel
/// thread until it next waits for another body. Where it drives one, others run that one's bodies meanwhile.
void block_in_own_thread();
/// Does the caller run in another process than the one that has loaded this library, or that has been forked with handlers?
bool is_in_child();
/// The same for a member, which has the thread pointer that its child has, without a system call: the child has a stack of its
/// own. Not for a child that a bare system call has made on its parent's stack.
[[gnu::cold]] bool looks_for_child(std::uintptr_t stack);
extern constinit thread_local std::uintptr_t stack_known_from;
inline constexpr std::uintptr_t stack_in_use = 16384;  // above and below a place that is the member's
inline bool is_in_child_on_other_stack() {
  const auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return at - stack_known_from >= 2 * stack_in_use && looks_for_child(at);
}
/// The same until the first region that begins 100 ms later or more: it blocks in the system.
void pin_for_a_while();
/// The same, for so long.
void pin_for(std::uint64_t us);
inline constexpr std::uint64_t while_us = 100'000;

/// During the lifetime of this object no tick makes the calling body stop, and nobody claims the queue that the body is on. It
/// does nothing for threads that are not bodies.
class without_preemption {
 public:
  explicit without_preemption(body* me = this_body) : me_(me) {
    if (me_ != nullptr) me_->hold();
  }
  without_preemption(const without_preemption&) = delete;
  ~without_preemption() {
    if (me_ != nullptr) me_->release();
  }

 private:
  body* const me_;
};

}  // namespace weir::threads
