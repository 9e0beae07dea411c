// Which processors there are: those of the program's threads, and helpers.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "machine/detached_thread.hpp"
#include "threads/processor.hpp"

namespace weir::threads {

namespace {

// By a pointer each: at the end of a thread its processor may still get bodies, which it sends home.
constinit thread_local processor* own_processor = nullptr;

std::mutex making;
unsigned threads_with_processor = 0;
// Created when the library is loaded, and never destroyed: threads may end after the program's objects.
constinit std::vector<processor*>*helpers = nullptr, *all = nullptr;
// The first helper, for handlers, which must not wait for a lock. acquire and release: what it is.
constinit std::atomic<processor*> stand_in{nullptr};

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
  auto* const mine = static_cast<processor*>(its);
  mine->close();
  const std::lock_guard lock(making);
  std::erase(*all, mine);
  if (--threads_with_processor != 0) return;
  for (processor* const p : *helpers) {
    std::erase(*all, p);
    p->make_ready(p->own());
  }
  helpers->clear();
  stand_in.store(nullptr, std::memory_order_relaxed);  // no thread has a processor that asks for it
}

pthread_key_t end_of_thread;

// The child of a fork has one kernel thread. Bodies of others are left alone, wherever they have stopped; the calling one is an
// ordinary thread from now on.
void begin_in_child() {
  scheduled_by = nullptr;
  this_body = nullptr;
  own_processor = nullptr;
  helpers->clear();
  stand_in.store(nullptr, std::memory_order_relaxed);
  all->clear();
  threads_with_processor = 0;
  making.unlock();
}

[[gnu::constructor]] void when_loaded() {
  helpers = new std::vector<processor*>;
  all = new std::vector<processor*>;
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
    all->push_back(own_processor);
  }
  return *own_processor;
}

processor& seat() { return this_body != nullptr ? *this_body->seat : here(); }

void close_own_processor() {
  if (own_processor != nullptr) own_processor->close();
}

processor* helper(unsigned which) {
  const std::lock_guard lock(making);
  while (helpers->size() <= which) {
    auto* const p = new processor;
    if (start_detached(help, p) != 0) {
      delete p;
      return nullptr;
    }
    helpers->push_back(p);
    all->push_back(p);
    if (helpers->size() == 1) stand_in.store(p, std::memory_order_release);
  }
  return (*helpers)[which];
}

processor* another(const processor& mine) {
  processor* const other = stand_in.load(std::memory_order_acquire);
  return other != &mine ? other : nullptr;
}

void wait_for_robbers() { const std::lock_guard lock(making); }

bool rob_another(processor& mine) {
  const std::unique_lock lock(making, std::try_to_lock);
  return lock && std::ranges::any_of(*all, [&](processor* p) { return p != &mine && mine.rob(*p); });
}

// Without memory from the heap, whose lock a body of this processor may hold.
void live_apart(const processor& mine) {
  const std::unique_lock lock(making, std::try_to_lock);
  if (!lock || std::ranges::find(*helpers, &mine) == helpers->end()) return;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t free = allowed;
  bool shared = false;
  for (const processor* p : *all) {
    const int its = p != &mine ? p->runs_on() : -1;
    if (its < 0) continue;
    CPU_CLR(static_cast<std::size_t>(its), &free);
    shared |= its == mine.runs_on();
  }
  if (!shared || CPU_COUNT(&free) == 0) return;
  std::size_t to = 0;
  while (!CPU_ISSET(to, &free)) ++to;
  cpu_set_t one, now;
  CPU_ZERO(&one);
  CPU_SET(to, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return;
  // What others have set meanwhile stays.
  if (sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &one)) sched_setaffinity(0, sizeof allowed, &allowed);
}

driving::driving() : outermost_(this_body == nullptr), before_(scheduled_by) {
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
  scheduled_by = before_;
}

}  // namespace weir::threads
