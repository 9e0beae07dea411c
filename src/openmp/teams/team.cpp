#include "openmp/teams/team.hpp"

#include <cstdlib>
#include <utility>

#include <weir/barriers/plans.hpp>
#include <weir/machine/topology.hpp>

#include "openmp/settings/initial.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/support/errors.hpp"
#include "openmp/teams/waiting.hpp"

namespace weir::openmp {

namespace {

team_options barrier_options(work_of_members& work, bool has_seats, const std::string& name,
                             const std::vector<int>& placement = {}) {
  team_options o;
  o.work = &work;
  o.kernel_threads = !has_seats;
  o.algorithm = name;
  o.placement = placement;
  o.awake_us = awake_us();
  return o;
}

// Members that update a variable one after the other need one transfer each, or two under a lock; along a tree each level takes
// five. A member that shares a processor should not wait for another member at all.
constexpr unsigned most_in_turn = 16, most_under_lock = 4;
bool in_turn(unsigned size, bool crowded, unsigned most) {
  const settings& s = initial_settings();
  return !s.deterministic_reduction && s.reduction_barrier == "auto" && (size <= most || crowded);
}

/// The machine's files are read for large teams only.
unsigned near_members(unsigned size) {
  weir::team unbound;
  unbound.members = size;
  return size <= most_in_one_memory ? 0 : members_of_a_node(unbound, topology_here());
}

/// What WEIR_BARRIER says. A plan by levels is for smaller teams alone.
std::string usual_barrier(unsigned size) {
  const std::string& asked = initial_settings().barrier;
  return size > plans::most_by_levels && plans::names_levels(asked) ? "auto" : asked;
}

/// The names by which a team's barrier and its arrival are made.
std::string barrier_of(unsigned size, const team_form& form) {
  return form.has_usual_barrier() ? usual_barrier(size) : other_barrier_of(size, form.barrier()).name;
}
std::string arrival_of(unsigned size, const team_form& form) {
  return form.has_usual_barrier() ? initial_settings().join_barrier : other_barrier_of(size, form.barrier()).arrival;
}

/// The workers of a large team make their members themselves, unless they sit on virtual processors, in turn.
bool workers_make_members(unsigned size, const team_form& form) { return size > most_in_one_memory && form.seats() == 0; }

/// oversubscribed(), of a team that is being made.
bool crowded(unsigned size, const team_form& form) { return form.seats() != 0 ? size > form.seats() : oversubscribed(size); }

void make(team& of, unsigned number) {
  member& sibling = *new (&of.members[number]) member;
  sibling.of = &of;
  sibling.number = number;
  sibling.implicit.executor = &sibling;
}

}  // namespace

team_as_made::team_as_made(unsigned n, team_form form)
    : size(n),
      unmade(workers_make_members(n, form) ? n - 1 : 0),
      members(n, has_unmade_members()),
      loops(std::make_unique<loop[]>(slots_in_turn)),
      doacrosses(std::make_unique<doacross[]>(slots_in_turn)),
      tasks_at_barrier(members),
      barrier(std::in_place, n, barrier_options(tasks_at_barrier, form.seats() != 0, barrier_of(n, form))),
      cancellation(cancellation_in_force() ? std::make_unique<team_cancellation>(n) : nullptr),
      release(half::release(initial_settings().fork_barrier, n)),
      arrival(half::join(arrival_of(n, form), n, crowded(n, form), form.seats(), near_members(n))),
      reduction(half::arrival(initial_settings().reduction_barrier, n, false)),
      reduces_in_turn(in_turn(n, crowded(n, form), most_in_turn)),
      reduces_under_lock(in_turn(n, crowded(n, form), most_under_lock)) {}

team::team(unsigned n, team_form form) : region_of_team(form.seats()), team_as_made(n, form), waits_of_team(n) {
  for (unsigned m = 0; m < (has_unmade_members() ? 1 : n); ++m) make(*this, m);
  for (unsigned i = 0; i < slots_in_turn; ++i) {
    loops[i].free_for(i);
    doacrosses[i].free_for(i);
  }
}

team::~team() {
  const unsigned made = has_unmade_members() ? 1 : size;  // 1: the team has executed no region
  // A thread that completes a detached task may still be about to wake the member that has waited for it (event.cpp).
  for (unsigned m = 0; m < made; ++m)
    native::yield_until(members[m].implicit.below, [](std::uint64_t word) { return word < task::visitor; });
  delete_scheduler(scheduler.load(std::memory_order_relaxed));  // relaxed: no other thread is in the team any more
  for (unsigned m = 0; m < made; ++m) members[m].~member();
}

void team::make_member(unsigned number, unsigned seated_for) {
  make(*this, number);
  members[number].seated_for = seated_for;
  unmade.fetch_sub(1, std::memory_order_acq_rel);  // release: the member; acquire: it goes on with what others have released
  await_members();
}

void team::await_members() {
  const auto are_made = [](unsigned left) { return left == 0; };
  // acquire: the members. So does the wait.
  if (!are_made(unmade.load(std::memory_order_acquire))) [[unlikely]] wait_awake(unmade, are_made);
}

void team::place_barrier(const std::vector<int>& placement) {
  barrier.emplace(size, barrier_options(tasks_at_barrier, !seats.empty(), usual_barrier(size), placement));
}

void team::start_over() {
  // relaxed, all: published by what lets the members begin.
  singles_taken.store(0, std::memory_order_relaxed);
  for (unsigned m = 0; m < size; ++m) {
    member& sibling = members[m];
    sibling.singles = sibling.loops = sibling.left_by_all = sibling.doacrosses = sibling.barriers = 0;
    sibling.has_left.store(false, std::memory_order_relaxed);
    sibling.forbids = 0;
    sibling.in_loop = nullptr;
    sibling.in_doacross = nullptr;
    // A member that has left early has not begun its parts of loops that others have executed.
    for (auto& part : sibling.parts) part.start_over();
    for (auto& d : sibling.divisions) d = {};
    for (auto& end : sibling.ends) end.start_over();
  }
  for (unsigned i = 0; i < slots_in_turn; ++i) {
    std::free(loops[i].memory.exchange(nullptr, std::memory_order_relaxed));
    std::free(std::exchange(doacrosses[i].iterations.posted, nullptr));
    loops[i].free_for(i);
    loops[i].end.start_over();
    doacrosses[i].free_for(i);
  }
}

// In a team of one, no other member waits for a barrier that the member leaves out.
[[gnu::cold]] void check_barrier(const member& me) {
  if (me.executing != &me.implicit) end_for(errors::barrier_in_task);
  if (me.of->size > 1) end_for(errors::barrier_in_worksharing);
}
[[gnu::cold]] void check_worksharing(const member& me) {
  const bool shared = me.of->size > 1;
  if (me.executing != &me.implicit && shared) end_for(errors::worksharing_in_task);
  if (me.in_loop != nullptr || (me.forbids != 0 && shared)) end_for(errors::nested_worksharing);
}

}  // namespace weir::openmp
