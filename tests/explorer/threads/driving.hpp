// Processors that drive bodies: each context is a member of the search, a body or the idle context of a processor. A switch hands the
// processor over from one member to another.
//
// Who switches to a context must know that it has stopped: otherwise there would be a race for its registers and its stack.
#pragma once

#include "own_memory.hpp"
#include "scenario.hpp"
#include "threads/scheduling/driver.hpp"
#include "threads/signals/sender.hpp"
#include "threads/scheduling/summons.hpp"

namespace explored_threads {

struct driven_body;
class driven_processor;
class driving;
driving& here();

/// The number of a word in the scenario, from 1 on; 0: none.
struct awaited_word {
  std::uint64_t which = 0;
  awaited_word() = default;
  explicit awaited_word(std::uint64_t it) : which(it) {}
  explicit operator bool() const { return which != 0; }
  explicit operator std::uint64_t() const { return which; }
};

struct driven_bodies {
  using machine = explored_threads::machine;
  using queue = explored_threads::queue;
  using body = driven_body;
  using processor = driven_processor;
  using awaited = awaited_word;
  using signal_mask = weir::threads::signal_mask;
  template <class T>
  using own_memory = explored_threads::own_memory<T>;

  static constexpr signal_mask all_signals = signal_mask{1} << 8;
  static void block(signal_mask signals, place at = place::current());
  static void switch_context(body& me, body& next);
  static void lend(body& b);
  static bool falls_asleep(body& b, awaited on);
  static void pause() {}

  /// There is one, which is blocked if bit 0 of a mask says so.
  struct signal {};
  static int send_to_thread(const body& its, signal);
  static int send_to_processor(processor& its, signal);
  static void wake(body& b);
};

struct driven_body : body, weir::threads::basic_summons<machine> {
  static constexpr std::uint32_t stopped = 0, runs = 1, in_own_thread = 2, dropped = 3;
  word<std::uint32_t> at{stopped};
  bool is_run_by_member = true;
  bool blocks_often = false;  // it stays detached

  driven_body() = default;
  explicit driven_body(queue*) {}
  driven_processor* where() const;
  driven_processor* home() const;
  bool summon(driven_bodies::signal) {
    queued.store(1, order::relaxed);
    summon_for(1);
    return true;
  }
  bool withdraw(driven_bodies::signal) {
    std::uint32_t there = 1;
    return queued.compare_exchange_strong(there, 0, order::relaxed);
  }
  bool blocks(driven_bodies::signal) const { return (mask() & 1) != 0; }
  void take_signals();
  void arrive_detached();

 private:
  word<std::uint32_t> queued{0};
};

class driven_processor : public weir::threads::basic_driver<driven_bodies> {
 public:
  driven_body& idle() { return idle_; }
  word<std::uint32_t> signals{0};  // for the kernel thread: a tick, or the program's
  bool is_thief = false;

 private:
  friend basic_driver<driven_bodies>;
  driven_body* next() { return static_cast<driven_body*>(take()); }
  driven_body* next_in_place_of(driven_body&) { return next(); }
  void is_about_to_drive() {}
  bool stays_detached(driven_body& me);
  bool finds_bodies();
};

/// The members are the bodies, then the idle contexts of the processors, then others.
class driving : public scenario {
 public:
  static constexpr unsigned most = 4;
  driven_processor processors[2];
  driven_body bodies[most];
  driven_body* contexts[most];  // of the first members
  sleep_queue bucket;
  word<std::uint32_t> changed{0};
  explored_mutex making;

  /// Of the member alone.
  driven_body* me = nullptr;
  const driven_processor* runs_on = nullptr;
  std::uint64_t held = 1;
  bool has_ended = false, has_handled = false;
  word<std::uint32_t>* on_its_way = nullptr;  // to a thread for which the member has sent a signal

  static constexpr std::uint32_t tick_signal = 1, of_program = 2;
  word<std::uint32_t> of_own_thread[most] = {{0}, {0}, {0}, {0}};  // the program's signal

  bool sends_signals = false;

  using scenario::check;

  explicit driving(unsigned of_bodies, unsigned of_processors = 2) : of_bodies_(of_bodies), of_processors_(of_processors) {
    goes_on_in_own_thread = [](body& b) {
      auto& its = static_cast<driven_body&>(b);
      here().check(its.at.load(order::relaxed) == driven_body::stopped);
      its.parked.end();
      its.at.store(driven_body::in_own_thread, order::relaxed);
    };
    after_fence_everywhere = [] { here().arrives(); };
    for (auto& p : processors) p.own().is_run_by_member = false;
    for (unsigned b = 0; b < most; ++b) contexts[b] = &bodies[b];
  }
  /// For scenarios in which a signal may interrupt a body.
  static void with_signals() {
    after_store = [](const void* word, std::uint64_t value) {
      driving& its = here();
      if (its.me == nullptr || word != &its.me->held) return;
      // A claim may have ended before the body has looked for it: the signal comes before its next operation.
      if (its.sends_signals && its.held == 0) its.not_yet_held_ = 3;
      its.held = value;
    };
    before_operation = [] { here().handle_signals(); };
  }

  static void wait(driven_body& b) {
    explored::spin(b.at, [](std::uint32_t now) { return now != driven_body::stopped; });
    const std::uint32_t how = b.at.load(order::relaxed);
    if (how == driven_body::in_own_thread) b.parked.await_end();
    if (how == driven_body::dropped) here().has_ended = true;
  }
  static void resume(driven_body& b) {
    // Twice, because an update reads the latest value, whatever the member knows.
    here().check(b.at.load(order::relaxed) == driven_body::stopped);
    here().check(b.at.exchange(driven_body::runs, order::release) == driven_body::stopped);
  }

  /// What the member has sent to a processor's thread arrives there at the latest when that thread executes a fence.
  void arrives() {
    if (on_its_way != nullptr) on_its_way->store(of_program, order::relaxed);
    on_its_way = nullptr;
  }
  /// In the name of this member.
  void handles() {
    check(me == &bodies[0]);
    has_handled = true;
  }

 protected:
  // ---- at the beginning, by member 0
  void seat(unsigned b, unsigned p) { belongs(bodies[b], processors[p]); }
  void is_detached(unsigned b) { bodies[b].at.store(driven_body::runs, order::relaxed); }
  void is_ready(unsigned b, unsigned p) {
    seat(b, p);
    processors[p].append(bodies[b]);
  }
  void runs_first(driven_body& b, unsigned p) {
    b.on.store(&processors[p], order::relaxed);
    b.at.store(driven_body::runs, order::relaxed);
    processors[p].runs(b);
  }
  void runs_first(unsigned b, unsigned p) {
    seat(b, p);
    runs_first(bodies[b], p);
  }
  void has_nothing_at_first(unsigned p) {
    belongs(processors[p].idle(), processors[p]);
    runs_first(processors[p].idle(), p);
  }
  void prepare() {
    for (unsigned p = 0; p < of_processors_; ++p) {
      belongs(processors[p].own(), processors[p]);
      belongs(processors[p].idle(), processors[p]);
      processors[p].own().may_move.store(static_cast<std::uint32_t>(weir::threads::moves::nowhere), order::relaxed);
    }
  }

  /// The member is a context; false: another one.
  template <class Program>
  bool is_context(unsigned member, Program program) {
    if (member < of_bodies_) {
      me = contexts[member];
      wait(*me);
      runs_on = me->where();
      if (runs_on != nullptr) const_cast<driven_processor*>(runs_on)->settle(*me);
      me->release();
      program(*me);
      if (is_body(*me)) goes_home(*me);
      if (ended_.fetch_add(1, order::acq_rel) + 1 == of_bodies_)
        for (unsigned p = 0; p < of_processors_; ++p)
          if (!processors[p].own().is_run_by_member) queue::make_ready(processors[p].own(), nullptr);
    } else if (member < of_bodies_ + of_processors_) {
      driven_processor& its = processors[member - of_bodies_];
      me = &its.idle();
      wait(*me);
      while (!has_ended) its.drive_next();
    } else {
      return false;
    }
    return true;
  }

  // ---- what bodies do
  static void yield(driven_body& b) {
    b.hold();
    if (auto* const on = b.where()) on->yield(b);
    b.release();
  }
  static void goes_home(driven_body& b) { changes_seat(b, nullptr); }
  static void changes_seat(driven_body& b, driven_processor* seat) {
    b.hold();
    b.seat.store(seat, order::relaxed);
    if (auto* const on = b.where()) {
      if (on != seat) on->leave(b);
      return b.release();
    }
    b.release();
    if (seat == nullptr) return;
    if (here().sends_signals) here().takes_what_was_sent_to_thread(b);
    driven_processor::attach(b);
  }
  void takes_what_was_sent_to_thread(driven_body& b) {
    making.lock();
    b.on.store(b.home(), order::relaxed);
    making.unlock();
    if (of_own_thread[&b - bodies].exchange(0, order::relaxed) != 0) handles();
  }
  /// The thread that drives a processor drives it no more.
  void ends_driving(driven_processor& mine) {
    mine.end_driving();
    mine.close();
    check(mine.idle().at.exchange(driven_body::dropped, order::release) == driven_body::stopped);
  }
  void changes_mask(driven_body& b, driven_bodies::signal_mask to) {
    b.hold();
    b.mask(to);
    if (auto* const on = b.where()) on->has_mask(to);
    if (b.is_summoned()) b.take_signals();
    b.release();
  }
  void sleep(driven_body& b) {
    b.hold();
    if (auto* const on = b.where()) on->sleep(b, awaited_word(1));
    b.release();
  }
  void wake(driven_body* b) {
    if (b != nullptr) b->hold();
    machine::full_fence();
    if (bucket.has_sleepers()) bucket.wake(changed, 1, b);
    if (b != nullptr) b->release();
  }

  /// Computes until the signal comes.
  void awaits_signal() {
    if (has_handled) return;
    word<std::uint32_t>& comes = runs_on != nullptr ? const_cast<driven_processor*>(runs_on)->signals : of_own_thread[me - bodies];
    explored::spin(comes, [](std::uint32_t now) { return now != 0; });
    comes.store(0, order::relaxed);
    if (!has_handled) handles();
  }

  // ---- what the monitor does, and senders of signals
  void send(driven_body& to) {
    for (bool is_left = false;;) {
      making.lock();
      const int result = weir::threads::basic_sender<driven_bodies>::send(to, {}, is_left);
      arrives();
      making.unlock();
      if (result == 0) return;
      explored::spin(to.held, [](std::uint32_t now) { return now == 0; });
    }
  }
  void tick(driven_processor& p) {
    making.lock();
    if (p.claim(p.switches())) {
      p.signals.store(tick_signal, order::relaxed);
      machine::fence_everywhere();
      p.unclaim();
    }
    making.unlock();
  }
  void hand_off(driven_processor& p, driven_processor& to) {
    making.lock();
    if (p.claim(p.switches())) p.hand_off(to);
    making.unlock();
  }

 private:
  void handle_signals() {
    if (me == nullptr || runs_on == nullptr || is_in_kernel_ || (held != 0 && not_yet_held_ == 0)) return;
    if (held != 0) --not_yet_held_;
    is_in_kernel_ = true;
    auto& its = const_cast<driven_processor&>(*runs_on);
    const std::uint32_t came = its.signals.load(order::relaxed);
    if (came != 0) its.signals.store(0, order::relaxed);
    is_in_kernel_ = false;
    if (came == of_program) handles();
    if (came == tick_signal && driven_processor::may_stop(&its, *me)) yield(*me);
  }

  bool is_body(const driven_body& b) const { return &b >= bodies && &b < bodies + most; }

  const unsigned of_bodies_, of_processors_;
  bool is_in_kernel_ = false;
  unsigned not_yet_held_ = 0;
  explored_word<std::uint32_t> ended_{0};
};

inline driving& here() { return *reinterpret_cast<driving*>(scenarios.here()); }

inline void driven_bodies::block(signal_mask, place) {}
inline void driven_bodies::switch_context(body& me, body& next) {
  if (!next.is_run_by_member) {
    here().has_ended = true;
    return;
  }
  me.at.store(driven_body::stopped, order::relaxed);
  driving::resume(next);
  driving::wait(me);
}
inline void driven_bodies::lend(body& b) {
  here().runs_on = nullptr;
  b.at.store(driven_body::stopped, order::relaxed);
  queue::make_ready(b, nullptr);
  driving::wait(b);
}
inline bool driven_bodies::falls_asleep(body& b, awaited) {
  return here().bucket.add(b, here().changed, here().changed, 0, [&b] { return b.has_signals(); });
}

inline driven_processor* driven_body::where() const {
  auto* const its = static_cast<driven_processor*>(on.load(order::relaxed));
  if (this == here().me) here().runs_on = its;
  return its;
}
inline driven_processor* driven_body::home() const { return static_cast<driven_processor*>(seat.load(order::relaxed)); }
inline void driven_body::take_signals() {
  const auto kept = where() == nullptr ? 0 : mask();
  const auto handle_all_but = [this](driven_bodies::signal_mask) {
    std::uint32_t there = 1;
    if (queued.compare_exchange_strong(there, 0, order::relaxed)) here().handles();
  };
  const auto go_home = [this] {
    seat.store(nullptr, order::relaxed);
    if (driven_processor* const its = where()) its->leave(*this);
  };
  answer(kept, handle_all_but, go_home, [] {});
}
/// What the kernel has for this thread comes first.
inline void driven_body::arrive_detached() {
  if (!here().sends_signals) return;
  auto& pending = here().of_own_thread[this - here().bodies];
  if (pending.exchange(0, order::relaxed) != 0) here().handles();
  take_signals();
}
inline int driven_bodies::send_to_thread(const body& its, signal) {
  here().of_own_thread[&its - here().bodies].store(1, order::relaxed);
  return 0;
}
inline int driven_bodies::send_to_processor(processor& its, signal) {
  here().on_its_way = &its.signals;
  return 0;
}
inline void driven_bodies::wake(body& b) {
  machine::full_fence();
  if (b.awaits.load(order::relaxed) != nullptr) here().bucket.wake(b, nullptr);
}

inline bool driven_processor::stays_detached(driven_body& me) {
  if (!me.blocks_often) return false;
  me.seat.store(nullptr, order::relaxed);
  me.where()->leave(me);
  return true;
}
inline bool driven_processor::finds_bodies() {
  if (!is_thief) return false;
  driving& in = here();
  driven_processor& other = in.processors[this == &in.processors[0]];
  in.making.lock();
  bool some = false;
  if (const std::uint32_t switched = other.switches(); other.has_ready() && may_steal_from(other, switched))
    some = steal_claimed(other, [](auto&) { return true; });
  in.making.unlock();
  return some;
}

}  // namespace explored_threads
