#include "openmp/core/league.hpp"

#include <algorithm>
#include <atomic>

#include "openmp/settings/initial.hpp"

namespace weir::openmp {

namespace {

// What routines have set; until then the environment's values hold. relaxed, everywhere: a number with which no other data goes.
constexpr int unset = -1;
constinit std::atomic<int> teams{unset}, limit{unset};
int value_of(const std::atomic<int>& set_by_routine, int of_environment) {
  const int value = set_by_routine.load(std::memory_order_relaxed);
  return value != unset ? value : of_environment;
}

}  // namespace

int max_teams() { return value_of(teams, initial_settings().num_teams); }
void set_max_teams(int n) { teams.store(std::max(n, 0), std::memory_order_relaxed); }
int teams_thread_limit() { return value_of(limit, initial_settings().teams_thread_limit); }
void set_teams_thread_limit(int n) { limit.store(std::max(n, 0), std::memory_order_relaxed); }

control control_of_league(const control& outer, int asked, int most_threads) {
  control c = outer;
  c.team = 0;
  c.teams = asked > 0 ? asked : std::max(max_teams(), 1);
  if (most_threads <= 0) most_threads = teams_thread_limit();
  if (most_threads > 0) c.thread_limit = outer.thread_limit > 0 ? std::min(most_threads, outer.thread_limit) : most_threads;
  return c;
}

}  // namespace weir::openmp
