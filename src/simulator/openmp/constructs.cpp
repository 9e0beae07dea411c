#include "simulator/openmp/constructs.hpp"

#include <algorithm>

#include "simulator/engine.hpp"
#include "simulator/openmp/by_name.hpp"
#include "simulator/openmp/nested_teams.hpp"
#include "simulator/openmp/weirs_team.hpp"

namespace weir::simulator::openmp {

course::course(unsigned members, unsigned warm_up, unsigned directives, time delay, std::uint64_t seed)
    : warm_up_(warm_up), directives_(directives), delay_(delay) {
  for (unsigned m = 0; m < members; ++m) dice_.emplace_back(seed * 0x9e3779b97f4a7c15u + m);
}

void course::delay(unsigned member) {
  constexpr double spread = 0.02;
  const double factor = 1 - spread + 2 * spread * dice_[member].uniform();
  engine::here().compute(static_cast<time>(static_cast<double>(delay_) * factor));
}

void course::mark() {
  if (++made_ < warm_up_) return;
  if (made_ == warm_up_) engine::here().forget_counts();
  marks_.push_back({engine::here().now(), engine::here().self().depth});
}

namespace {

// Each as in bench/openmp, whose functions have the same names.

void parallel(team& t, course& c) {
  for (unsigned j = 0; j < c.directives(); ++j) {
    t.parallel([&](unsigned me) { c.delay(me); });
    c.mark();
  }
}

void barrier(team& t, course& c) {
  t.parallel([&](unsigned me) {
    for (unsigned j = 0; j < c.directives(); ++j) {
      c.delay(me);
      t.barrier(me);
      if (me == 0) c.mark();
    }
  });
}

/// Iterations that go round the members.
void schedule_static(team& t, course& c) {
  t.parallel([&](unsigned me) {
    for (unsigned j = 0; j < c.directives(); ++j) {
      for (unsigned i = 0; i < iterations_of_each; ++i) c.delay(me);
      t.barrier(me);
      if (me == 0) c.mark();
    }
  });
}

/// A construct that only Weir's runtime has here.
template <void (*run)(weirs_team&, course&)>
void ours(team& t, course& c) {
  run(dynamic_cast<weirs_team&>(t), c);
}

// Compilers divide a static loop themselves, so that of the runtime only the barrier is left.
void for_(team& t, course& c) { barrier(t, c); }
// The compiler's code reads the bounds of the loop from a structure of the primary thread's.
void parallel_for(team& t, course& c) {
  alignas(line_bytes) simulated::word<std::uint64_t> bounds{0};
  for (unsigned j = 0; j < c.directives(); ++j) {
    bounds.store(t.size);
    t.parallel([&](unsigned me) {
      (void)bounds.load();
      c.delay(me);
    });
    c.mark();
  }
}

// Regions within one region. The inner teams do not wait for each other; those of the first are marked.
void nested_parallel(team& of_all, course& c) {
  auto& t = dynamic_cast<nested_teams&>(of_all);
  t.parallel([&](unsigned outer_member) {
    for (unsigned j = 0; j < c.directives(); ++j) {
      t.parallel_within(outer_member, [&](unsigned me) { c.delay(me); });
      if (outer_member == 0) c.mark();
    }
  });
}

/// Each member executes `once` for each directive.
template <class Once>
void in_one_region(weirs_team& t, course& c, Once once) {
  t.parallel([&](unsigned me) {
    for (unsigned j = 0; j < c.directives(); ++j) {
      once(me);
      t.barrier(me);
      if (me == 0) c.mark();
    }
  });
}

void single(weirs_team& t, course& c) {
  in_one_region(t, c, [&](unsigned me) {
    if (t.takes_single(me)) c.delay(me);
  });
}

void reduction(weirs_team& t, course& c) {
  for (unsigned j = 0; j < c.directives(); ++j) {
    t.parallel([&](unsigned me) {
      c.delay(me);
      t.reduce(me, 1);
    });
    c.mark();
  }
}

/// The loop in its parts, or by a counter that all share.
template <weir::openmp::schedule_kind kind, bool monotonic>
void schedule(weirs_team& t, course& c) {
  in_one_region(t, c, [&](unsigned me) {
    t.begin_loop(me, {kind, std::uint64_t{iterations_of_each} * t.size, 1, monotonic});
    while (const auto chunk = t.next_chunk(me))
      for (auto i = chunk.begin; i < chunk.end; ++i) c.delay(me);
    t.end_loop(me);
  });
}

void sections(weirs_team& t, course& c) {
  in_one_region(t, c, [&](unsigned me) {
    t.begin_loop(me, {weir::openmp::schedule_kind::dynamic, 2, 1, true});
    while (t.next_chunk(me)) c.delay(me);
    t.end_loop(me);
  });
}

void ordered(weirs_team& t, course& c) {
  t.parallel([&](unsigned me) {
    t.begin_loop(me, {weir::openmp::schedule_kind::static_, c.directives(), 1, true, true});
    while (t.next_ordered_chunk(me)) {
      t.begin_ordered(me);
      c.delay(me);
      c.mark();
    }
    t.end_loop(me);
  });
}

// Compilers divide the iterations themselves.
void doacross(weirs_team& t, course& c) {
  t.parallel([&](unsigned me) {
    t.begin_doacross(me, c.directives());
    for (unsigned j = me; j < c.directives(); j += t.size) {
      if (j > 0) t.wait_for_post(j - 1);
      c.delay(me);
      c.mark();
      t.post(j);
    }
    t.end_doacross();
  });
}

/// Enough that the region costs little beside them; hundreds of thieves make each task slow to simulate.
unsigned tasks_in_a_region(unsigned members) {
  return std::max({400 / members, std::min(1536 / members, 12u), 1u}) * members;
}

/// A region in which these members generate tasks, and all execute them.
template <class Generates>
void regions_with_tasks(weirs_team& t, course& c, Generates generates) {
  t.tasks_compute([&](unsigned me, std::uint64_t) { c.delay(me); });
  for (unsigned j = 0; j < c.directives(); ++j) {
    t.parallel([&](unsigned me) {
      for (unsigned i = generates(me); i > 0; --i) t.generate_task(me);
    });
    c.mark();
  }
}

void task_by_master(weirs_team& t, course& c) {
  regions_with_tasks(t, c, [&](unsigned me) { return me == 0 ? tasks_in_a_region(t.size) : 0; });
}

void task_by_all(weirs_team& t, course& c) {
  regions_with_tasks(t, c, [&](unsigned) { return tasks_in_a_region(t.size) / t.size; });
}

void taskwait(weirs_team& t, course& c) {
  t.tasks_compute([&](unsigned me, std::uint64_t) { c.delay(me); });
  t.parallel([&](unsigned me) {
    for (unsigned j = 0; j < c.directives(); ++j) {
      t.generate_task(me);
      t.taskwait(me);
      if (me == 0) c.mark();
    }
  });
}

// A task for each thread, and at the end all are complete: of a taskgroup whose tasks are all children that is a taskwait.
void taskloop(weirs_team& t, course& c) {
  t.tasks_compute([&](unsigned me, std::uint64_t) { c.delay(me); });
  t.parallel([&](unsigned me) {
    if (me != 0) return;
    for (unsigned j = 0; j < c.directives(); ++j) {
      for (unsigned i = 0; i < t.size; ++i) t.generate_task(me);
      t.taskwait(me);
      c.mark();
    }
  });
}

unsigned tasks_in_a_tree(unsigned members) { return 1024 * members; }

/// Of the tasks below one so many are below its first child, in parts of 144.
template <unsigned left_part>
void grow(weirs_team& t, course& c, unsigned me, std::uint64_t tasks) {
  const std::uint64_t left = (tasks - 1) * left_part / 144, right = tasks - 1 - left;
  if (left > 0) t.generate_task(me, left);
  if (right > 0) t.generate_task(me, right);
  c.delay(me);
  t.taskwait(me);
}

template <unsigned left_part>
void task_tree(weirs_team& t, course& c) {
  t.tasks_compute([&](unsigned me, std::uint64_t tasks) { grow<left_part>(t, c, me, tasks); });
  for (unsigned j = 0; j < c.directives(); ++j) {
    t.parallel([&](unsigned me) {
      if (me == 0) grow<left_part>(t, c, me, tasks_in_a_tree(t.size));
    });
    c.mark();
  }
}

using weir::openmp::schedule_kind;
constexpr repetitions seldom{2, 6, 1}, of_many_tasks{4, 10, 2}, in_turn{600, 40, 60}, with_tasks{1, 3, 1, tasks_in_a_region},
    in_a_tree{1, 3, 1, tasks_in_a_tree};

constexpr construct table[] = {
    {"parallel", "synchronisation", work::of_each, true, {}, parallel},
    {"for", "synchronisation", work::of_each, true, {}, for_},
    {"parallel-for", "synchronisation", work::of_each, true, {}, parallel_for},
    {"nested-parallel", "synchronisation", work::of_each, true, {}, nested_parallel, true},
    {"barrier", "synchronisation", work::of_each, true, {}, barrier},
    {"single", "synchronisation", work::of_one, false, {}, ours<single>},
    {"sections", "synchronisation", work::of_one, false, {}, ours<sections>},
    {"reduction", "synchronisation", work::of_each, false, {}, ours<reduction>},
    {"ordered", "exclusion", work::of_one, false, in_turn, ours<ordered>},
    {"doacross", "exclusion", work::of_one, false, in_turn, ours<doacross>},
    {"task-by-master", "task", work::is_shared, false, with_tasks, ours<task_by_master>},
    {"task-by-all", "task", work::is_shared, false, with_tasks, ours<task_by_all>},
    {"task-tree", "task", work::is_shared, false, in_a_tree, ours<task_tree<72>>},
    {"task-fibonacci", "task", work::is_shared, false, in_a_tree, ours<task_tree<89>>},
    {"taskwait", "task", work::of_each, false, {}, ours<taskwait>},
    {"taskloop", "task", work::of_each, false, of_many_tasks, ours<taskloop>},
    {"schedule-static-n:1", "schedule", work::of_loop, true, seldom, schedule_static},
    {"schedule-dynamic-n:1", "schedule", work::of_loop, false, seldom, ours<schedule<schedule_kind::dynamic, false>>},
    {"schedule-monotonic-dynamic-n:1", "schedule", work::of_loop, false, seldom, ours<schedule<schedule_kind::dynamic, true>>},
    {"schedule-guided-n:1", "schedule", work::of_loop, false, seldom, ours<schedule<schedule_kind::guided, false>>},
};

}  // namespace

std::span<const construct> constructs() { return table; }

const construct& construct_called(const std::string& name) { return by_name(constructs(), "construct", name); }

}  // namespace weir::simulator::openmp
