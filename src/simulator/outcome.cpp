#include "outcome.hpp"

#include <algorithm>
#include <numeric>

namespace weir::simulator {

namespace {

using json = nlohmann::ordered_json;

json by_activity(const time_by_activity& spent) {
  json times = json::object();
  for (std::size_t i = 0; i < spent.size(); ++i)
    if (spent[i] != 0) times[std::string(activity_names[i]) + "_ns"] = in_ns(spent[i]);
  return times;
}

json application_json(const application& a, const application_result& r) {
  json j = {{"name", a.name},       {"members", a.members},       {"barrier", a.barrier},
            {"waiting", a.waiting}, {"compute_ns", in_ns(a.compute)}, {"warmup", a.warmup},
            {"arrived_ns", in_ns(a.arrives)}, {"begun_ns", in_ns(r.begun)},   {"finished_ns", in_ns(r.finished)},
            {"barrier_bytes", r.barrier_bytes}, {"placement", r.placement}};
  // From one release to the next, and how long the release came after the last arrival.
  json episodes = json::array(), barriers = json::array();
  time before = a.warmup == 0 || r.episodes.size() <= a.warmup ? r.begun : r.episodes[a.warmup - 1].last_leaving;
  for (std::size_t e = a.warmup; e < r.episodes.size(); ++e) {
    const episode& one = r.episodes[e];
    episodes.push_back(in_ns(one.last_leaving - before));
    barriers.push_back(in_ns(one.last_leaving - one.last_arrival));
    before = one.last_leaving;
  }
  j["episode_ns"] = std::move(episodes);
  j["barrier_ns"] = std::move(barriers);
  return j;
}

json counts_json(const line_counts& c) {
  return {
      {"misses", c.misses}, {"hits", c.hits}, {"invalidations", c.invalidations}, {"atomics", c.atomics}, {"failed", c.failed}};
}

json lines_json(const memory& m, std::size_t most) {
  const auto misses = [&m](line_id l) {
    const auto& counts = m.counts(l).misses;
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  std::vector<line_id> lines(m.lines());
  std::iota(lines.begin(), lines.end(), 0u);
  std::stable_sort(lines.begin(), lines.end(), [&](line_id a, line_id b) { return misses(a) > misses(b); });
  lines.resize(std::min(most, lines.size()));
  json listed = json::array();
  for (const line_id l : lines) {
    json one = counts_json(m.counts(l));
    one["line"] = l;
    listed.push_back(std::move(one));
  }
  return listed;
}

}  // namespace

json outcome(const scenario& s, const simulation& machine, const run_result& r, std::size_t lines) {
  const engine& e = machine.machine();
  json j = {{"machine", s.machine.name}, {"processors", s.machine.processors}, {"end_ns", in_ns(r.end)},
            {"counted_from_ns", in_ns(e.counted_from())},
            {"accesses", r.accesses},    {"events", r.events},                 {"host_s", r.host_seconds}};
  j["applications"] = json::array();
  for (std::size_t i = 0; i < r.applications.size(); ++i)
    j["applications"].push_back(application_json(s.applications[i], r.applications[i]));

  j["threads"] = json::array();
  for (const thread& t : e.threads()) {
    json one = {{"application", t.application}, {"member", t.member}, {"switches", t.switches},
                {"preemptions", t.preemptions}, {"migrations", t.migrations}};
    one.update(by_activity(t.spent));
    j["threads"].push_back(std::move(one));
  }
  j["on_processors"] = json::array();
  unsigned number = 0;
  for (const processor& p : e.kernel().processors()) {
    json one = by_activity(p.spent);
    time busy = 0;
    for (const time spent : p.spent) busy += spent;
    one["idle_ns"] = in_ns(std::max<time>(r.end - e.counted_from() - busy, 0));
    one["switches"] = p.switches;
    one["misses"] = e.memory().misses_of(number++);
    j["on_processors"].push_back(std::move(one));
  }
  json names = json::array();
  for (const distance& d : s.machine.distances) names.push_back(d.name);
  j["distances"] = std::move(names);
  j["memory"] = counts_json(e.memory().all_counts());
  j["memory"]["lines"] = e.memory().lines();
  j["lines"] = lines_json(e.memory(), lines);
  if (!r.history.empty()) {
    json rows = json::array();
    for (const stretch& h : r.history)
      rows.push_back({h.thread, h.processor, activity_names[static_cast<std::size_t>(h.doing)], in_ns(h.from), in_ns(h.until)});
    j["history"] = std::move(rows);
    json episodes = json::array();
    for (const application_result& a : r.applications) {
      json entries = json::array();
      for (const episode& one : a.episodes)
        entries.push_back({in_ns(one.first_arrival), in_ns(one.last_arrival), in_ns(one.first_leaving), in_ns(one.last_leaving)});
      episodes.push_back(std::move(entries));
    }
    j["episodes"] = std::move(episodes);
  }
  return j;
}

}  // namespace weir::simulator
