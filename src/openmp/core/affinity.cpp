#include "openmp/core/affinity.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include <unistd.h>

#include <weir/machine/processors.hpp>

#include "openmp/core/affinity_shown.hpp"

namespace weir::openmp {

namespace {

thread_local bind asked_for = bind::false_;  // by a proc_bind clause; false: by none
thread_local int here = -1;                  // the place that this thread has gone to

void go_to(int place) {
  if (place == here) return;
  // Refused, it stays where it is: the processors may have been taken from the process since.
  (void)run_on(places()[static_cast<std::size_t>(place)]);
  here = place;
}

[[gnu::constructor]] void when_loaded() {
  affinity_matters = !places().empty() || initial_settings().display_affinity;
}

unsigned processors_of(const std::vector<seat>& seats) {
  std::set<int> all;
  for (const seat& s : seats) {
    const auto& place = places()[static_cast<std::size_t>(s.place)];
    all.insert(place.begin(), place.end());
  }
  return static_cast<unsigned>(all.size());
}

/// The processor of each member, where each place is a single one: what a barrier can make use of.
std::vector<int> placement_of(const std::vector<seat>& seats) {
  std::vector<int> processors;
  for (const seat& s : seats) {
    const auto& place = places()[static_cast<std::size_t>(s.place)];
    if (place.size() != 1) return {};
    processors.push_back(place.front());
  }
  return processors;
}

}  // namespace

constinit bool affinity_matters = false;

bind binding_of_next(const member& me) {
  const auto& by_level = initial_settings().proc_bind;
  return places().empty() ? bind::false_ : by_level[std::min<std::size_t>(me.of->level, by_level.size() - 1)];
}

void ask_binding(unsigned how) {
  const auto clause = static_cast<bind>(how);
  if (clause >= bind::primary && clause <= bind::spread) asked_for = clause;
}

seat first_seat() {
  static std::atomic<unsigned> begun{0};
  if (places().empty()) return {};
  const int count = static_cast<int>(places().size());
  const std::vector<int> mine = running_on();
  if (std::ranges::includes(mine, affinity())) {
    // relaxed: the number alone matters.
    const unsigned turn = gettid() == getpid() ? 0 : begun.fetch_add(1, std::memory_order_relaxed) + 1;
    return {static_cast<int>(turn % static_cast<unsigned>(count)), 0, count};
  }
  const auto place = std::ranges::find(places(), mine);
  if (place == places().end()) return {};
  here = static_cast<int>(place - places().begin());
  return {here, 0, count};
}

void seat_team(team& t, member& parent) {
  const bind clause = std::exchange(asked_for, bind::false_);
  const seating now{parent.at, clause != bind::false_ ? clause : binding_of_next(parent)};
  const bool bound = parent.at.place >= 0, moves = bound && !(t.seated == now);
  if (moves) {
    t.seated = now;
    const std::vector<seat> seats = seats_of(now.primary, now.how, t.size);
    for (unsigned m = 0; m < t.size; ++m) t.members[m].at = seats[m];
    t.processors = processors_of(seats);
    t.place_barrier(placement_of(seats));
  }
  if (bound) go_to(parent.at.place);
  if (initial_settings().display_affinity) {
    t.shown = is_news(parent, t, moves);
    if (t.shown) show_affinity(t.members[0]);
  }
}

void take_seat(const member& me) {
  if (me.at.place >= 0) go_to(me.at.place);
  if (me.of->shown) show_affinity(me);
}

}  // namespace weir::openmp
