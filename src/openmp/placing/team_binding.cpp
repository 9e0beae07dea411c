#include "openmp/placing/team_binding.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include <unistd.h>

#include <weir/machine/processors.hpp>

#include "openmp/placing/affinity_display.hpp"

namespace weir::openmp {

namespace {

thread_local bind requested = bind::false_;  // by a proc_bind clause; false: by none
thread_local int here = -1;                  // the place that this thread has moved to

void move_to(int place) {
  if (place == here) return;
  // If the system refuses, the thread stays where it is: the processors may have been taken from the process since.
  (void)run_on(places()[static_cast<std::size_t>(place)]);
  here = place;
}

unsigned processors_of(const std::vector<thread_binding>& bindings) {
  std::set<int> processors;
  for (const thread_binding& b : bindings) {
    const auto& place = places()[static_cast<std::size_t>(b.place)];
    processors.insert(place.begin(), place.end());
  }
  return static_cast<unsigned>(processors.size());
}

/// The processor of each member, if each place is a single processor: what a barrier can make use of.
std::vector<int> placement_of(const std::vector<thread_binding>& bindings) {
  std::vector<int> processors;
  for (const thread_binding& b : bindings) {
    const auto& place = places()[static_cast<std::size_t>(b.place)];
    if (place.size() != 1) return {};
    processors.push_back(place.front());
  }
  return processors;
}

}  // namespace

bind binding_of_next(const member& me) {
  const auto& by_level = initial_settings().proc_bind;
  return places().empty() ? bind::false_ : by_level[std::min<std::size_t>(me.of->level, by_level.size() - 1)];
}

void keep_proc_bind(unsigned how) {
  const auto clause = static_cast<bind>(how);
  if (clause >= bind::primary && clause <= bind::spread) requested = clause;
}

thread_binding initial_binding() {
  static std::atomic<unsigned> begun{0};
  if (places().empty()) return {};
  const int count = static_cast<int>(places().size());
  const std::vector<int> own = running_on();
  if (std::ranges::includes(own, affinity())) {
    // relaxed: the number alone matters.
    const unsigned turn = gettid() == getpid() ? 0 : begun.fetch_add(1, std::memory_order_relaxed) + 1;
    return {static_cast<int>(turn % static_cast<unsigned>(count)), 0, count};
  }
  const auto place = std::ranges::find(places(), own);
  if (place == places().end()) return {};
  here = static_cast<int>(place - places().begin());
  return {here, 0, count};
}

void bind_team(team& t, member& parent) {
  const bind clause = std::exchange(requested, bind::false_);
  const team_binding now{parent.binding, clause != bind::false_ ? clause : binding_of_next(parent)};
  const bool bound = parent.binding.place >= 0, moves = bound && !(t.binding == now);
  if (moves) {
    t.binding = now;
    t.bindings = bindings_of(now.primary, now.how, t.size);
    t.members[0].binding = t.bindings[0];
    t.processors = processors_of(t.bindings);
    t.place_barrier(placement_of(t.bindings));
  }
  if (bound) move_to(parent.binding.place);
  if (initial_settings().display_affinity) {
    t.shown = is_to_be_shown(t, moves);
    if (t.shown) show_affinity(t.members[0]);
  }
}

void leave_place(const member& parent) {
  if (!initial_settings().resets_affinity || here < 0 || parent.of->parent != nullptr) return;
  (void)run_on(affinity());
  here = -1;
}

void move_to_place(const team& t, unsigned number) {
  if (!t.bindings.empty()) move_to(t.bindings[number].place);
}

void bind_member(member& me) {
  if (!me.of->bindings.empty()) me.binding = me.of->bindings[me.number];
  if (me.of->shown) show_affinity(me);
}

}  // namespace weir::openmp
