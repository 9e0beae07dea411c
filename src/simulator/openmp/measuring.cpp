#include "simulator/openmp/measuring.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>

#include "simulator/engine.hpp"
#include "simulator/floor.hpp"
#include "simulator/openmp/nested_teams.hpp"

namespace weir::simulator::openmp {

double result::overhead_ns() const {
  return std::accumulate(episode_ns.begin(), episode_ns.end(), 0.0) / static_cast<double>(episode_ns.size()) - reference_ns;
}
double result::all_moved() const { return std::accumulate(moved.begin(), moved.end(), 0.0); }

namespace {

void count(result& r, const engine& e, double directives) {
  const line_counts total = e.memory().all_counts();
  for (const std::uint64_t misses : total.misses) r.moved.push_back(static_cast<double>(misses) / directives);
  r.atomics = static_cast<double>(total.atomics) / directives;
  r.failed = static_cast<double>(total.failed) / directives;
  r.calls = static_cast<double>(e.system().calls) / directives;
  r.woken = static_cast<double>(e.system().woken) / directives;
  const auto sum = [&](const std::vector<std::uint64_t>& misses) {
    return static_cast<double>(std::accumulate(misses.begin(), misses.end(), std::uint64_t{0})) / directives;
  };
  for (line_id l = 0; l < e.memory().lines(); ++l) {
    const line_counts& counts = e.memory().counts(l);
    r.busiest_line = std::max(r.busiest_line, sum(counts.misses));
    r.read_line = std::max(r.read_line, static_cast<double>(counts.reads) / directives);
  }
  for (unsigned p = 0; p < e.model().processors; ++p) r.busiest_member = std::max(r.busiest_member, sum(e.memory().misses_of(p)));
  r.accesses = e.memory().accesses();
}

double floor_of(const std::string& construct, const machine_model& m, unsigned members) {
  if (construct == "barrier" || construct == "for") return in_ns(floor_of_barrier(m, members));
  if (construct == "nested-parallel") return in_ns(floor_of_region(m, static_cast<unsigned>(parts_of(m, members)[0].count)));
  return construct == "parallel" || construct == "parallel-for" ? in_ns(floor_of_region(m, members)) : 0;
}

std::unique_ptr<team> team_for(const construct& what, const runtime& on, const machine_model& m, unsigned members) {
  if (what.nested) return std::make_unique<nested_teams>(on, m, members);
  return on.make(m, members);
}

/// The delays that a directive's time is compared with, on a processor for each member.
double of_delays(work reference, unsigned members) {
  switch (reference) {
    case work::of_loop: return iterations_of_each;
    case work::is_shared: return 1.0 / members;
    default: return 1;
  }
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
  const auto [warm_up, samples, inner, directives] = what.often;
  const unsigned in_a_mark = directives(asked.members);
  course c(asked.members, warm_up, samples * inner, asked.delay, asked.seed);
  // Made before the run, as by the primary thread before its first region.
  const std::unique_ptr<team> t = team_for(what, on, m, asked.members);
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
  r.reference_ns = in_ns(asked.delay) * of_delays(what.reference, asked.members);
  r.floor_ns = floor_of(asked.construct, m, asked.members);
  r.inner = inner * in_a_mark;
  const auto& marks = c.marks();
  for (std::size_t i = inner; i < marks.size(); i += inner)
    r.episode_ns.push_back(in_ns(marks[i].at - marks[i - inner].at) / r.inner);
  const auto counted = static_cast<double>((marks.size() - 1) * in_a_mark);
  r.critical_path = (static_cast<double>(marks.back().depth) - marks.front().depth) / counted;
  count(r, e, counted);
  return r;
}

}  // namespace weir::simulator::openmp
