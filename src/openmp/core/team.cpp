#include "openmp/core/team.hpp"

#include <algorithm>
#include <utility>

#include <pthread.h>

#include <weir/machine/processors.hpp>

#include "openmp/core/affinity.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/core/crew.hpp"
#include "openmp/worksharing/doacross.hpp"
#include "openmp/worksharing/loop.hpp"
#include "openmp/tasks/pending_tasks.hpp"
#include "openmp/settings/set_by_routines.hpp"
#include "openmp/core/thread.hpp"
#include "openmp/core/thread_limit.hpp"

namespace weir::openmp {

namespace {

team_options barrier_options(const std::vector<int>& placement = {}) {
  team_options o;
  o.algorithm = initial_settings().barrier;
  o.placement = placement;
  o.awake_us = awake_us();
  return o;
}

constinit thread_local thread_state state;

// A child process has one thread and none of the crews: their memory is left alone, whoever was in it is not here. It goes on in
// regions of one thread, whose ends it will come to with what was set there; of a region of several it is no member any more.
void begin_anew() {
  state.crews = nullptr;
  if (state.initial == nullptr) {
    current = nullptr;  // it was a worker
    return;
  }
  if (current->of->active_level > 0) current = &state.initial->members[0];
  state.initial->beside.store(0, std::memory_order_relaxed);
}

void let_go_of_thread(void* its_state) {
  // The program's first thread comes here by pthread_exit alone: the process lives on until its workers have ended as well.
  auto& s = *static_cast<thread_state*>(its_state);
  current = nullptr;
  if (s.crews != nullptr)
    for (crew* c : *s.crews)
      if (c != nullptr) c->dismiss();
  delete std::exchange(s.crews, nullptr);
  if (s.of_targets != nullptr)
    for (const team* t : *s.of_targets) delete t;
  delete std::exchange(s.of_targets, nullptr);
  delete std::exchange(s.initial, nullptr);
}

// When a thread ends. A key's destructor comes after those of the language's objects, and once more if one of the program's
// keys has opened a region since.
pthread_key_t end_of_thread;

[[gnu::constructor]] void when_loaded() {
  pthread_atfork(nullptr, nullptr, begin_anew);
  pthread_key_create(&end_of_thread, let_go_of_thread);
}

/// [OpenMP 5.2, 10.1.1] but for the limit, by which threads are granted.
unsigned threads_for(const member& me, unsigned asked) {
  if (asked == 1 || me.of->active_level >= static_cast<unsigned>(me.icv.max_active_levels)) return 1;
  const unsigned wanted = asked != 0              ? asked
                          : me.icv.num_threads > 0 ? static_cast<unsigned>(me.icv.num_threads)
                                                   : static_cast<unsigned>(threads_at(initial_settings(), me.of->level));
  const unsigned most = me.icv.dynamic ? static_cast<unsigned>(initial_settings().processors) : 0xfffeu;
  return std::min(wanted, most);
}

/// The crew for regions that this thread opens at its present depth.
crew& mine(const member& me) {
  const std::size_t depth = me.of->depth;
  if (state.crews == nullptr) {
    state.crews = new std::vector<crew*>;
    pthread_setspecific(end_of_thread, &state);
  }
  auto& crews = *state.crews;
  if (crews.size() <= depth) crews.resize(depth + 1);
  if (crews[depth] == nullptr) crews[depth] = new crew;
  return *crews[depth];
}

void settle(team& t, member& parent) {
  if (t.parent != &parent) {
    t.parent = &parent;
    t.level = parent.of->level + 1;
    t.depth = parent.of->depth + 1;
  }
  // The parent's team may be within others than last time: the same level, and of another number of active ones.
  if (const unsigned active = parent.of->active_level + (t.size > 1 ? 1 : 0); t.active_level != active) t.active_level = active;
  control inherited = parent.icv;
  // Of the next level, where the environment has a list of them; else what the parent has set [OpenMP 5.2, 2.4].
  if (const std::size_t listed = initial_settings().num_threads.size(); listed > 1 && t.level < listed) inherited.num_threads = 0;
  if (!(t.inherited == inherited)) t.inherited = inherited;
  t.members[0].icv = inherited;
  if (affinity_matters) seat_team(t, parent);
}

/// The team of a region that `parent` opens; smaller than wanted where the system refuses threads.
team& assemble(crew& c, member& parent, unsigned wanted) {
  team& t = c.of_size(c.recruit(wanted));
  settle(t, parent);
  return t;
}

// Two addresses in turn: who leaves a barrier late must not have in its past what others do before the next.
[[gnu::cold, gnu::noinline]] void annotated_barrier(member& me) {
  team& t = *me.of;
  const void* const episode = &t.even_and_odd[me.barriers++ % 2];
  happens_before(episode);
  t.barrier->arrive_and_wait(me.number);
  happens_after(episode);
}

}  // namespace

namespace {

control initial_control() {
  const settings& s = initial_settings();
  return {.max_active_levels = s.max_active_levels,
          .default_device = s.target_offload == offload::mandatory ? invalid_device : s.default_device,
          .dynamic = s.dynamic,
          .run_schedule = s.run_schedule};
}

team& of_target(unsigned depth) {
  if (state.of_targets == nullptr) {
    state.of_targets = new std::vector<team*>;
    pthread_setspecific(end_of_thread, &state);
  }
  auto& teams = *state.of_targets;
  if (teams.size() <= depth) teams.resize(depth + 1);
  if (teams[depth] == nullptr) {
    teams[depth] = new team(1);
    teams[depth]->depth = depth;
  }
  return *teams[depth];
}

}  // namespace

constinit thread_local member* current = nullptr;

member& first_met() {
  state.initial = new team(1);
  member& me = state.initial->members[0];
  me.icv = initial_control();
  me.at = first_seat();
  current = &me;
  pthread_setspecific(end_of_thread, &state);
  return me;
}

team::team(unsigned n)
    : size(n),
      members(std::make_unique<member[]>(n)),
      loops(std::make_unique<loop[]>(slots_in_turn)),
      doacrosses(std::make_unique<doacross[]>(slots_in_turn)),
      barrier(std::in_place, n, barrier_options()),
      forking(half::release(initial_settings().fork_barrier, n)),
      joining(half::arrival(initial_settings().join_barrier, n, crowded(n))),
      reducing(half::arrival(initial_settings().reduction_barrier, n, false)),
      learned(awake_us()) {
  for (unsigned m = 0; m < n; ++m) {
    members[m].of = this;
    members[m].number = m;
  }
  for (unsigned i = 0; i < slots_in_turn; ++i) {
    loops[i].free_for(i);
    doacrosses[i].free_for(i);
  }
}

team::~team() = default;

void team::place_barrier(const std::vector<int>& placement) { barrier.emplace(size, barrier_options(placement)); }

void fork(region run, void* what, unsigned asked) {
  member& me = self();
  const granted_threads granted(me, threads_for(me, asked));
  crew& c = mine(me);
  team& t = assemble(c, me, granted.size());
  if (t.size > 1) {
    c.execute(t, run, what);
    return;
  }
  current = &t.members[0];
  run(what);
  end_tasks(t.members[0]);
  current = &me;
}

void fork_alone(region run, void* what) { fork(run, what, 1); }

void begin_alone() {
  member& me = self();
  current = &assemble(mine(me), me, 1).members[0];
}

void end_alone() {
  end_tasks(*current);
  current = current->of->parent;
}

as_initial_thread::as_initial_thread() : outer_(self()) {
  member& me = of_target(outer_.of->depth + 1).members[0];
  me.icv = initial_control();
  me.at = outer_.at;
  if (me.at.place >= 0) me.at = {me.at.place, 0, static_cast<int>(places().size())};
  current = &me;
}

as_initial_thread::~as_initial_thread() {
  end_tasks(*current);
  current = &outer_;
}

std::unique_ptr<granted_threads> begin_region(region run, void* what, unsigned asked) {
  member& me = self();
  auto granted = std::make_unique<granted_threads>(me, threads_for(me, asked));
  crew& c = mine(me);
  team& t = assemble(c, me, granted->size());
  if (t.size > 1)
    c.open(t, run, what);
  else
    current = &t.members[0];
  return granted;
}

void end_region() {
  team& t = *current->of;
  if (t.size > 1)
    mine(*t.parent).close(t);
  else
    end_alone();
}

void barrier(member& me) {
  end_tasks(me);
  team& t = *me.of;
  if (t.size == 1) return;
  if (annotated()) [[unlikely]] {
    annotated_barrier(me);
    return;
  }
  t.barrier->arrive_and_wait(me.number);
}

int thread_limit(const member& me) {
  const int most = initial_settings().thread_limit;
  return me.icv.thread_limit > 0 ? std::min(me.icv.thread_limit, most) : most;
}

double awake_us() {
  constexpr double always = 1e15, a_spin = 0.02;  // a pause of today's processors takes 10 to 40 ns
  const settings& s = initial_settings();
  if (s.spin_count) return *s.spin_count == 0 ? -1 : std::min(always, static_cast<double>(*s.spin_count) * a_spin);
  if (const auto ms = blocktime_ms()) return *ms == block_never ? always : *ms == 0 ? -1 : *ms * 1e3;
  if (s.waiting == wait_policy::active) return always;
  if (s.waiting == wait_policy::passive) return -1;
  // Under a quota each microsecond of waiting awake is taken from the program's own computing.
  return under_quota() ? 0 : waiting::automatic_constants::longest_awake;
}

bool crowded(unsigned size) {
  static constinit std::atomic<std::size_t> known{0};
  // relaxed: a number that nothing else goes with; all would find the same.
  std::size_t processors = known.load(std::memory_order_relaxed);
  if (processors == 0) [[unlikely]] known.store(processors = affinity().size(), std::memory_order_relaxed);
  return size > processors;
}

bool crowded(const team& t) { return t.processors != 0 ? t.size > t.processors : crowded(t.size); }

int global_number() {
  static std::atomic<int> next{0};
  if (state.global < 0) state.global = next.fetch_add(1, std::memory_order_relaxed);  // relaxed: the number alone matters
  return state.global;
}

}  // namespace weir::openmp
