#include "threads/scheduling/claimant.hpp"

#include "threads/scheduling/above.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/sleepers.hpp"

namespace weir::threads {

claimant::claimant() { pool_lock.lock(); }
claimant::~claimant() { pool_lock.unlock(); }

processor* claimant::at(std::size_t which) { return which < pool->processors.size() ? pool->processors[which] : nullptr; }

namespace {
template <class Is>
body* own_body_that(Is is) {
  for (processor* const p : pool->processors)
    if (!p->is_helper.load(std::memory_order_relaxed) && is(p->own())) return &p->own();
  return nullptr;
}
}  // namespace
void claimant::for_each_body(const std::function<void(const body&)>& what) {
  pool->bodies.for_each(what);
}
bool claimant::for_some_bodies(std::size_t& place, std::size_t most, const std::function<void(body&)>& what) {
  return pool->bodies.for_some(place, most, what);
}
bool claimant::has_body_of(pthread_t thread) { return pool->bodies.of(thread) != nullptr; }
body* claimant::body_of(pthread_t thread) {
  if (body* const found = pool->bodies.of(thread)) return found;
  return own_body_that([thread](const body& b) { return pthread_equal(b.thread, thread) != 0; });
}
body* claimant::body_of(pid_t id) {
  const auto is = [id](const body& b) { return b.id == id; };
  body* const found = pool->bodies.find(is);
  return found != nullptr ? found : own_body_that(is);
}

namespace {
body* processors_body_of(const body& listed) {
  // Not by the number of the thread, which may be a later thread's when the processor has outlasted the former one.
  return own_body_that([&listed](const body& b) { return b.id == listed.id; });
}
template <class Thread>
body* receiver(Thread thread) {
  body* const found = claimant::body_of(thread);
  if (found == nullptr || !found->is_adopted || found->where() != nullptr) return found;
  body* const driven = processors_body_of(*found);
  return driven != nullptr ? driven : found;
}
}  // namespace
body* claimant::receiver_of(pthread_t thread) { return receiver(thread); }
body* claimant::receiver_of(pid_t id) { return receiver(id); }
bool claimant::has_processor(const body& listed) { return listed.is_adopted && processors_body_of(listed) != nullptr; }

// ---- bodies that are called to their own kernel threads

void claimant::ask_to_detach(pthread_t thread) {
  if (body* const found = body_of(thread)) {
    interpose_cancellation();
    found->ask_to_detach();
    wake_body(*found);
    if (processor* const on = found->where()) {
      on->seen.cancelled = 0;
      on->has_cancelled.store(true, std::memory_order_relaxed);
      wake_monitor();
    }
  } else {
    pool->called_early[pool->called++ % pool->called_early.size()] = thread;
  }
}

bool claimant::has_asked_to_detach(const processor& on) {
  return pool->bodies.find([&on](const body& b) { return b.where() == &on && b.is_asked_to_detach(); }) != nullptr;
}

void detach_if_asked() {
  body* const me = this_body;
  if (me == nullptr || !me->is_asked_to_detach() || is_in_child()) return;
  const without_preemption to_the_end;
  me->take_signals();
}

namespace {
// relaxed: a body that sees it late goes to its kernel thread later.
constinit std::atomic<bool> pinned_all{false};
}  // namespace

bool all_are_pinned() { return pinned_all.load(std::memory_order_relaxed); }

void pin_all() {
  if (!all_are_pinned() && !is_in_child()) {
    const claimant no_sender_meanwhile;
    pinned_all.store(true, std::memory_order_relaxed);
    const auto ask = [](body& b) {
      if (&b == this_body) return;
      b.ask_to_detach();
      wake_body(b);
    };
    pool->bodies.for_each([&](body& b) {
      if (b.where() != nullptr) ask(b);
    });
    for (processor* const p : pool->processors)
      if (p->own().may(moves::to_stand_in)) ask(p->own());
  }
  pin();
}

}  // namespace weir::threads
