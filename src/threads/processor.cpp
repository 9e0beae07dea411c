#include "threads/processor.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/machine/native.hpp>
#include <weir/waiting_automatic.hpp>

#include "machine/detached_thread.hpp"
#include "threads/sleepers.hpp"

namespace weir::threads {

namespace {

// An idle processor looks for arrivals for about as long as a sleep and a wake-up in the kernel take.
constexpr unsigned idle_polls = 400;
// Bodies yield where they wait. If those that run come back within a microsecond on average, for as long as a waiter that has
// its processor for itself polls before it asks (waiting_automatic.hpp), other threads of the system may have it: those may be
// what they wait for.
constexpr unsigned between_looks = 64;  // at the clock, in yields
constexpr double worked_us = 1, between_system_yields_us = waiting::automatic_constants::between_yields;
// Looks in a row that find nobody waiting, until the timer stops: to start it again costs a system call.
constexpr unsigned most_idle_looks = 8;

body closed_mark;

// The caller has asked who schedules it, and may have gone home since: where its quantum has ended, or in the last one of
// several switches. From the first line on it stays.
void yield_body() noexcept {
  const without_preemption to_the_end;
  body* const me = this_body;
  if (me == nullptr || !me->on->has_ready()) {
    sched_yield();
    return;
  }
  me->on->let_others_run();
  me->on->yield(*me);
}
void switch_body() noexcept {
  const without_preemption to_the_end;
  if (body* const me = this_body)
    me->on->yield(*me);
  else
    sched_yield();
}
void sleep_body_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  const without_preemption to_the_end;
  if (this_body != nullptr)
    sleep_while(word, value);
  else
    futex_kernel::sleep_while(word, value);  // by the kernel, this time
}

}  // namespace

constinit const scheduling by_processors{yield_body, switch_body, sleep_body_while};

// ---- for its own thread

inline void processor::append(body& b) {
  b.next = nullptr;
  (last_ != nullptr ? last_->next : first_) = &b;
  last_ = &b;
}

void processor::take_arrived() {
  // acquire: what the senders did, and where bodies that come from elsewhere have stopped.
  body* latest = arrived_.exchange(nullptr, std::memory_order_acquire);
  body* in_order = nullptr;
  while (latest != nullptr) {
    body* const before = latest->next;
    latest->next = in_order;
    in_order = std::exchange(latest, before);
  }
  while (in_order != nullptr) append(*std::exchange(in_order, in_order->next));
}

inline body* processor::take() {
  // relaxed: take_arrived() acquires.
  if (arrived_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] take_arrived();
  body* const b = first_;
  if (b != nullptr && (first_ = b->next) == nullptr) last_ = nullptr;
  return b;
}

// Without preemption.
inline void processor::switch_to(body& me, body& next) {
  ++switches_;
  quantum_.start();
  const std::uint32_t held = held_.load(std::memory_order_relaxed);
  weir_switch(&me.at, next.at, next.thread_pointer);
  if (me.on == nullptr) return;  // at home
  held_.store(held, std::memory_order_relaxed);
  if (leaving_ != nullptr) [[unlikely]] std::exchange(leaving_, nullptr)->go_home();
}

void processor::arrive() {
  if (leaving_ != nullptr) std::exchange(leaving_, nullptr)->go_home();
  held_.store(0, std::memory_order_relaxed);
}

void processor::yield(body& me) {
  body* const next = take();
  if (next == nullptr) return native::pause();
  append(me);
  switch_to(me, *next);
}

// Without preemption.
void processor::let_others_run() {
  if (++yields_ % between_looks != 0) return;
  const std::uint64_t now = native::ticks();
  const double us = native::ticks_per_microsecond();
  if (static_cast<double>(now - last_look_) > between_looks * worked_us * us) idle_since_ = now;
  last_look_ = now;
  if (static_cast<double>(now - idle_since_) < between_system_yields_us * us) return;
  sched_yield();
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

void processor::leave_for_home(body& me) {
  held_.store(1, std::memory_order_relaxed);
  body& next = next_body();
  leaving_ = &me;
  switch_to(me, next);
}

void processor::end_quantum(std::uint64_t place) {
  if (held_.load(std::memory_order_relaxed) != 0 || !has_ready()) {
    // One that drives nothing stops at once, since its thread may be in a system call that does not like to be interrupted.
    if (this_body != nullptr && ++idle_looks_ < most_idle_looks) return quantum_.look_late();
    quantum_.stop();
    if (has_ready() && this_body != nullptr) quantum_.start();
    return;
  }
  idle_looks_ = 0;
  const bool as_before = std::exchange(this_body->interrupted_at, place) == place;
  // Bodies that switch by themselves need no quanta, unless the last one to begin spins.
  if (std::exchange(switches_before_, switches_) != switches_ && !as_before) return quantum_.look_late();
  if (!as_before && !quantum_.is_over()) return quantum_.look_again();
  ++switches_before_;  // by this switch
  quantum_.look_at_next();
  const without_preemption to_the_end;
  yield(*this_body);
}

void processor::begin_driving() {
  quantum_.make(*this);
  if (has_ready()) quantum_.start();
  held_.store(0, std::memory_order_relaxed);
}

void processor::end_driving() { held_.store(1, std::memory_order_relaxed); }

void processor::idle() {
  for (unsigned i = 0; i < idle_polls; ++i) {
    if (arrived_.load(std::memory_order_relaxed) != nullptr) return;
    native::pause();
  }
  asleep_.store(1, std::memory_order_relaxed);
  // seq_cst: either the sender of a body sees that this thread is asleep, or this thread sees the body.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  while (arrived_.load(std::memory_order_relaxed) == nullptr && asleep_.load(std::memory_order_relaxed) == 1)
    syscall(SYS_futex, &asleep_, FUTEX_WAIT_PRIVATE, 1u, nullptr, nullptr, 0);
  asleep_.store(0, std::memory_order_relaxed);
}

void processor::close() {
  quantum_.end();
  while (body* const b = take()) b->go_home();
  // acquire: as in take_arrived(). release: for those that find it closed.
  body* late = arrived_.exchange(&closed_mark, std::memory_order_acq_rel);
  while (late != nullptr) std::exchange(late, late->next)->go_home();
}

// ---- for any thread

void processor::make_ready(body& b) {
  if (this_body != nullptr && this_body->on == this) {
    const without_preemption to_the_end;
    append(b);
    return quantum_.start();
  }
  body* latest = arrived_.load(std::memory_order_acquire);  // acquire: that it is closed
  do {
    if (latest == &closed_mark) return b.go_home();
    b.next = latest;
    // release: what the caller did, for the body.
  } while (!arrived_.compare_exchange_weak(latest, &b, std::memory_order_release, std::memory_order_acquire));
  // seq_cst: as in idle(), and in quantum::stop().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  quantum_.start();
  if (asleep_.load(std::memory_order_relaxed) == 0) return;
  asleep_.store(0, std::memory_order_relaxed);
  syscall(SYS_futex, &asleep_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// ---- which there are

namespace {

// By a pointer each: at the end of a thread its processor may still get bodies, which it sends home.
constinit thread_local processor* own_processor = nullptr;

std::mutex making;
unsigned threads_with_processor = 0;
// Created when the library is loaded, and never destroyed: threads may end after the program's objects.
constinit std::vector<processor*>* helpers = nullptr;

void* help(void* its) {
  processor& p = *static_cast<processor*>(its);
  this_body = &p.own();
  p.own().thread_pointer = thread_pointer();
  scheduled_by = &by_processors;
  p.begin_driving();
  p.block(p.own());  // until the last thread that has a processor of its own ends
  p.end_driving();
  this_body = nullptr;
  p.close();
  return nullptr;
}

/// A process ends with its last thread, so no helper may remain. Bodies that are on their processors still go home; those that
/// sleep find them closed later, so processors are not freed.
void end_processor(void* its) {
  own_processor = nullptr;
  static_cast<processor*>(its)->close();
  const std::lock_guard lock(making);
  if (--threads_with_processor != 0) return;
  for (processor* const p : *helpers) p->make_ready(p->own());
  helpers->clear();
}

pthread_key_t end_of_thread;

// The child of a fork has one kernel thread. Bodies of others are left alone, wherever they have stopped; the calling one is an
// ordinary thread from now on.
void begin_in_child() {
  scheduled_by = nullptr;
  this_body = nullptr;
  own_processor = nullptr;
  helpers->clear();
  threads_with_processor = 0;
  making.unlock();
}

[[gnu::constructor]] void when_loaded() {
  helpers = new std::vector<processor*>;
  pthread_atfork([] { making.lock(); }, [] { making.unlock(); }, begin_in_child);
  pthread_key_create(&end_of_thread, end_processor);
}

}  // namespace

processor& here() {
  if (this_body != nullptr) return *this_body->on;
  if (own_processor == nullptr) {
    own_processor = new processor;
    own_processor->own().thread_pointer = thread_pointer();
    pthread_setspecific(end_of_thread, own_processor);
    const std::lock_guard lock(making);
    ++threads_with_processor;
  }
  return *own_processor;
}

processor* helper(unsigned which) {
  const std::lock_guard lock(making);
  auto& all = *helpers;
  while (all.size() <= which) {
    auto* const p = new processor;
    if (start_detached(help, p) != 0) {
      delete p;
      return nullptr;
    }
    all.push_back(p);
  }
  return all[which];
}

driving::driving() : outermost_(this_body == nullptr) {
  if (!outermost_) return;
  processor& mine = here();
  this_body = &mine.own();
  scheduled_by = &by_processors;
  mine.begin_driving();
}

driving::~driving() {
  if (!outermost_) return;
  this_body->on->end_driving();
  this_body = nullptr;
  scheduled_by = nullptr;
}

}  // namespace weir::threads
