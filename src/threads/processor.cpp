#include "threads/processor.hpp"

#include <cstdlib>
#include <utility>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/machine/native.hpp>
#include <weir/waiting_automatic.hpp>

#include "machine/scheduling.hpp"
#include "threads/sleepers.hpp"

namespace weir::threads {

namespace {

// An idle processor looks for arrivals for about as long as a sleep and a wake-up in the kernel take.
constexpr unsigned idle_polls = 400;
// Bodies yield where they wait. If those that run come back within a few microseconds, for as long as a waiter that has its
// processor for itself polls before it asks (waiting_automatic.hpp), other threads of the system may have it: those may be what
// they wait for.
constexpr double worked_us = 3, between_system_yields_us = waiting::automatic_constants::between_yields;
// A look takes a microsecond, a way to another processor tens.
constexpr double between_looks_apart_us = 200;
// Looks in a row that find nobody waiting, until the timer stops: to start it again costs a system call.
constexpr unsigned most_idle_looks = 8;

// Of the idle context's stack: room for handlers of the program's own signals, and the page below it.
constexpr std::size_t idle_bytes = 65536, idle_guard = 4096;

body closed_mark;

// The caller has asked who schedules it, and may have gone home since: where its quantum has ended, or in the last one of
// several switches. From the first line on it stays.
void yield_body() noexcept {
  const without_preemption to_the_end;
  body* const me = this_body;
  if (me == nullptr) {
    yield_to_kernel();
    return;
  }
  me->on->let_others_run(*me);
  me->on->yield(*me);
}
void switch_body() noexcept {
  const without_preemption to_the_end;
  if (body* const me = this_body)
    me->on->yield(*me);
  else
    yield_to_kernel();
}
void sleep_body_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  {
    const without_preemption to_the_end;
    body* const me = this_body;
    // In its seat: a robber's processor may not be driven any more when the body is woken.
    while (this_body != nullptr && me->on != me->seat) me->on->leave(*me, me->seat);
    if (this_body != nullptr) return sleep_while(word, value);
  }
  futex_kernel::sleep_while(word, value);  // it is at home by now
}

}  // namespace

constinit const scheduling by_processors{yield_body, switch_body, sleep_body_while};

// ---- for its own thread

void processor::take_arrived() {
  // acquire: what the senders did, and where bodies that come from elsewhere have stopped.
  body* latest = arrived_.exchange(nullptr, std::memory_order_acquire);
  body* in_order = nullptr;
  while (latest != nullptr) {
    body* const before = latest->next;
    latest->next = in_order;
    in_order = std::exchange(latest, before);
  }
  while (in_order != nullptr) ready_.append(*std::exchange(in_order, in_order->next));
}

inline body* processor::take() {
  // relaxed: take_arrived() acquires.
  if (arrived_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] take_arrived();
  return ready_.take();
}

void processor::settle() {
  if (leaving_ == nullptr) [[likely]] return;
  body& b = *std::exchange(leaving_, nullptr);
  if (b.on == nullptr)
    b.go_home();
  else
    b.on->make_ready(b);
}

// Without preemption. `me` may go on elsewhere.
inline void processor::switch_to(body& me, body& next) {
  switches_.store(switches_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  current_.store(&next, std::memory_order_release);  // release: its `held`
  quantum_.go_on();
  weir_switch(&me.at, next.at, next.thread_pointer);
  if (me.on != nullptr)
    me.on->settle();
  else
    me.arrive_home();
}

void processor::yield(body& me) {
  if (me.seat != this) [[unlikely]] return leave(me, me.seat);
  body* const next = take();
  if (next == nullptr) return native::pause();
  ready_.append(me);
  switch_to(me, *next);
}

// Without preemption.
void processor::let_others_run(const body& me) {
  const std::uint64_t now = native::ticks();
  const double us = native::ticks_per_microsecond();
  if (has_ready() || me.seat != this) {
    if (static_cast<double>(now - last_look_) > worked_us * us) idle_since_ = now;
    last_look_ = now;
    if (static_cast<double>(now - idle_since_) < between_system_yields_us * us) return;
  }
  runs_on_.store(sched_getcpu(), std::memory_order_relaxed);
  if (static_cast<double>(now - apart_since_) > between_looks_apart_us * us) {
    apart_since_ = now;
    live_apart(*this);
  }
  if (!rob_another(*this)) yield_to_kernel();
  last_look_ = idle_since_ = native::ticks();
}

inline body& processor::next_body() {
  for (;; idle())
    if (body* const next = take()) return *next;
}

void processor::block(body& me) {
  const without_preemption to_the_end(&me);
  if (body& next = next_body(); &next != &me) switch_to(me, next);
}

void processor::leave(body& me, processor* to) {
  body* const next = take();
  me.on = to;
  leaving_ = &me;
  switch_to(me, next != nullptr ? *next : idle_);
}

bool processor::end_quantum(std::uint64_t place, bool in_system) {
  body* const me = this_body;
  if (me == nullptr) {
    // A body that has just begun, or the program's own thread outside of all regions.
    if (current_.load(std::memory_order_relaxed) != &own_) return quantum_.look_late(), false;
    quantum_.lapse();
    return in_system;
  }
  const bool held = me->held.load(std::memory_order_relaxed) != 0;
  if (held && has_ready()) return quantum_.look_late(), false;
  const without_preemption to_the_end(me);
  if (!held && in_system && me->parking != nullptr) {
    quantum_.look_at_next();
    leave(*me, nullptr);
    return true;
  }
  if (!held && in_system && give_to_another()) return true;
  if (!has_ready()) {
    if (++idle_looks_ < most_idle_looks)
      quantum_.look_late();
    else
      stop_looking();
    return in_system;
  }
  idle_looks_ = 0;
  const bool spins = std::exchange(me->interrupted_at, place) == place;
  // Bodies that switch by themselves need no quanta, unless the last one to begin spins.
  const std::uint32_t switches = switches_.load(std::memory_order_relaxed);
  const bool switched = std::exchange(switches_before_, switches) != switches;
  if (!spins && (switched || !quantum_.is_over())) return quantum_.look_again(), false;
  ++switches_before_;  // by this switch
  if (spins) quantum_.hurry();
  quantum_.look_at_next();
  yield(*me);
  return false;
}

void processor::stop_looking() {
  quantum_.stop();
  if (has_ready()) quantum_.go_on();
}

// Its own body is in a system call, and can run nowhere else. Each other one interrupts it at most once: it sits elsewhere from
// then on.
bool processor::give_to_another() {
  processor* const other = another(*this);
  if (other == nullptr) return false;
  while (body* const b = take()) {
    b->on = b->seat = other;
    other->make_ready(*b);
  }
  stop_looking();
  return true;
}

context processor::idle_main(void* its) {
  processor& p = *static_cast<processor*>(its);
  weir_switch(&p.idle_.at, p.making_idle_, p.own_.thread_pointer);
  for (;;) {
    p.settle();
    p.switch_to(p.idle_, p.next_body());
  }
}

void processor::make_idle_context() {
  idle_stack_ = mmap(nullptr, idle_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (idle_stack_ == MAP_FAILED) std::abort();
  mprotect(idle_stack_, idle_guard, PROT_NONE);
  idle_.thread_pointer = own_.thread_pointer;
  weir_lend(&making_idle_, static_cast<char*>(idle_stack_) + idle_bytes, idle_main, this);
}

void processor::begin_driving() {
  if (idle_stack_ == nullptr) make_idle_context();
  // relaxed: by this thread.
  if (arrived_.load(std::memory_order_relaxed) == &closed_mark) arrived_.store(nullptr, std::memory_order_relaxed);
  quantum_.make(*this);
  quantum_.end_of_lapse();
  if (has_ready()) quantum_.go_on();
  own_.held.store(0, std::memory_order_release);  // release: as in without_preemption
}

void processor::end_driving() {
  const without_preemption after_the_robber(&own_);
  own_.held.store(2, std::memory_order_relaxed);  // one remains
  runs_on_.store(-1, std::memory_order_relaxed);
  if (!std::exchange(has_robbed_, false)) return;
  // Nobody would run here what belongs to others.
  for (body* b = ready_.take_all(); b != nullptr;) {
    body& each = *std::exchange(b, b->next);
    if (each.seat == this || each.parking == nullptr)
      ready_.append(each);
    else if ((each.on = each.seat) != nullptr)
      each.on->make_ready(each);
    else
      each.go_home();
  }
}

void processor::idle() {
  if (rob_another(*this)) return;  // the first time it only looks
  for (unsigned i = 0; i < idle_polls; ++i) {
    if (arrived_.load(std::memory_order_relaxed) != nullptr) return;
    native::pause();
  }
  if (rob_another(*this)) return;
  runs_on_.store(-1, std::memory_order_relaxed);
  asleep_.store(1, std::memory_order_relaxed);
  // seq_cst: either the sender of a body sees that this thread is asleep, or this thread sees the body.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  while (arrived_.load(std::memory_order_relaxed) == nullptr && asleep_.load(std::memory_order_relaxed) == 1)
    syscall(SYS_futex, &asleep_, FUTEX_WAIT_PRIVATE, 1u, nullptr, nullptr, 0);
  asleep_.store(0, std::memory_order_relaxed);
}

void processor::close() {
  if (arrived_.load(std::memory_order_relaxed) == &closed_mark) return;
  quantum_.end();
  if (idle_stack_ != nullptr) munmap(std::exchange(idle_stack_, nullptr), idle_bytes);
  while (body* const b = take()) b->go_home();
  // acquire: as in take_arrived(). release: for those that find it closed.
  body* late = arrived_.exchange(&closed_mark, std::memory_order_acq_rel);
  while (late != nullptr) std::exchange(late, late->next)->go_home();
}

// ---- for any thread

void processor::make_ready(body& b) {
  const without_preemption to_the_end;
  if (this_body != nullptr && this_body->on == this) {
    ready_.append(b);
    return quantum_.go_on();
  }
  body* latest = arrived_.load(std::memory_order_acquire);  // acquire: that it is closed
  do {
    if (latest == &closed_mark) return b.go_home();
    b.next = latest;
    // release: what the caller did, for the body.
  } while (!arrived_.compare_exchange_weak(latest, &b, std::memory_order_release, std::memory_order_acquire));
  // seq_cst: as in idle(), and in quantum::stop().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  quantum_.go_on();
  wake_up();
}

void processor::wake_up() {
  if (!sleeps()) return;
  asleep_.store(0, std::memory_order_relaxed);
  syscall(SYS_futex, &asleep_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace weir::threads
