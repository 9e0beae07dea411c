#include "openmp/forking/region.hpp"

#include <algorithm>

#include "openmp/forking/crew.hpp"
#include "openmp/forking/kept_crews.hpp"
#include "openmp/forking/thread_end.hpp"
#include "openmp/forking/thread_limit.hpp"
#include "openmp/placing/seats.hpp"
#include "openmp/placing/team_binding.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/support/call_site.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/tasks/at_barriers.hpp"
#include "system/cancel_type.hpp"

namespace weir::openmp {

namespace {

/// [OpenMP 5.2, 10.1.1], except for the thread limit, which granted_threads observes.
unsigned threads_for(const member& me, unsigned asked) {
  if (asked == 1 || me.of->active_level >= static_cast<unsigned>(me.icv.max_active_levels)) return 1;
  const unsigned wanted = asked != 0 ? asked : static_cast<unsigned>(nthreads_var(me));
  const unsigned most = me.icv.dynamic ? static_cast<unsigned>(initial_settings().processors) : most_threads;
  return std::min(wanted, most);
}

/// The crew for the regions that this thread encounters at its present depth.
crew& crew_of(const member& me) {
  const std::size_t depth = me.of->depth;
  auto*& crews = this_thread.crews;
  if (crews == nullptr) {
    destroy_at_end_of_thread();
    crews = new std::vector<crew*>;
  }
  if (crews->size() <= depth) crews->resize(depth + 1);
  crew*& at_depth = (*crews)[depth];
  if (at_depth == nullptr) {
    const without_cancellation to_the_end;
    const bool of_program = me.of->parent == nullptr && !this_thread.is_worker;
    if (of_program && may_have_seats()) at_depth = take_kept_crew();
    if (at_depth == nullptr) at_depth = new crew(of_program);
  }
  return *at_depth;
}

/// A list in num_threads of this region, or of one around it.
std::span<const int> within(const member& parent, const thread_demand* demand) {
  if (demand != nullptr && !demand->within.empty()) return demand->within;
  const std::span<const int> around = parent.of->within;
  return around.size() > 1 ? around.subspan(1) : around;
}

void insist(const thread_demand& demand, unsigned asked, const team& t) {
  if (!demand.strict || t.size == asked) return;
  const char* const colon = demand.message.empty() ? "" : ": ";
  const auto report = demand.fatal ? end_program : warn;
  report("num_threads(strict: %u) at %s: the team's size is %u%s%s", asked, place_of_call().c_str(), t.size, colon,
         demand.message.c_str());
}

void prepare(team& t, member& parent, const thread_demand* demand) {
  if (t.parent != &parent) {
    t.parent = &parent;
    t.level = parent.of->level + 1;
    t.depth = parent.of->depth + 1;
  }
  // At the same level as last time, the parent's team may be nested in another number of active regions.
  if (const unsigned active = parent.of->active_level + (t.size > 1 ? 1 : 0); t.active_level != active) t.active_level = active;
  control inherited = parent.icv;
  // If the environment has a list, its element for the next level; else what the parent has set [OpenMP 5.2, 2.4].
  if (const std::size_t listed = initial_settings().num_threads.size(); listed > 1 && t.level < listed) inherited.num_threads = 0;
  // Most regions have none of the three, so one test serves for all.
  if ((parent.of->within.size() | t.within.size() | (demand != nullptr ? 1 : 0)) != 0) [[unlikely]] {
    t.within = within(parent, demand);
    if (!t.within.empty()) inherited.num_threads = t.within.front();
  }
  if (!(t.inherited == inherited)) t.inherited = inherited;
  t.members[0].icv = inherited;
  t.members[0].implicit.inherits = true;
  if ((seldom::in_force & (seldom::affinity | seldom::cancellation | seldom::virtual_processors)) != 0) [[unlikely]] {
    if (affinity_matters()) bind_team(t, parent);
    if (cancellation_in_force()) forget_cancellation(t);
    if (may_have_seats()) find_place(t);
  }
}

/// The team of a region that `parent` encounters; smaller than wanted if the system refuses threads.
team& assemble(crew& c, member& parent, unsigned wanted, const void* place, const thread_demand* demand = nullptr) {
  auto form = team_form::in_seats(seats_for(parent, wanted));
  if (may_have_seats()) [[unlikely]] form = c.form_at(place, wanted, form);
  const unsigned size = c.recruit(wanted, form);
  team& t = c.of_size(size, form.within(size));
  prepare(t, parent, demand);
  return t;
}

team& initial_team_at(unsigned depth) {
  if (this_thread.targets == nullptr) {
    destroy_at_end_of_thread();
    this_thread.targets = new std::vector<team*>;
  }
  auto& teams = *this_thread.targets;
  if (teams.size() <= depth) teams.resize(depth + 1);
  if (teams[depth] == nullptr) {
    teams[depth] = new team(1);
    teams[depth]->depth = depth;
  }
  return *teams[depth];
}

}  // namespace

int nthreads_var(const member& me) {
  return me.icv.num_threads > 0 ? me.icv.num_threads : threads_at(initial_settings(), me.of->level);
}

control initial_control() {
  const settings& s = settings_at_first_use();
  const auto& threads = s.num_threads;
  return {.num_threads = &s == &initial_settings() || threads.empty() ? 0 : threads.front(),
          .max_active_levels = s.max_active_levels,
          .default_device = s.target_offload == offload::mandatory ? invalid_device : s.default_device,
          .dynamic = s.dynamic,
          .run_schedule = s.run_schedule};
}

namespace {
void execute(region run, void* what, unsigned asked, const void* place, const thread_demand* demand) {
  member& me = self();
  const granted_threads granted(me, threads_for(me, asked));
  crew& c = crew_of(me);
  team& t = assemble(c, me, granted.size(), place, demand);
  if (demand != nullptr) [[unlikely]] insist(*demand, asked, t);
  if (t.size > 1) {
    c.execute(t, run, what);
  } else {
    current = &t.members[0];
    run(what);
    complete_tasks(t.members[0]);
    current = &me;
  }
  if (affinity_matters()) [[unlikely]] leave_place(me);
}
}  // namespace

// A thread that may be cancelled anywhere ends after the region, on whose team others wait for it.
void fork(region run, void* what, unsigned asked, const void* place, const thread_demand* demand) {
  deferred<execute>::call_if_needed(run, what, asked, place, demand);
}

void fork_alone(region run, void* what) { fork(run, what, 1, nullptr); }

void begin_alone() {
  member& me = self();
  current = &assemble(crew_of(me), me, 1, nullptr).members[0];
}

void end_alone() {
  complete_tasks(*current);
  current = current->of->parent;
  if (affinity_matters()) [[unlikely]] leave_place(*current);
}

std::unique_ptr<granted_threads> begin_region(region run, void* what, unsigned asked, const void* place) {
  member& me = self();
  auto granted = std::make_unique<granted_threads>(me, threads_for(me, asked));
  crew& c = crew_of(me);
  team& t = assemble(c, me, granted->size(), place);
  if (t.size > 1)
    c.fork(t, run, what);
  else
    current = &t.members[0];
  return granted;
}

void end_region() {
  team& t = *current->of;
  if (t.size > 1)
    crew_of(*t.parent).join(t);
  else
    return end_alone();
  if (affinity_matters()) [[unlikely]] leave_place(*t.parent);
}

namespace {
/// The binding of an initial thread as on a device: it has all places.
thread_binding with_all_places(thread_binding of_outer) {
  if (of_outer.place < 0) return of_outer;
  return {of_outer.place, 0, static_cast<int>(places().size())};
}
}  // namespace

as_initial_thread::as_initial_thread() : as_initial_thread(with_all_places(self().binding)) {}

as_initial_thread::as_initial_thread(const thread_binding& binding) : outer_(self()) {
  member& me = initial_team_at(outer_.of->depth + 1).members[0];
  me.icv = initial_control();
  me.binding = binding;
  current = &me;
}

as_initial_thread::~as_initial_thread() {
  complete_tasks(*current);
  current = &outer_;
}

}  // namespace weir::openmp
