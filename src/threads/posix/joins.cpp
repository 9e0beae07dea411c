#include "threads/posix/joins.hpp"

#include <cerrno>

#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/posix/interpose.hpp"

namespace weir::threads {

namespace {

WEIR_WRITTEN_BY_FORKS constinit kernel_mutex changing;
// Written under the lock. relaxed, all: read without it only to find that nobody joins.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<joining*> first{nullptr};
// Under the lock.
WEIR_WRITTEN_BY_FORKS constinit creation* creates = nullptr;
constinit std::uint64_t last_ticket = 0;

// The thread that has the lock while it forks. ThreadSanitizer creates a thread in a handler of the child that comes before
// Weir's: there the lists are whole, and the lock is this thread's. relaxed: only the thread itself finds itself here.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<pthread_t> forks{};
struct lists_locked {
  lists_locked() {
    if (!is_had) changing.lock();
  }
  lists_locked(const lists_locked&) = delete;
  ~lists_locked() {
    if (!is_had) changing.unlock();
  }
  const bool is_had = forks.load(std::memory_order_relaxed) == pthread_self();
};

WEIR_RUN_BY_FORKS void before_fork() {
  changing.lock();
  forks.store(pthread_self(), std::memory_order_relaxed);
}
WEIR_RUN_BY_FORKS void in_parent() {
  forks.store({}, std::memory_order_relaxed);
  changing.unlock();
}
WEIR_RUN_BY_FORKS void begin_in_child() {
  first.store(nullptr, std::memory_order_relaxed);
  creates = nullptr;
  in_parent();
}
[[gnu::constructor]] void when_loaded() { pthread_atfork(before_fork, in_parent, begin_in_child); }

}  // namespace

joining* joining::whoever(auto joins) {
  for (joining* each = first.load(std::memory_order_relaxed); each != nullptr; each = each->next_)
    if (!each->is_over_ && joins(*each)) return each;
  return nullptr;
}

joining::joining(pthread_t of) : of_(of) {
  const without_preemption to_the_end;
  const lists_locked locked;
  if (whoever([this](const joining& it) { return !it.is_cancelled_ && it.of_ == by_ && it.by_ == of_; }) != nullptr)
    error_ = EDEADLK;
  else if (whoever([this](const joining& it) { return it.of_ == of_; }) != nullptr)
    error_ = EINVAL;
  if (error_ != 0) return;
  next_ = first.load(std::memory_order_relaxed);
  first.store(this, std::memory_order_relaxed);
}
// In the child of a fork that a handler has made, it is in no list.
joining::~joining() {
  if (error_ != 0) return;
  const without_preemption to_the_end;
  const lists_locked locked;
  joining* before = nullptr;
  for (joining* each = first.load(std::memory_order_relaxed); each != nullptr; before = each, each = each->next_) {
    if (each != this) continue;
    before != nullptr ? static_cast<void>(before->next_ = next_) : first.store(next_, std::memory_order_relaxed);
    return;
  }
}

void joining::note_cancelled(pthread_t by) {
  if (first.load(std::memory_order_relaxed) == nullptr) return;
  const without_preemption to_the_end;
  const lists_locked locked;
  for (joining* each = first.load(std::memory_order_relaxed); each != nullptr; each = each->next_)
    if (each->by_ == by) each->is_cancelled_ = true;
}

void joining::end_those_of(pthread_t number) {
  for (joining* each = first.load(std::memory_order_relaxed); each != nullptr; each = each->next_)
    if (each->of_ == number || each->by_ == number) each->is_over_ = true;
}

creation::creation() {
  const without_preemption to_the_end;
  const lists_locked locked;
  ticket_ = ++last_ticket;
  next_ = creates;
  creates = this;
}
// In the child of a fork that a handler has made, it is in no list.
creation::~creation() {
  const without_preemption to_the_end;
  const lists_locked locked;
  for (creation** each = &creates; *each != nullptr; each = &(*each)->next_) {
    if (*each != this) continue;
    *each = next_;
    return;
  }
}
/// Under the lock.
void creation::end_joins_of(pthread_t number) {
  if (!is_known_) joining::end_those_of(number);
  is_known_ = true;
}
void creation::has_made(pthread_t thread) {
  const without_preemption to_the_end;
  const lists_locked locked;
  end_joins_of(thread);
}
void creation::begins(std::uint64_t ticket) {
  const without_preemption to_the_end;
  const lists_locked locked;
  for (creation* each = creates; each != nullptr; each = each->next_)
    if (each->ticket_ == ticket) each->end_joins_of(pthread_self());
}

// Under the lock: a thread that joins it next asks the C library whether it has been detached.
int detach(pthread_t of, int (*next)(pthread_t)) {
  const without_preemption to_the_end;
  const lists_locked locked;
  return joining::whoever([of](const joining& it) { return it.of_ == of; }) != nullptr ? 0 : next(of);
}

}  // namespace weir::threads

INTERPOSE(int, pthread_detach, (pthread_t of)) { return weir::threads::detach(of, next_pthread_detach.get()); }
