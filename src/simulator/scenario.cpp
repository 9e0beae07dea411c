#include "scenario.hpp"

#include <algorithm>
#include <filesystem>

#include "simulated_barriers.hpp"
#include "toml_reader.hpp"

namespace weir::simulator {

system_costs read_system(const toml_table& t, system_costs s);  // model.cpp

namespace {

constexpr std::size_t most_points = 100'000;

std::string machine_path(const toml_table& t, const std::string& scenario, const std::string& machines) {
  const std::string name = t.text("machine");
  namespace fs = std::filesystem;
  const fs::path beside = fs::path(scenario).parent_path();
  for (const fs::path& candidate :
       {beside / name, beside / (name + ".toml"), fs::path(machines) / (name + ".toml"), fs::path(name)})
    if (fs::is_regular_file(candidate)) return candidate.string();
  std::string known;
  if (fs::is_directory(machines))
    for (const auto& file : fs::directory_iterator(machines))
      if (file.path().extension() == ".toml") known += (known.empty() ? "" : ", ") + file.path().stem().string();
  t.complain("machine", "a file, or one of " + known + "; not \"" + name + "\"");
}

schedule read_schedule(const toml_table& t, const system_costs& costs) {
  schedule s;
  s.by = t.one_of<policy>("policy",
                          {{"partition", policy::partition},
                           {"equal-partition", policy::equal_partition},
                           {"process-control", policy::process_control},
                           {"shares", policy::shares},
                           {"round-robin-process", policy::round_robin_process},
                           {"round-robin-job", policy::round_robin_job},
                           {"coscheduling", policy::coscheduling}},
                          policy::partition);
  s.local_queues = t.one_of<bool>("queues", {{"local", true}, {"global", false}}, true);
  if (s.by == policy::round_robin_job && s.local_queues && t.has("queues"))
    t.complain("queues", "\"global\" with round-robin-job: shares are those of a common queue");
  if (s.by == policy::round_robin_job) s.local_queues = false;
  s.skip_spinning = t.flag("skip_spinning", false);
  s.quantum = costs.quantum;
  return s;
}

void check_levels(const toml_table& t, const application& a) {
  try {
    (void)plans::levels_called(a.barrier);
  } catch (const std::invalid_argument& error) {
    t.complain("barrier", std::string("a plan by levels: ") + error.what());
  }
  if (a.members > plans::most_by_levels)
    t.complain("barrier", "a plan by levels for at most " + std::to_string(plans::most_by_levels) + " members");
}

template <class Table>
void check_name(const toml_table& t, const char* key, const std::string& name, const Table& table) {
  std::string known;
  for (const auto& e : table) {
    if (e.name == name) return;
    known += (known.empty() ? "" : ", ") + std::string(e.name);
  }
  t.complain(key, "one of " + known + "; not \"" + name + "\"");
}

application read_application(const toml_table& t, const std::string& scenario, unsigned nearest) {
  application a;
  a.name = t.text("name", "application");
  const std::string trace = t.text("trace", "");
  if (!trace.empty()) {
    a.trace = read_trace((std::filesystem::path(scenario).parent_path() / trace).string());
    a.members = static_cast<unsigned>(a.trace.size());
    slow_down(a.trace, t.number("slower", 0, 1e6, 1));
    for (const char* not_with_trace : {"members", "barriers", "compute_us", "construct", "distribution", "warmup"})
      if (t.has(not_with_trace)) t.complain(not_with_trace, "nothing: a trace says it already");
  } else {
    a.what = t.one_of<construct>(
        "construct", {{"barrier", construct::barrier}, {"region", construct::region}, {"reduction", construct::reduction}},
        construct::barrier);
    a.members = t.whole("members", 1, max_members);
    a.barriers = t.whole("barriers", 1, 100'000'000);
    a.warmup = t.whole("warmup", 0, a.barriers - 1, 0);
    a.compute = from_us(t.number("compute_us", 0, 1e12));
    a.varies = t.one_of<distribution>("distribution",
                                      {{"constant", distribution::constant},
                                       {"uniform", distribution::uniform},
                                       {"exponential", distribution::exponential},
                                       {"slow-member", distribution::slow_member}},
                                      distribution::constant);
    a.spread = t.number("spread", 0, 1, 0.5);
    a.slow = t.number("slow", 0, 1e6, 2);
  }
  if (t.has("release") && a.what == construct::barrier)
    t.complain("release", "nothing: only a construct \"region\" or \"reduction\" begins by a release");
  a.begins_by = t.one_of<release>("release", {{"word", release::word}, {"barrier", release::barrier}}, release::word);
  a.barrier = t.text("barrier");
  if (plans::names_levels(a.barrier))
    check_levels(t, a);
  else
    check_name(t, "barrier", a.barrier, registry<simulated>::algorithms());
  a.own_lines = t.flag("own_lines", false);
  a.waiting = t.text("waiting", "spin");
  check_name(t, "waiting", a.waiting, registry<simulated>::waitings());
  a.shape.radix = t.whole("radix", 2, 64, 2);
  a.shape.fan_in = t.whole("fan_in", 1, 64, 2);
  a.shape.fan_out = t.whole("fan_out", 1, 64, 2);
  a.shape.ways = t.whole("ways", 2, 64, 4);
  a.shape.node = t.whole("node", 1, 1u << 16, nearest);
  a.arrives = from_us(t.number("arrives_us", 0, 1e12, 0));
  a.processors = t.whole("processors", 0, max_members, 0);
  a.by_blocks = t.one_of<bool>("placement", {{"by-turns", false}, {"by-blocks", true}}, false);
  return a;
}

}  // namespace

scenario_file::scenario_file(std::string path, std::string machines)
    : path_(std::move(path)), machines_(std::move(machines)) {
  const toml_file file(path_);
  axes_ = file.sweep();
  for (const auto& [key, count] : axes_) {
    if (count > most_points / points_)
      file.root().complain("sweep", "at most " + std::to_string(most_points) + " points in all");
    points_ *= count;
  }
  about_ = file.root().text("about", "");
  seeds_ = file.root().whole("seeds", 1, 10'000, 1);
  first_seed_ = file.root().whole("seed", 0, ~0u, 1);
}

std::vector<std::size_t> scenario_file::indices(std::size_t point) const {
  std::vector<std::size_t> on_axes(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {  // the last axis runs fastest
    on_axes[i] = point % axes_[i].second;
    point /= axes_[i].second;
  }
  return on_axes;
}

chosen scenario_file::choice(std::size_t point) const {
  const toml_file file(path_);
  const std::vector<std::size_t> at = indices(point);
  chosen values;
  for (std::size_t i = 0; i < axes_.size(); ++i) values.emplace_back(axes_[i].first, file.chosen(axes_[i].first, at[i]));
  return values;
}

scenario scenario_file::at(std::size_t point) const {
  toml_file file(path_);
  const std::vector<std::size_t> where = indices(point);
  for (std::size_t i = 0; i < axes_.size(); ++i) file.choose(axes_[i].first, where[i]);
  const toml_table& t = file.root();
  for (const char* known : {"about", "chart", "seed", "seeds", "sweep"}) t.skip(known);

  scenario s;
  s.machine_file = machine_path(t, path_, machines_);
  s.machine = read_machine(s.machine_file);
  const unsigned processors = t.whole("processors", 1, s.machine.processors, s.machine.processors);
  s.machine = cut(s.machine, processors);
  s.machine.homes = t.one_of<placement>("homes",
                                        {{"waiter", placement::waiter},
                                         {"first-touch", placement::first_touch},
                                         {"interleaved", placement::interleaved},
                                         {"first", placement::first}},
                                        placement::waiter);
  s.machine.clean = t.one_of<clean_copy>("clean_copy", {{"nearest", clean_copy::nearest}, {"home", clean_copy::home}},
                                         s.machine.clean);
  const double limit = t.number("limit_us", 0, in_ns(end_of_time) / 1e3, 0);
  s.limit = limit > 0 ? from_us(limit) : never;
  s.system.quantum = s.machine.system.quantum;
  if (t.has("system")) {
    const toml_table system = t.table("system");
    s.machine.system = read_system(system, s.machine.system);
    s.system = read_schedule(system, s.machine.system);
    system.nothing_else();
  }
  std::size_t threads = 0;
  for (const toml_table& a : t.tables("application")) {
    const unsigned copies = a.whole("copies", 1, 256, 1);
    const application one = read_application(a, path_, s.machine.distances.front().group);
    a.nothing_else();
    if (s.system.by == policy::partition && one.processors > processors)
      a.complain("processors", "at most the machine's " + std::to_string(processors));
    for (unsigned i = 0; i < copies; ++i) {
      s.applications.push_back(one);
      if (copies > 1) s.applications.back().name += " " + std::to_string(i + 1);
      threads += one.members;
    }
    if (threads > max_members || s.applications.size() > 256)
      a.complain("members", "at most " + std::to_string(max_members) + " threads and 256 applications in all");
  }
  t.nothing_else();
  return s;
}

}  // namespace weir::simulator
