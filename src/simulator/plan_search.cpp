#include "plan_search.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "run.hpp"

namespace weir::simulator {

namespace {

using plan_shape = plans::levels_shape;

constexpr unsigned episodes = 24, warmup = 4;
constexpr double compute_us = 1;

/// The sizes of the machine's groups that divide the members, the smallest first.
std::vector<unsigned> sizes_of(const machine_model& m, unsigned members) {
  std::vector<unsigned> sizes;
  for (const distance& d : m.distances)
    if (d.group > (sizes.empty() ? 1 : sizes.back()) && d.group < members) sizes.push_back(d.group);
  return sizes;
}

/// Shapes to begin with: every choice of the inner levels, the outermost with a tree or an exchange.
std::vector<plan_shape> beginnings(const std::vector<unsigned>& sizes) {
  std::vector<plan_shape> shapes;
  const auto inner = static_cast<unsigned>(sizes.size());
  for (unsigned chosen = 0; chosen < 1u << inner; ++chosen)
    for (const unsigned radix : {0u, 1u, 2u, 4u, 5u}) {
      plan_shape shape;
      for (unsigned i = 0; i < inner; ++i)
        if ((chosen >> i & 1u) != 0) shape.levels.push_back({.size = sizes[i]});
      shape.levels.emplace_back();
      shape.exchange_radix = radix;
      shapes.push_back(std::move(shape));
    }
  return shapes;
}

/// All shapes that differ from this one in one number.
std::vector<plan_shape> neighbours(const plan_shape& of) {
  std::vector<plan_shape> shapes;
  const std::size_t trees = of.levels.size() - (of.exchange_radix == 0 ? 0 : 1);
  for (std::size_t i = 0; i < trees; ++i) {
    plan_shape changed = of;
    for (const unsigned ways : {2u, 3u, 4u, 6u, 8u, 12u, 16u, 32u, 64u}) {
      changed.levels[i].ways = ways;
      if (ways != of.levels[i].ways) shapes.push_back(changed);
    }
    changed = of;
    for (const unsigned fan_out : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 32u, 64u}) {
      changed.levels[i].fan_out = fan_out;
      if (fan_out != of.levels[i].fan_out) shapes.push_back(changed);
    }
    changed = of;
    changed.levels[i].packed = !of.levels[i].packed;
    shapes.push_back(changed);
  }
  for (const unsigned radix : {1u, 2u, 3u, 4u, 5u, 6u, 8u}) {
    plan_shape changed = of;
    changed.exchange_radix = radix;
    if (of.exchange_radix != 0 && radix != of.exchange_radix) shapes.push_back(changed);
  }
  return shapes;
}

struct judge {
  const machine_model& machine;
  unsigned members;
  const std::string& waiting;
  std::vector<std::pair<plan_shape, double>> known = {};

  double operator()(const plan_shape& shape) {
    const auto before = std::ranges::find(known, shape, &std::pair<plan_shape, double>::first);
    if (before != known.end()) return before->second;
    const double took = simulated_ns(machine, plans::by_levels(members, shape.levels, shape.exchange_radix), 1, waiting);
    known.emplace_back(shape, took);
    return took;
  }
};

}  // namespace

double simulated_ns(const machine_model& m, const plan& p, std::uint64_t seed, const std::string& waiting) {
  scenario s;
  s.machine = m;
  s.system.by = policy::partition;
  s.system.quantum = m.system.quantum;
  application& a = s.applications.emplace_back();
  a.members = p.participants();
  a.made_of = std::make_shared<const plan>(p);
  a.own_lines = true;
  a.waiting = waiting;
  a.barriers = episodes;
  a.compute = from_us(compute_us);
  a.varies = distribution::uniform;
  a.spread = 0.02;
  simulation trial(std::move(s), seed);
  const auto result = trial.run();
  const auto& passed = result.applications.at(0).episodes;
  const time spent = passed.back().last_leaving - passed[warmup - 1].last_leaving;
  return in_ns(spent) / (episodes - warmup) - compute_us * 1e3;
}

plan_found search_plan(const machine_model& whole, unsigned members, const std::string& waiting) {
  const machine_model m = cut(whole, members);
  judge takes{m, members, waiting};
  std::vector<plan_shape> begin = beginnings(sizes_of(m, members));
  std::map<double, plan_shape> by_time;
  for (const plan_shape& shape : begin) by_time.emplace(takes(shape), shape);
  plan_found found;
  found.barrier_ns = by_time.begin()->first;
  found.shape = by_time.begin()->second;
  // From the best three choices of levels, each with its best top: what is best in the first shape of its levels need not be so
  // in the best one, and the tops of one choice are neighbours.
  std::vector<plan_shape> from;
  for (const auto& [at_first, start] : by_time) {
    if (from.size() == 3) break;
    if (std::ranges::any_of(from, [&](const plan_shape& shape) { return shape.levels == start.levels; })) continue;
    from.push_back(start);
    double best = at_first;
    plan_shape shape = start;
    for (bool better = true; better;) {
      better = false;
      for (const plan_shape& next : neighbours(shape))
        if (const double took = takes(next); took < best) {
          best = took;
          shape = next;
          better = true;
        }
    }
    if (best < found.barrier_ns) {
      found.barrier_ns = best;
      found.shape = shape;
    }
  }
  found.tried = static_cast<unsigned>(takes.known.size());
  for (const plans::entry& e : plans::table) {
    const double took = simulated_ns(m, e.make(members, {.node = std::min(members, m.distances.front().group)}), 1, waiting);
    const auto compare = [&](std::string& name, double& least) {
      if (!name.empty() && took >= least) return;
      name = e.name;
      least = took;
    };
    compare(found.named, found.named_ns);
    if (e.name != std::string_view("exchange-nodes")) compare(found.of_papers, found.of_papers_ns);
  }
  return found;
}

}  // namespace weir::simulator
