#include "openmp/forking/league.hpp"

#include <algorithm>
#include <atomic>

#include "openmp/placing/team_binding.hpp"
#include "openmp/settings/initial.hpp"

namespace weir::openmp {

namespace {

// The values that routines have set; until then those of the environment hold. relaxed, everywhere: no other data goes with the
// number.
constexpr int unset = -1;
constinit std::atomic<int> teams{unset}, limit{unset};
int value_of(const std::atomic<int>& set_by_routine, int of_environment) {
  const int value = set_by_routine.load(std::memory_order_relaxed);
  return value != unset ? value : of_environment;
}

struct league {
  control first;  // of the first team
  region run;
  void* what;
};

/// Every `stride`-th team from this one on.
void execute_teams(member& me, const league& l, unsigned first, unsigned stride) {
  for (unsigned n = first; n < static_cast<unsigned>(l.first.teams); n += stride) {
    own_control(me) = l.first;
    me.icv.team = static_cast<int>(n);
    l.run(l.what);
  }
}

/// Each member of this region is in turn the initial thread of some of the league's teams.
void execute_side_by_side(void* what) {
  const member& side = *current;
  const as_initial_thread here(side.binding);
  execute_teams(*current, *static_cast<const league*>(what), side.number, side.of->size);
}

/// How many threads a region of one of the league's teams has: an equal share of the processors, unless the program or the
/// environment gives the number.
int threads_of_each(const member& me, const control& first) {
  const settings& s = initial_settings();
  const bool is_said = me.icv.num_threads > 0 || !s.num_threads.empty();
  const int threads = is_said ? nthreads_var(me) : std::max(s.processors / first.teams, 1);
  return first.thread_limit > 0 ? std::min(threads, first.thread_limit) : threads;
}

}  // namespace

int max_teams() { return value_of(teams, initial_settings().num_teams); }
void set_max_teams(int n) { teams.store(std::max(n, 0), std::memory_order_relaxed); }
int teams_thread_limit() { return value_of(limit, initial_settings().teams_thread_limit); }
void set_teams_thread_limit(int n) { limit.store(std::max(n, 0), std::memory_order_relaxed); }

control control_of_league(const control& outer, int asked, int thread_limit) {
  control c = outer;
  c.team = 0;
  c.teams = asked > 0 ? asked : std::max(max_teams(), 1);
  if (thread_limit <= 0) thread_limit = teams_thread_limit();
  if (thread_limit > 0) c.thread_limit = outer.thread_limit > 0 ? std::min(thread_limit, outer.thread_limit) : thread_limit;
  return c;
}

void execute_league(int teams, int limit, region run, void* what) {
  member& me = self();
  const control outer = me.icv;
  league l{control_of_league(outer, teams, limit), run, what};
  const int each = threads_of_each(me, l.first), at_once = std::min(initial_settings().processors / each, l.first.teams);
  if (at_once > 1) {
    l.first.num_threads = each;
    request_proc_bind(static_cast<unsigned>(bind::spread));
    fork(execute_side_by_side, &l, static_cast<unsigned>(at_once), nullptr);
  } else {
    execute_teams(me, l, 0, 1);
  }
  own_control(me) = outer;
}

}  // namespace weir::openmp
