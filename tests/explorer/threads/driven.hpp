// Bodies and processors, of which each call in the driver's text can be broken by itself.
#pragma once

#include <optional>

#include "own_memory.hpp"
#include "threads/scheduling/driver.hpp"
#include "threads/scheduling/summons.hpp"
#include "threads/signals/sender.hpp"

namespace explored_threads {

struct driven_body;
class driven_processor;

/// The number of a word in the scenario, from 1 on; 0: none.
struct awaited_word {
  std::uint64_t which = 0;
  awaited_word() = default;
  explicit awaited_word(std::uint64_t it) : which(it) {}
  explicit operator bool() const { return which != 0; }
  explicit operator std::uint64_t() const { return which; }
};

/// The calls of a driver, each with its place.
struct driven_queue : queue {
  thread_memory memory;
  own_memory<weir::threads::signal_mask> blocked;  // by the kernel

  void open(place at = place::current()) {
    if (!is_left_out(at)) queue::open();
  }
  void runs(runnable& b, place at = place::current()) {
    if (!is_left_out(at)) queue::runs(b);
  }
  void append(runnable& b, place at = place::current()) {
    if (!is_left_out(at)) queue::append(b);
  }
  bool is_stood_in_for(place at = place::current()) const { return seen(at, queue::is_stood_in_for()); }
  void reclaim(place at = place::current()) {
    if (!is_left_out(at)) queue::reclaim();
  }
  void return_bodies(place at = place::current()) {
    if (!is_left_out(at)) queue::return_bodies();
  }
  void return_stolen(place at = place::current()) {
    if (!is_left_out(at)) queue::return_stolen();
  }
  bool is_place_of(const runnable& b, place at = place::current()) const { return seen(at, queue::is_place_of(b)); }
  bool alone_runs(const runnable& b, place at = place::current()) const { return seen(at, queue::alone_runs(b)); }
  static void make_ready(runnable& b, runnable* me, place at = place::current());
};

struct driven_bodies {
  using machine = explored_threads::machine;
  using queue = driven_queue;
  using body = driven_body;
  using processor = driven_processor;
  using awaited = awaited_word;
  using signal_mask = weir::threads::signal_mask;
  template <class T>
  using own_memory = explored_threads::own_memory<T>;

  /// There is one that the program uses, and another one.
  static constexpr signal_mask of_program = 1, all_signals = 3;
  static void block(signal_mask signals, place at = place::current());
  static void switch_context(body& me, body& next);
  static void lend(body& b);
  static bool falls_asleep(body& b, awaited on);
  static void pause() {}

  struct signal {};
  struct pending {};
  static int send_to_thread(const body& to, signal);
  static bool has_processor(const body&) { return false; }
  static int send_to_processor(processor& to, signal);
  static void wake(body& b);
};

struct driven_body : body, weir::threads::basic_summons<machine> {
  using summons = weir::threads::basic_summons<machine>;
  // Of `at`: the kind, and of one that runs the number of its processor, from 1 on, and what the thread has for itself.
  static constexpr std::uint64_t stopped = 0, runs = 1, in_own_thread = 2, dropped = 3;
  static constexpr unsigned processor_shift = 2, memory_shift = 4;
  word<std::uint64_t> at{stopped};
  bool is_run_by_member = true;
  bool blocks_often = false;  // it stays detached
  word<std::uint32_t> arrived{0};  // its kernel thread has the signals that were left with it

  driven_body() = default;
  explicit driven_body(queue*) {}
  driven_processor* where() const;
  driven_processor* home() const;
  std::optional<driven_bodies::pending> summon(driven_bodies::signal) {
    queued.store(1, order::relaxed);
    summon_for(driven_bodies::of_program);
    return driven_bodies::pending{};
  }
  bool withdraw(driven_bodies::pending) {
    std::uint32_t there = 1;
    return queued.compare_exchange_strong(there, 0, order::relaxed);
  }
  bool has_arrived() const { return arrived.load(order::acquire) != 0; }
  bool blocks(driven_bodies::signal) const { return (mask() & driven_bodies::of_program) != 0; }

  // Calls of a driver.
  void hold(place from = place::current()) {
    if (!is_left_out(from)) body::hold();
  }
  void release(place from = place::current()) {
    if (!is_left_out(from)) body::release();
  }
  void mask(weir::threads::signal_mask to) { summons::mask(to); }
  weir::threads::signal_mask mask(place from = place::current()) const { return seen(from, summons::mask()); }
  weir::threads::signal_mask mask_or_summons(place from = place::current()) const {
    return seen(from, summons::mask_or_summons());
  }
  void mask_of_context(weir::threads::signal_mask to, place from = place::current()) {
    if (!is_left_out(from)) summons::mask_of_context(to);
  }
  void take_signals(place from = place::current()) {
    if (!is_left_out(from)) takes_signals();
  }
  void arrive_detached(place from = place::current()) {
    if (!is_left_out(from)) arrives_detached();
  }

 private:
  void takes_signals();
  void arrives_detached();
  word<std::uint32_t> queued{0};
};

class driven_processor : public weir::threads::basic_driver<driven_bodies> {
 public:
  driven_body& idle() { return idle_; }
  word<std::uint32_t> signals{0};  // for the kernel thread: a tick, or the program's
  bool is_thief = false;

  /// Does its kernel thread have the alternate stack of this body? A body that others may run has that stack elsewhere.
  bool has_taken_signal_stack_of(const driven_body& b) const { return has_signal_stack_of_ == &b; }

 private:
  friend basic_driver<driven_bodies>;
  driven_body* next() { return static_cast<driven_body*>(take()); }
  // Bodies with stacks of their own for signals switch as bodies that block other signals do.
  static bool has_signal_stack_of(const driven_body&) { return true; }
  void take_signal_stack_of(const driven_body& b) { has_signal_stack_of_ = &b; }
  bool stays_detached(driven_body& me);
  bool finds_bodies();

  explored_threads::own_memory<const driven_body*> has_signal_stack_of_{nullptr};
};

}  // namespace explored_threads
