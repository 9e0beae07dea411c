#include "openmp/tasks/event.hpp"

#include "openmp/support/annotation.hpp"
#include "openmp/support/errors.hpp"
#include "openmp/tasks/event_table.hpp"
#include "openmp/tasks/task.hpp"

namespace weir::openmp {

namespace {
constinit event_table events;

enum phase : std::uint8_t { executed = 1, fulfilled = 2 };

/// True for the second of the two phases, whose thread completes the task.
bool enter(task& t, phase p) {
  happens_before(&t.phase);
  // acq_rel: what the task did, for the thread that fulfils the event; or what that thread did before.
  const bool second = t.phase.fetch_or(p, std::memory_order_acq_rel) != 0;
  if (second) happens_after(&t.phase);
  return second;
}

}  // namespace

event_handle* make_event(member& me, task& t) {
  t.detached = true;
  const task* root = me.executing;
  while (const task* const above = root->parent.load(std::memory_order_relaxed)) root = above;
  return std::bit_cast<event_handle*>(events.add({&t, root->executor}));
}

bool finish_detached(task& t) { return enter(t, executed); }

void fulfil(event_handle* handle) {
  event_table::event found;
  if (!events.take(std::bit_cast<std::uint64_t>(handle), found)) end_for(errors::no_such_event);
  task& t = *found.awaiting;
  auto& below_root = found.root->implicit.below;
  // The calling thread wakes members of the team, and must keep them from leaving the team until it has done so. relaxed:
  // published with the phase.
  below_root.fetch_add(task::visitor, std::memory_order_relaxed);
  if (enter(t, fulfilled)) complete(nullptr, t);
  // release: this thread no longer uses the team.
  below_root.fetch_sub(task::visitor, std::memory_order_release);
}

}  // namespace weir::openmp
