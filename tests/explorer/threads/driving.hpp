// Processors that drive bodies: each context is a member of the search, a body or the idle context of a processor. A switch hands
// the processor over from one member to another, with what its thread has for itself.
//
// A member that switches to a context must know that it has stopped: otherwise there would be a race for its registers and its
// stack.
#pragma once

#include "driven.hpp"
#include "scenario.hpp"

namespace explored_threads {

class driving;
driving& here();

/// The members are the bodies, then the idle contexts of the processors, then others.
class driving : public scenario {
 public:
  static constexpr unsigned most = 4;
  driven_processor processors[2];
  driven_body bodies[most];
  driven_body* contexts[most];  // of the first members
  sleep_queue bucket;
  word<std::uint32_t> changed{0}, was_handled{0};  // was_handled: a signal from outside
  explored_mutex making;

  /// Of the member alone.
  driven_body* me = nullptr;
  driven_processor* runs_on = nullptr;
  std::uint64_t held = 1;
  bool has_ended = false, has_handled = false, is_ending = false;
  unsigned times_away = 0;  // it has gone to its own kernel thread for a while
  word<std::uint32_t>* on_its_way = nullptr;  // to a thread for which the member has sent a signal

  static constexpr std::uint32_t tick_signal = 1, of_program = 2;
  word<std::uint32_t> of_own_thread[most] = {{0}, {0}, {0}, {0}};  // the program's signal

  bool sends_signals = false;
  bool from_outside =
      false;  // signals for a processor's thread, from other processes: at any time, if the thread does not block them

  using scenario::check;

  explicit driving(unsigned of_bodies, unsigned of_processors = 2) : of_bodies_(of_bodies), of_processors_(of_processors) {
    goes_on_in_own_thread = [](body& b) {
      auto& driven = static_cast<driven_body&>(b);
      here().check(driven.at.load(order::relaxed) == driven_body::stopped);
      driven.parked.end();
      driven.at.store(driven_body::in_own_thread, order::relaxed);
    };
    after_fence_everywhere = [] { here().arrives(); };
    for (auto& p : processors) p.own().is_run_by_member = false;
    for (unsigned b = 0; b < most; ++b) contexts[b] = &bodies[b];
  }
  /// For scenarios in which a signal may interrupt a body.
  static void with_signals() {
    after_store = [](const void* word, std::uint64_t value) {
      driving& s = here();
      if (s.me == nullptr || word != &s.me->held) return;
      // A claim may have ended before the body has looked for it: the signal comes before its next operation.
      if (s.sends_signals && s.held == 0) s.not_yet_held_ = 3;
      s.held = value;
    };
    before_operation = [] { here().handle_signals(); };
  }

  /// Until another context of the thread, or of another thread, switches to this one.
  static void wait(driven_body& b) {
    auto is_resumed = [](std::uint64_t now) { return now != driven_body::stopped; };
    here().goes_on(b, b.at.spin(is_resumed, order::acquire));
  }
  static void switches(driven_body& me, driven_body& next) {
    driving& s = here();
    const std::uint64_t handed_over = s.running_on(*s.runs_on);
    s.runs_on->memory.is_here = false;
    me.at.store(driven_body::stopped, order::relaxed);
    // Twice, because an update reads the latest value, whatever the member knows.
    s.check(next.at.load(order::relaxed) == driven_body::stopped);
    s.check(next.at.exchange(handed_over, order::release) == driven_body::stopped);
    wait(me);
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
  /// Context 0 is the own body of processor 0, whose thread the program has created.
  void has_own_body() {
    contexts[0] = &processors[0].own();
    processors[0].own().is_run_by_member = true;
  }

  // ---- at the beginning, by member 0
  void seat(unsigned b, unsigned p) { belongs(bodies[b], processors[p]); }
  void is_detached(unsigned b) { bodies[b].at.store(driven_body::runs, order::relaxed); }
  std::uint64_t running_on(const driven_processor& p) const {
    const auto number = static_cast<std::uint64_t>(&p - processors + 1);
    return driven_body::runs | number << driven_body::processor_shift | p.memory.values << driven_body::memory_shift;
  }
  void is_ready(unsigned b, unsigned p) {
    seat(b, p);
    processors[p].append(bodies[b]);
  }
  void runs_first(driven_body& b, unsigned p) {
    b.on.store(&processors[p], order::relaxed);
    b.at.store(running_on(processors[p]), order::relaxed);
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
  /// The processors belong to threads of the program.
  template <class Make>
  void begin(unsigned member, Make make) {
    scenario::begin(member, [&] {
      for (unsigned p = 0; p < of_processors_; ++p) {
        belongs(processors[p].own(), processors[p]);
        belongs(processors[p].idle(), processors[p]);
        processors[p].own().may_move.store(static_cast<std::uint32_t>(weir::threads::moves::nowhere), order::relaxed);
        processors[p].memory.is_here = true;
      }
      make();
      for (driven_processor& p : processors) p.memory.is_here = false;
    });
  }
  /// Body 0 runs, and the others are ready, on processor 0; the other one, if there is one, has nothing.
  void begin_on_one(unsigned member) { begin_on_one(member, [] {}); }
  template <class Also>
  void begin_on_one(unsigned member, Also also) {
    begin(member, [&] {
      for (unsigned b = 1; b < of_bodies_; ++b) is_ready(b, 0);
      if (of_processors_ == 2) has_nothing_at_first(1);
      runs_first(0, 0);
      also();
    });
  }

  /// The member is a context; false: another one.
  template <class Program>
  bool is_context(unsigned member, Program program) {
    if (member < of_bodies_) {
      me = contexts[member];
      wait(*me);
      if (driven_processor* const on = me->where()) on->settle(*me);
      me->release();
      program(*me);
      if (is_body(*me)) detaches(*me);
      if (ended_.fetch_add(1, order::acq_rel) + 1 == of_bodies_)
        for (unsigned p = 0; p < of_processors_; ++p)
          if (!processors[p].own().is_run_by_member) queue::make_ready(processors[p].own(), nullptr);
    } else if (member < of_bodies_ + of_processors_) {
      driven_processor& p = processors[member - of_bodies_];
      me = &p.idle();
      wait(*me);
      while (!has_ended) p.drive_next();
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
  void detaches(driven_body& b) { changes_seat(b, nullptr); }
  void changes_seat(driven_body& b, driven_processor* seat) {
    b.hold();
    b.seat.store(seat, order::relaxed);
    if (auto* const on = b.where()) {
      if (on != seat) on->leave(b);
      return b.release();
    }
    b.release();
    if (seat == nullptr) return;
    if (sends_signals) takes_what_was_sent_to_thread(b);
    driven_processor::attach(b);
    check(b.where() == nullptr || b.held.load(order::relaxed) == 0);
  }
  void takes_what_was_sent_to_thread(driven_body& b) {
    making.lock();
    b.on.store(b.home(), order::relaxed);
    making.unlock();
    if (of_own_thread[&b - bodies].exchange(0, order::relaxed) != 0) handles();
  }
  /// The thread that drives a processor drives it no more.
  void ends_driving(driven_processor& p) {
    is_ending = true;
    p.end_driving();
    is_ending = false;
    check(!p.is_driven() && !p.is_stood_in_for() && p.own().held.load(order::relaxed) == 1);
    p.close();
    drops_idle_context(p);
  }
  /// It goes on for the last time.
  void drops_idle_context(driven_processor& p) {
    const std::uint64_t how = running_on(p) | driven_body::dropped;
    check(p.idle().at.exchange(how, order::release) == driven_body::stopped);
  }
  void changes_mask(driven_body& b, driven_bodies::signal_mask to) {
    b.hold();
    is_in_kernel_ = true;  // a signal comes before the change, or when it is noted
    b.mask(to);
    if (auto* const on = b.where()) {
      on->blocked = to;
      on->has_mask(to);
    }
    is_in_kernel_ = false;
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
    if (has_handled || (from_outside && was_handled.load(order::relaxed) == 1)) return;
    if (runs_on != nullptr) check((runs_on->blocked & driven_bodies::of_program) == 0);
    word<std::uint32_t>& comes = runs_on != nullptr ? runs_on->signals : of_own_thread[me - bodies];
    explored::spin(comes, [](std::uint32_t now) { return now != 0; });
    comes.store(0, order::relaxed);
    if (!has_handled) handles();
  }

  // ---- what the monitor does, and senders of signals
  void send(driven_body& to) {
    for (weir::threads::basic_sender<driven_bodies>::left_signal left;;) {
      making.lock();
      const int result = weir::threads::basic_sender<driven_bodies>::send(to, {}, left);
      arrives();
      making.unlock();
      if (result == 0) return;
      word<std::uint32_t>& changes = to.on.load(order::relaxed) == nullptr ? to.arrived : to.held;
      const std::uint32_t awaited = &changes == &to.arrived;
      explored::spin(changes, [awaited](std::uint32_t now) { return now == awaited; });
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
  void goes_on(driven_body& b, std::uint64_t how) {
    const auto number = how >> driven_body::processor_shift & 3;
    runs_on = number == 0 ? nullptr : &processors[number - 1];
    if (runs_on != nullptr) {
      runs_on->memory.values = how >> driven_body::memory_shift;
      runs_on->memory.is_here = true;
    }
    if (is_ending) check(runs_on == b.seat.load(order::relaxed));  // there alone it may end
    if (how == driven_body::in_own_thread) b.parked.await_end();
    if ((how & driven_body::dropped) == driven_body::dropped) has_ended = true;
  }

  void handle_signals() {
    if (me == nullptr || runs_on == nullptr || is_in_kernel_) return;
    if (from_outside) return handle_those_from_outside();
    if (held != 0 && not_yet_held_ == 0) return;
    if (held != 0) --not_yet_held_;
    const std::uint32_t came = take_signal();
    if (came == of_program) handles();
    if (came == tick_signal && driven_processor::may_stop(runs_on, *me)) yield(*me);
  }
  std::uint32_t take_signal() {
    is_in_kernel_ = true;
    const std::uint32_t came = runs_on->signals.load(order::relaxed);
    if (came != 0) runs_on->signals.store(0, order::relaxed);
    is_in_kernel_ = false;
    return came;
  }
  /// Not in the name of a body that blocks them, nor while the thread's own body, which has the same thread pointer, may run
  /// elsewhere.
  void handle_those_from_outside() {
    if (!runs_on->memory.is_here || (runs_on->blocked & driven_bodies::of_program) != 0 || take_signal() == 0) return;
    is_in_kernel_ = true;
    const driven_body& b = me == &runs_on->idle() ? runs_on->own() : *me;
    check(!b.blocks({}) && b.on.load(order::relaxed) == runs_on);
    was_handled.store(1, order::relaxed);
    is_in_kernel_ = false;
  }

  bool is_body(const driven_body& b) const { return &b >= bodies && &b < bodies + most; }

  const unsigned of_bodies_, of_processors_;
  bool is_in_kernel_ = false;
  unsigned not_yet_held_ = 0;
  explored_word<std::uint32_t> ended_{0};
};

inline driving& here() { return *reinterpret_cast<driving*>(scenarios.here()); }

inline void require(bool holds) {
  if (!holds) here().check(false);
}

inline void driven_bodies::block(signal_mask signals, place at) {
  if (!is_left_out(at)) here().runs_on->blocked = signals;
}
inline void driven_bodies::switch_context(body& me, body& next) {
  if (next.is_run_by_member) return driving::switches(me, next);
  here().has_ended = true;
}
inline void driven_bodies::lend(body& b) {
  here().runs_on = nullptr;
  b.at.store(driven_body::stopped, order::relaxed);
  queue::make_ready(b, nullptr);
  driving::wait(b);
}
// The body that leaves may be run elsewhere from then on. Its processor has the next one's alternate stack already.
inline void driven_queue::make_ready(runnable& b, runnable* me, place at) {
  if (me != nullptr) require(here().runs_on->has_taken_signal_stack_of(*static_cast<driven_body*>(me)));
  if (!is_left_out(at)) queue::make_ready(b, me);
}
inline bool driven_bodies::falls_asleep(body& b, awaited) {
  require(!here().runs_on->has_taken_signal_stack_of(b));
  return here().bucket.add(b, here().changed, here().changed, 0, [&b] { return b.has_signals(); });
}

inline driven_processor* driven_body::where() const {
  auto* const p = static_cast<driven_processor*>(on.load(order::relaxed));
  if (this == here().me) require(p == here().runs_on);
  return p;
}
inline driven_processor* driven_body::home() const { return static_cast<driven_processor*>(seat.load(order::relaxed)); }
inline void driven_body::takes_signals() {
  const auto kept = where() == nullptr ? 0 : mask();
  const auto handle_all_but = [this](driven_bodies::signal_mask) {
    std::uint32_t there = 1;
    if (queued.compare_exchange_strong(there, 0, order::relaxed)) here().handles();
  };
  const auto detach = [this] {
    seat.store(nullptr, order::relaxed);
    if (driven_processor* const p = where()) p->leave(*this);
  };
  answer(kept, handle_all_but, detach, [] { ++here().times_away; });
}
/// What the kernel has for this thread comes first.
inline void driven_body::arrives_detached() {
  if (!here().sends_signals) return;
  auto& pending = here().of_own_thread[this - here().bodies];
  std::uint32_t there = 1;
  const bool left = is_summoned() && queued.compare_exchange_strong(there, 0, order::relaxed);
  arrived.store(1, order::release);
  if (pending.exchange(0, order::relaxed) != 0 || left) here().handles();
  takes_signals();
}
inline int driven_bodies::send_to_thread(const body& to, signal) {
  here().of_own_thread[&to - here().bodies].store(1, order::relaxed);
  return 0;
}
inline int driven_bodies::send_to_processor(processor& to, signal) {
  here().on_its_way = &to.signals;
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
