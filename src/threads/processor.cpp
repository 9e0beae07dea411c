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
#include <weir/machine/processors.hpp>

#include "threads/sleepers.hpp"

namespace weir::threads {

namespace {

// An idle processor looks for arrivals for about as long as a sleep and a wake-up in the kernel take.
constexpr unsigned idle_polls = 400;
// Yields in a row that find no ready body, to one system call: other processes may want the kernel's processor.
constexpr unsigned idle_yields = 64;

body closed_mark;

void yield_body() noexcept { this_body->on->yield(*this_body); }
void sleep_body_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept { sleep_while(word, value); }

}  // namespace

constinit const scheduling by_processors{yield_body, sleep_body_while};

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

inline void processor::switch_to(body& me, body& next) {
  weir_switch(&me.at, next.at, next.thread_pointer);
  if (me.on != nullptr) after_switch();  // null: at home
}

void processor::after_switch() {
  if (leaving_ != nullptr) [[unlikely]] std::exchange(leaving_, nullptr)->go_home();
}

void processor::yield(body& me) {
  body* const next = take();
  if (next == nullptr) {
    if (++idle_yields_ % idle_yields == 0) sched_yield();
    native::pause();
    return;
  }
  append(me);
  switch_to(me, *next);
}

void processor::block(body& me) {
  for (;; idle())
    if (body* const next = take(); next != nullptr) {
      if (next != &me) switch_to(me, *next);
      return;
    }
}

void processor::leave_for_home(body& me) {
  for (;; idle())
    if (body* const next = take(); next != nullptr) {
      leaving_ = &me;
      weir_switch(&me.at, next->at, next->thread_pointer);
      return;  // at home
    }
}

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
  while (body* const b = take()) b->go_home();
  // acquire: as in take_arrived(). release: for those that find it closed.
  body* late = arrived_.exchange(&closed_mark, std::memory_order_acq_rel);
  while (late != nullptr) std::exchange(late, late->next)->go_home();
}

// ---- for any thread

void processor::make_ready(body& b) {
  if (this_body != nullptr && this_body->on == this) return append(b);
  body* latest = arrived_.load(std::memory_order_acquire);  // acquire: that it is closed
  do {
    if (latest == &closed_mark) return b.go_home();
    b.next = latest;
    // release: what the caller did, for the body.
  } while (!arrived_.compare_exchange_weak(latest, &b, std::memory_order_release, std::memory_order_acquire));
  // seq_cst: as in idle().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_relaxed) == 0) return;
  asleep_.store(0, std::memory_order_relaxed);
  syscall(SYS_futex, &asleep_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// ---- which there are

namespace {

// By a pointer each: at the end of a thread its processor may still get bodies, which it sends home.
constinit thread_local processor* own_processor = nullptr;

std::mutex making;
std::vector<processor*>& helpers() {
  static auto& all = *new std::vector<processor*>;  // never destroyed: their threads run as long as the process
  return all;
}

void* help(void* its) {
  processor& p = *static_cast<processor*>(its);
  this_body = &p.own();
  p.own().thread_pointer = thread_pointer();
  scheduled_by = &by_processors;
  for (;;) p.block(p.own());
}

pthread_key_t end_of_thread;

// The child of a fork has one kernel thread. Bodies of others are left alone, wherever they have stopped; the calling one is an
// ordinary thread from now on.
void begin_in_child() {
  scheduled_by = nullptr;
  this_body = nullptr;
  own_processor = nullptr;
  helpers().clear();
  making.unlock();
}

[[gnu::constructor]] void when_loaded() {
  pthread_atfork([] { making.lock(); }, [] { making.unlock(); }, begin_in_child);
  pthread_key_create(&end_of_thread, [](void* its) {
    own_processor = nullptr;
    static_cast<processor*>(its)->close();
  });
}

}  // namespace

processor& here() {
  if (this_body != nullptr) return *this_body->on;
  if (own_processor == nullptr) {
    own_processor = new processor;
    own_processor->own().thread_pointer = thread_pointer();
    pthread_setspecific(end_of_thread, own_processor);
  }
  return *own_processor;
}

processor* helper(unsigned which) {
  const std::lock_guard lock(making);
  auto& all = helpers();
  while (all.size() <= which) {
    auto* const p = new processor;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, help, p);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      delete p;
      return nullptr;
    }
    all.push_back(p);
  }
  return all[which];
}

driving::driving() : outermost_(this_body == nullptr) {
  if (!outermost_) return;
  this_body = &here().own();
  scheduled_by = &by_processors;
}

driving::~driving() {
  if (!outermost_) return;
  this_body = nullptr;
  scheduled_by = nullptr;
}

}  // namespace weir::threads
