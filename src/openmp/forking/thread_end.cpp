#include "openmp/forking/thread_end.hpp"

#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "openmp/forking/crew.hpp"
#include "openmp/forking/kept_crews.hpp"
#include "openmp/forking/region.hpp"
#include "openmp/placing/seats.hpp"
#include "openmp/placing/team_binding.hpp"
#include "openmp/teams/team.hpp"
#include "system/cancel_type.hpp"
#include "system/end_of_thread.hpp"
#include "system/fork_page.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

namespace {

// The child of a fork has one thread and no workers: the memory of the crews is left alone, in whatever state their threads left
// it. The child goes on in regions of one thread, and ends them normally; it is no longer a member of a region of several
// threads.
WEIR_RUN_BY_FORKS void begin_in_child() {
  this_thread.crews = nullptr;
  first_thread_is_there();
  destroy_at_end_of_thread();
  if (this_thread.initial == nullptr) {
    current = nullptr;  // it was a worker
    return;
  }
  if (current->of->active_level > 0) current = &this_thread.initial->members[0];
  this_thread.initial->group_threads.store(0, std::memory_order_relaxed);
}

/// `keeps`: the crew of outermost regions may wait for another thread.
void dismiss_crews(thread_state& state, bool keeps = false) {
  auto* const crews = std::exchange(state.crews, nullptr);
  if (crews == nullptr) return;
  // The inner ones first: their workers may have seats where the outer ones have them.
  while (!crews->empty()) {
    crew* const c = crews->back();
    crews->pop_back();
    if (c == nullptr) continue;
    if (keeps && crews->empty())
      keep_or_dismiss(*c);
    else
      c->dismiss();
  }
  delete crews;
}

// The program's first thread gets here only by pthread_exit: the process then lives on until the thread's workers have ended as
// well.
void destroy(void* thread) {
  auto& state = *static_cast<thread_state*>(thread);
  current = nullptr;
  if (getpid() == gettid()) first_thread_ends();
  dismiss_crews(state, !state.is_worker);
  if (state.targets != nullptr)
    for (const team* t : *state.targets) delete t;
  delete std::exchange(state.targets, nullptr);
  delete std::exchange(state.initial, nullptr);
}

[[gnu::constructor]] void when_loaded() {
  pthread_atfork(nullptr, nullptr, begin_in_child);
  if (getpid() != gettid()) return;
  first_thread_is_there();
  destroy_at_end_of_thread();
}

}  // namespace

WEIR_RUN_BY_FORKS void destroy_at_end_of_thread() { at_end_of_thread(ending::crews, destroy, &this_thread); }

bool outside_of_regions() { return self().of == this_thread.initial; }

void end_crews() {
  dismiss_crews(this_thread);
  dismiss_kept_crews();
  // Workers on this thread's virtual processor end elsewhere, since the thread may never drive the processor again.
  if (may_have_seats() && !threads::is_on_processor()) threads::close_own_processor();
}

namespace {
member& make_initial_team() {
  this_thread.initial = new team(1);
  member& me = this_thread.initial->members[0];
  me.icv = initial_control();
  me.binding = initial_binding();
  current = &me;
  destroy_at_end_of_thread();
  return me;
}
}  // namespace
member& begin_initial_team() { return deferred<make_initial_team>::call_if_needed(); }

}  // namespace weir::openmp
