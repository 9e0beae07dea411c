#include "openmp/tasks/pending_tasks.hpp"

#include <algorithm>

#include "openmp/support/annotation.hpp"
#include "openmp/tasks/task_group.hpp"

namespace weir::openmp {

namespace {

bool conflict(const dependence& a, const dependence& b) {
  if (a.at != b.at && a.at != all_memory && b.at != all_memory) return false;
  return a.kind != b.kind || a.kind == dependence::out;
}

bool conflict(const dependences& a, const dependences& b) {
  return std::any_of(a.begin(), a.end(), [&](const dependence& x) {
    return std::any_of(b.begin(), b.end(), [&](const dependence& y) { return conflict(x, y); });
  });
}

bool is_fulfilled(const std::shared_ptr<event>& e) {
  if (e == nullptr) return true;
  // acquire: what was done before the event was fulfilled.
  if (!e->fulfilled.load(std::memory_order_acquire)) return false;
  happens_after(e.get());
  return true;
}

pending_tasks& of(member& me) {
  if (me.pending == nullptr) me.pending.reset(new pending_tasks);
  return *me.pending;
}

pending_tasks::matches siblings_before(const member& me, const dependences& after) {
  return [parent = task_number(me), &after](const pending_tasks::entry& e) {
    return e.parent == parent && conflict(e.after, after);
  };
}

}  // namespace

event_handle* make_event(member& me) {
  auto e = std::make_shared<event>();
  e->of_member = of(me).events;
  return new event_handle{std::move(e)};
}

void fulfil(event_handle* handle) {
  const std::unique_ptr<event_handle> owned(handle);
  event& e = *owned->its;
  fulfilments& all = *e.of_member;
  happens_before(&e);
  // release: what was done before, for the member that waits for the task.
  e.fulfilled.store(true, std::memory_order_release);
  all.count.fetch_add(1, std::memory_order_release);
  all.waiters.open();
}

bool pending_tasks::any(const matches& which) const { return std::any_of(tasks_.begin(), tasks_.end(), which); }

// Has something changed? A task is complete when it has been executed and its event is fulfilled; then it is erased.
bool pending_tasks::advance(member& me, std::list<entry>::iterator e) {
  if (e->run) {
    for (auto before = tasks_.begin(); before != e; ++before)
      if (before->parent == e->parent && conflict(before->after, e->after)) return advance(me, before);
    const auto run = std::exchange(e->run, nullptr);
    task_group* const group = std::exchange(me.group, e->group);
    run();
    me.group = group;
    e->executed = true;
    if (is_fulfilled(e->until)) tasks_.erase(e);
    return true;
  }
  if (!e->executed || !is_fulfilled(e->until)) return false;
  tasks_.erase(e);
  return true;
}

void pending_tasks::wait(member& me, const matches& which) {
  for (;;) {
    // acquire: read before the events are, so that no fulfilment is missed.
    const std::uint32_t seen = events->count.load(std::memory_order_acquire);
    bool waits = false, advanced = false;
    for (auto e = tasks_.begin(); e != tasks_.end() && !advanced; ++e) {
      if (!which(*e)) continue;
      waits = true;
      advanced = advance(me, e);
      if (advanced) break;
    }
    if (!waits) return;
    if (advanced) continue;
    const auto changed = [seen](std::uint32_t now) { return now != seen; };
    if (!native::spin(events->count, changed, 100))
      events->waiters.sleep_unless([&] { return changed(events->count.load(std::memory_order_acquire)); });
  }
}

void perform(member& me, dependences after, bool at_once, std::shared_ptr<event> until, std::function<void()> run) {
  pending_tasks& pending = of(me);
  if (const auto before = siblings_before(me, after); pending.any(before)) {
    if (!at_once) {
      pending.add({task_number(me), me.group, std::move(after), std::move(until), std::move(run)});
      return;
    }
    pending.wait(me, before);
  }
  run();
  complete_later(me, std::move(after), std::move(until));
}

void complete_later(member& me, dependences after, std::shared_ptr<event> until) {
  if (!is_fulfilled(until)) of(me).add({task_number(me), me.group, std::move(after), std::move(until), nullptr, true});
}

void finish_children(member& me) {
  if (nothing_pending(me)) return;
  me.pending->wait(me, [parent = task_number(me)](const pending_tasks::entry& e) { return e.parent == parent; });
}

void finish_before(member& me, const dependences& after) {
  if (nothing_pending(me)) return;
  me.pending->wait(me, siblings_before(me, after));
}

void finish_group(member& me, const task_group& group) {
  if (nothing_pending(me)) return;
  me.pending->wait(me, [&group](const pending_tasks::entry& e) { return e.group == &group; });
}

void delete_pending_tasks::operator()(pending_tasks* tasks) const { delete tasks; }

void finish_tasks(member& me) {
  me.pending->wait(me, [](const pending_tasks::entry&) { return true; });
}

}  // namespace weir::openmp
