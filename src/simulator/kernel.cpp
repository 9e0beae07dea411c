#include "kernel.hpp"

#include <algorithm>

namespace weir::simulator {

kernel::kernel(const machine_model& m, const schedule& s, event_queue& events, std::deque<thread>& threads,
               std::vector<job>& jobs)
    : model_(m), events_(events), threads_(threads), jobs_(jobs), processors_(m.processors) {
  scheduler_ = make_scheduler(s, processors_, jobs_);
}

void kernel::turn(thread& t, activity next, time at) {
  if (at > t.since) {
    t.spent[static_cast<std::size_t>(t.doing)] += at - t.since;
    const bool on_processor = t.doing != activity::ready && t.doing != activity::sleeping;
    if (on_processor) processors_[t.processor].spent[static_cast<std::size_t>(t.doing)] += at - t.since;
    if (history_ != nullptr) {
      if (!history_->empty() && history_->back().thread == t.id && history_->back().doing == t.doing &&
          history_->back().until == t.since && history_->back().processor == t.processor)
        history_->back().until = at;
      else
        history_->push_back({t.id, t.processor, t.doing, t.since, at});
    }
  }
  t.doing = next;
  t.since = std::max(t.since, at);
}

void kernel::resume_at(thread& t, time at) {
  t.resume_at = at;
  events_.push(at, event_kind::resume, t.id, ++t.generation);
}

// Applications.

std::vector<job*> kernel::active_jobs() {
  std::vector<job*> active;
  for (job& j : jobs_)
    if (j.active()) active.push_back(&j);
  return active;
}

void kernel::arrive(job& j, time now) {
  if (queued_jobs_.empty() && scheduler_->admit(j, active_jobs()))
    begin(j, now);
  else
    queued_jobs_.push_back(&j);  // in order of arrival, without overtaking
}

void kernel::begin(job& j, time now) {
  j.begun = now;
  j.left = static_cast<unsigned>(j.threads.size());
  reassign_processors(now);
  j.on_begin(j);
  for (thread* t : j.threads) {
    t->since = now;
    t->doing = activity::ready;
    t->remaining = 0;
    make_ready(*t, now);
  }
  if (scheduler_->has_slots() && !slots_run_) {
    slots_run_ = true;
    events_.push(now + scheduler_->how().quantum, event_kind::slot, 0, 0);
  }
}

void kernel::finish(thread& t, time now) {
  turn(t, activity::idle, now);
  t.is = thread::state::done;
  job& j = jobs_[t.application];
  const unsigned p = t.processor;
  processors_[p].running = nullptr;
  if (--j.left == 0) {
    j.finished = now;
    scheduler_->release(j, active_jobs());
    reassign_processors(now);
    while (!queued_jobs_.empty() && scheduler_->admit(*queued_jobs_.front(), active_jobs())) {
      job& next = *queued_jobs_.front();
      queued_jobs_.erase(queued_jobs_.begin());
      begin(next, now);
    }
  }
  if (processors_[p].running == nullptr) dispatch(p, now);
}

// After processors have been reassigned: a thread that runs where it no longer may, leaves.
void kernel::reassign_processors(time now) {
  for (unsigned p = 0; p < processors_.size(); ++p) {
    thread* const t = processors_[p].running;
    if (t == nullptr) continue;
    const auto& may = scheduler_->could_run(*t);
    if (std::find(may.begin(), may.end(), p) != may.end()) continue;
    take_away(p, now);
    make_ready(*t, now);
  }
  for (unsigned p = 0; p < processors_.size(); ++p)
    if (processors_[p].running == nullptr) dispatch(p, now);
}

// Processors.

void kernel::make_ready(thread& t, time now) {
  t.is = thread::state::ready;
  if (t.doing != activity::ready) turn(t, activity::ready, now);
  scheduler_->enqueue(t);
  const auto& eligible = scheduler_->could_run(t);
  for (const unsigned p : eligible)
    if (processors_[p].running == nullptr) {
      dispatch(p, now, true);
      if (t.is == thread::state::running) return;
    }
  for (const unsigned p : eligible) {
    arm_slice(p, now);
    nudge(p, now);
  }
}

void kernel::dispatch(unsigned p, time now, bool from_idle) {
  thread* const t = scheduler_->take(p);
  if (t != nullptr) give(p, *t, now, from_idle);
}

void kernel::give(unsigned p, thread& chosen, time now, bool from_idle) {
  processor& place = processors_[p];
  thread* const t = &chosen;
  t->is = thread::state::running;
  place.running = t;
  ++place.generation;
  place.slice_armed = false;
  time cost = 0;
  if (place.last != t && place.last != nullptr) {
    cost += model_.system.switching;
    ++place.switches;
    ++t->switches;
  }
  if (t->has_run && t->processor != p) {
    cost += model_.system.migrate;
    ++t->migrations;
  }
  if (t->was_asleep && from_idle) cost = std::max(cost, model_.system.awake);
  t->was_asleep = false;
  turn(*t, activity::switching, now);
  t->processor = p;
  t->has_run = true;
  turn(*t, t->before, now + cost);
  place.last = t;
  place.slice_start = now + cost;
  resume_at(*t, now + cost + t->remaining);
  t->remaining = 0;
  if (scheduler_->wanted(p)) arm_slice(p, now);
}

void kernel::take_away(unsigned p, time now) {
  processor& place = processors_[p];
  thread& t = *place.running;
  place.running = nullptr;
  if (t.parked) {
    t.parked = false;
    t.polled = now - t.parked_at;
  } else {
    t.remaining = std::max<time>(t.resume_at - now, 0);
  }
  ++t.generation;  // cancels its pending event, which is postponed
  t.is = thread::state::ready;
  t.before = t.doing;
  turn(t, activity::ready, now);
}

// A slice continues as long as no other thread wants the processor; its end is considered only when one does.
void kernel::arm_slice(unsigned p, time now) {
  processor& place = processors_[p];
  if (place.slice_armed || place.running == nullptr) return;
  const time quantum = scheduler_->quantum(*place.running);
  if (quantum == never) return;
  const time used = std::max<time>(now - place.slice_start, 0);
  const time slices = used / quantum + 1;
  place.slice_armed = true;
  events_.push(place.slice_start + slices * quantum, event_kind::slice, p, place.generation);
}

void kernel::slice_ends(unsigned p, std::uint32_t generation, time now) {
  processor& place = processors_[p];
  if (generation != place.generation || place.running == nullptr) return;
  thread& t = *place.running;
  place.slice_armed = false;
  if (!scheduler_->wanted(p)) return;
  // An instruction in flight is finished first; and a thread whose computing ends at this very moment has reached its barrier
  // (as the appendix of paper 000 counts it).
  const bool in_flight = t.in_access && t.resume_at > now;
  const bool just_done = t.resume_at == now && place.deferred_at != now;
  if (!t.parked && (in_flight || just_done)) {
    place.slice_armed = true;
    place.deferred_at = now;
    events_.push(in_flight ? t.resume_at + 1 : now, event_kind::slice, p, place.generation);
    return;
  }
  ++t.preemptions;
  take_away(p, now);
  scheduler_->enqueue(t);
  dispatch(p, now);
}

void kernel::slot_ends(time now) {
  scheduler_->next_slot();
  bool any_active = !queued_jobs_.empty();
  for (unsigned p = 0; p < processors_.size(); ++p) {
    thread* const t = processors_[p].running;
    if (t != nullptr && scheduler_->displaces(p)) {
      ++t->preemptions;
      take_away(p, now);
      scheduler_->enqueue(*t);
    }
    if (processors_[p].running == nullptr) dispatch(p, now);
  }
  for (const job& j : jobs_) any_active = any_active || j.active();
  if (any_active)
    events_.push(now + scheduler_->how().quantum, event_kind::slot, 0, 0);
  else
    slots_run_ = false;
}

// A thread that prefers to yield its processor does so at its next poll.
void kernel::nudge(unsigned p, time now) {
  thread* const t = processors_[p].running;
  if (t == nullptr || !t->parked || !(t->willing || scheduler_->cedes_when_waiting())) return;
  if (!others_want(*t)) return;
  t->parked = false;
  const time polls = t->poll_period > 0 ? (now - t->parked_at + t->poll_period - 1) / t->poll_period : 0;
  resume_at(*t, std::max(now, t->parked_at + polls * t->poll_period));
}

bool kernel::others_want(const thread& t) const {
  const unsigned p = t.processor;
  if (!scheduler_->wanted(p)) return false;
  if (model_.system.switching > 0 && !scheduler_->cedes_when_waiting()) return true;
  // If a switch costs nothing, switching among threads that all wait would never end.
  return std::any_of(threads_.begin(), threads_.end(), [&](const thread& o) {
    if (o.is != thread::state::ready || o.waits_in_vain()) return false;
    const auto& may = scheduler_->could_run(o);
    return std::find(may.begin(), may.end(), p) != may.end();
  });
}

bool kernel::yield(thread& t, time now) {
  if (!scheduler_->wanted(t.processor)) return false;
  const unsigned p = t.processor;
  take_away(p, now);
  scheduler_->enqueue(t);
  give(p, *scheduler_->take_instead(p, t), now, false);
  return true;
}

bool kernel::cede(thread& t, time now) {
  return scheduler_->cedes_when_waiting() && others_want(t) && yield(t, now);
}

void kernel::sleep(thread& t, const void* address, time now) {
  const unsigned p = t.processor;
  t.resume_at = now;
  take_away(p, now);
  t.is = thread::state::sleeping;
  t.was_asleep = true;
  turn(t, activity::sleeping, now);
  sleepers_[address].push_back(&t);
  dispatch(p, now);
}

unsigned kernel::asleep_at(const void* address) const {
  const auto found = sleepers_.find(address);
  return found == sleepers_.end() ? 0 : static_cast<unsigned>(found->second.size());
}

thread* kernel::wake_one(const void* address, time now) {
  const auto found = sleepers_.find(address);
  if (found == sleepers_.end()) return nullptr;
  thread& t = *found->second.front();
  found->second.pop_front();
  if (found->second.empty()) sleepers_.erase(found);
  make_ready(t, now);
  return &t;
}

void kernel::refreshed(thread& t, time now) {
  t.stale = true;
  if (t.is == thread::state::running) {
    if (!t.parked) return;
    t.parked = false;
    const time polls = t.poll_period > 0 ? (now - t.parked_at + t.poll_period - 1) / t.poll_period : 0;
    resume_at(t, std::max(now, t.parked_at + polls * t.poll_period));
    return;
  }
  if (t.is != thread::state::ready) return;
  // It may have been skipped while it waited without success.
  for (const unsigned p : scheduler_->could_run(t)) {
    if (processors_[p].running == nullptr) dispatch(p, now);
    if (t.is == thread::state::running) return;
    arm_slice(p, now);
    nudge(p, now);
  }
}

void kernel::forget_counts() {
  for (processor& p : processors_) {
    p.spent = {};
    p.switches = 0;
  }
}

}  // namespace weir::simulator
