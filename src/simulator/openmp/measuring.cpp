#include "simulator/openmp/measuring.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>

#include "simulator/engine.hpp"

namespace weir::simulator::openmp {

double result::overhead_ns() const {
  return std::accumulate(episode_ns.begin(), episode_ns.end(), 0.0) / static_cast<double>(episode_ns.size()) - reference_ns;
}
double result::all_moved() const { return std::accumulate(moved.begin(), moved.end(), 0.0); }

namespace {

void count(result& r, const engine& e, double directives) {
  const line_counts all = e.memory().all_counts();
  for (const std::uint64_t misses : all.misses) r.moved.push_back(static_cast<double>(misses) / directives);
  r.atomics = static_cast<double>(all.atomics) / directives;
  r.failed = static_cast<double>(all.failed) / directives;
  r.calls = static_cast<double>(e.system().calls) / directives;
  r.woken = static_cast<double>(e.system().woken) / directives;
  for (line_id l = 0; l < e.memory().lines(); ++l) {
    const auto& misses = e.memory().counts(l).misses;
    r.busiest_line = std::max(r.busiest_line, static_cast<double>(std::accumulate(misses.begin(), misses.end(), 0u)) / directives);
  }
  r.accesses = e.memory().accesses();
}

}  // namespace

result simulate(machine_model m, const question& asked) {
  const construct& what = construct_called(asked.construct);
  const runtime& on = runtime_called(asked.runtime);
  if (on.is_model && !what.modelled)
    throw std::invalid_argument("the model of " + asked.runtime + " has no " + asked.construct);
  if (asked.members < 2) throw std::invalid_argument("a team has at least 2 members here, not " + std::to_string(asked.members));
  m = cut(std::move(m), asked.members);
  m.homes = asked.homes;
  const auto [warm_up, samples, inner] = what.often;
  course c(asked.members, warm_up, samples * inner, asked.delay, asked.seed);
  // Made before the run, as by the primary thread before its first region.
  const std::unique_ptr<team> t = on.make(m, asked.members);
  engine e(m, {.quantum = m.system.quantum});
  e.add_job(what.name, asked.members, 0, 0, [](const job&) {}, [&](unsigned member) {
    if (member != 0) return t->work(member);
    what.run(*t, c);
    t->dismiss();
  });
  const auto start = std::chrono::steady_clock::now();
  e.run();
  result r;
  r.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  r.reference_ns = in_ns(asked.delay) * (what.reference == work::of_loop ? iterations_of_each : 1);
  r.inner = inner;
  const auto& marks = c.marks();
  for (std::size_t i = inner; i < marks.size(); i += inner)
    r.episode_ns.push_back(in_ns(marks[i] - marks[i - inner]) / inner);
  count(r, e, static_cast<double>(marks.size() - 1));
  return r;
}

}  // namespace weir::simulator::openmp
