#include "openmp/forking/kept_crews.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <pthread.h>

#include "machine/time_slice.hpp"
#include "openmp/forking/crew.hpp"
#include "openmp/placing/seats.hpp"
#include "openmp/placing/team_binding.hpp"
#include "openmp/settings/initial.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

// ---- the crew's side

namespace {
/// What the workers are asked in a last region.
struct question {
  std::uint64_t signals, floating_point;
  std::atomic<unsigned> as_new{0};  // relaxed: the region's end publishes it
};
void answer(void* argument) {
  auto& asked = *static_cast<question*>(argument);
  if (current->number != 0 && this_thread.crews == nullptr && threads::is_as_started(asked.signals) &&
      floating_point_control() == asked.floating_point && !current->of->has_moved.load(std::memory_order_relaxed))
    asked.as_new.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

bool crew::loses_thread() {
  const bool asks = primary_thread_ && gives_ && gives_->is_known && seated_ && last_ != nullptr && !last_->seats.empty() &&
                    last_->size == workers_.size() + 1 && !explains_ && !affinity_matters() && !cancellation_in_force() &&
                    threads::is_own(*last_->seats.front());
  if (!asks) return false;
  question asked{gives_->signals, gives_->floating_point};
  execute(*last_, answer, &asked);
  current = nullptr;
  if (asked.as_new.load(std::memory_order_relaxed) != workers_.size()) return false;
  unsigned there = 0;
  for (unsigned m = 1; m < last_->size; ++m) there += last_->members[m].seat == last_->seats.front() ? 1 : 0;
  without_thread_ = threads::give_up_own_processor(there);
  if (without_thread_ == nullptr) return false;
  primary_thread_.reset();
  last_ = nullptr;
  for (const auto& [of, t] : teams_) {
    forget_moves(*t);
    t->parent = nullptr;
    t->within = {};
    t->seats.clear();  // helpers may end meanwhile
  }
  return true;
}

void crew::gets_thread() {
  threads::take_over(*std::exchange(without_thread_, nullptr));
  primary_thread_.emplace(released_);
}

void crew::dismiss_without_thread() {
  threads::end_given_up(*without_thread_);
  dismiss();
}

// ---- the list

namespace {

// A sleeping worker takes some 10 KB, and the kernel's stack of its thread, 16 KB.
constexpr std::size_t most_workers = 256;

WEIR_WRITTEN_BY_FORKS constinit kernel_mutex list_lock;
WEIR_WRITTEN_BY_FORKS constinit bool may_keep = false;

struct list {
  std::vector<crew*> crews;  // the one that has been kept longest first
};
// Created when the library is loaded, and never destroyed: threads may end after the program's objects.
constinit list* kept = nullptr;

WEIR_RUN_BY_FORKS void before_fork() { list_lock.lock(); }
WEIR_RUN_BY_FORKS void in_parent() { list_lock.unlock(); }
// It has no workers.
WEIR_RUN_BY_FORKS void begin_in_child() {
  if (!kept->crews.empty()) kept->crews.clear();
  may_keep = false;
  list_lock.unlock();
}

[[gnu::constructor(101)]] void when_loaded() {
  kept = new list;
  pthread_atfork(before_fork, in_parent, begin_in_child);
}

std::size_t workers_kept() {
  std::size_t workers = 0;
  for (const crew* c : kept->crews) workers += c->workers();
  return workers;
}

// Without the lock, as all that takes another one: a fork takes them all.
void dismiss(const std::vector<crew*>& crews) {
  for (crew* c : crews) c->dismiss_without_thread();
}

}  // namespace

void keep_or_dismiss(crew& kept_crew) {
  {
    const std::lock_guard lock(list_lock);
    if (!may_keep || kept_crew.workers() > most_workers) return kept_crew.dismiss();
  }
  if (!kept_crew.loses_thread()) return kept_crew.dismiss();
  std::vector<crew*> too_many;
  {
    const std::lock_guard lock(list_lock);
    kept->crews.push_back(&kept_crew);
    while (!may_keep ? !kept->crews.empty() : workers_kept() > most_workers) {
      too_many.push_back(kept->crews.front());
      kept->crews.erase(kept->crews.begin());
    }
  }
  dismiss(too_many);
}

crew* take_kept_crew() {
  if (!threads::may_take_over() || threads::gives_own_state) return nullptr;
  {
    const std::lock_guard lock(list_lock);
    if (kept->crews.empty()) return nullptr;
  }
  ask_for_short_slices();  // as for a crew of its own: workers inherit them
  const inheritance own = inheritance::of_this_thread();
  crew* taken = nullptr;
  bool fits = false;
  {
    const std::lock_guard lock(list_lock);
    const auto fitting =
        std::find_if(kept->crews.rbegin(), kept->crews.rend(), [&own](const crew* c) { return c->gives() == own; });
    fits = fitting != kept->crews.rend();
    // In a program whose threads all differ, crews would be kept in vain: a thread that finds none that fits ends the oldest.
    const auto found = fits ? std::next(fitting).base() : kept->crews.begin();
    if (found == kept->crews.end()) return nullptr;  // somebody else was faster
    taken = *found;
    kept->crews.erase(found);
  }
  if (fits)
    taken->gets_thread();
  else
    taken->dismiss_without_thread();
  return fits ? taken : nullptr;
}

void dismiss_kept_crews() {
  std::vector<crew*> crews;
  {
    const std::lock_guard lock(list_lock);
    crews = std::exchange(kept->crews, {});
  }
  dismiss(crews);
}

WEIR_RUN_BY_FORKS void first_thread_is_there() { may_keep = true; }

void first_thread_ends() {
  {
    const std::lock_guard lock(list_lock);
    may_keep = false;
  }
  dismiss_kept_crews();
}

}  // namespace weir::openmp
