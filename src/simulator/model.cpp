#include "model.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "toml_reader.hpp"

namespace weir::simulator {

unsigned machine_model::between(unsigned a, unsigned b) const {
  unsigned ring = 0;
  while (ring + 1 < distances.size() && a / distances[ring].group != b / distances[ring].group) ++ring;
  return ring;
}

time machine_model::around(unsigned from, unsigned to, unsigned ring) const {
  const distance& d = distances[ring];
  if (d.ring == 0 || ring == 0) return 0;
  // A ring of one direction [paper 002, section 2.1]: from the one to the other, always forward.
  const unsigned inner = distances[ring - 1].group, places = d.group / inner;
  const unsigned hops = (to / inner % places + places - from / inner % places) % places;
  return hops <= 1 ? 0 : static_cast<time>(hops - 1) * d.ring;
}

namespace {

processor_costs read_processor(const toml_table& t) {
  processor_costs p;
  p.hit = from_ns(t.number("hit_ns", 0, 1e6));
  p.poll = from_ns(t.number("poll_ns", 0, 1e6));
  p.store = from_ns(t.number("store_ns", 0, 1e6));
  p.atomic = from_ns(t.number("atomic_ns", 0, 1e6));
  p.store_buffer = t.whole("store_buffer", 1, 1024);
  p.misses = t.whole("outstanding_misses", 1, 64);
  p.invalidate = from_ns(t.number("invalidate_ns", 0, 1e6));
  t.nothing_else();
  return p;
}

distance read_distance(const toml_table& t) {
  distance d;
  d.name = t.text("name");
  d.group = t.whole("group", 1, 1u << 16);
  d.fetch = from_ns(t.number("fetch_ns", 0, 1e8));
  d.memory = from_ns(t.number("memory_ns", 0, 1e8));
  d.busy = from_ns(t.number("busy_ns", 0, 1e8));
  d.bus = from_ns(t.number("bus_ns", 0, 1e8));
  d.ring = from_ns(t.number("ring_ns", 0, 1e8, 0));
  t.nothing_else();
  return d;
}

}  // namespace

system_costs read_system(const toml_table& t, system_costs s) {
  s.quantum = from_us(t.number("quantum_us", 0.001, 1e7, static_cast<double>(s.quantum) / 1e6));
  const auto cost = [&](const char* key, time& into) {
    into = from_us(t.number(key, 0, 1e5, static_cast<double>(into) / 1e6));
  };
  cost("switch_us", s.switching);
  cost("yield_us", s.yield);
  cost("sleep_us", s.sleep);
  cost("wake_us", s.wake);
  cost("awake_us", s.awake);
  cost("migrate_us", s.migrate);
  return s;
}

machine_model read_machine(const std::string& path) {
  const toml_file file(path);
  const toml_table& t = file.root();
  machine_model m;
  m.name = t.text("name");
  t.text("about", "");
  m.built = m.processors = t.whole("processors", 1, 1u << 16);
  m.line_bytes = t.whole("line_bytes", 8, 128);
  if (m.line_bytes != 32 && m.line_bytes != 64 && m.line_bytes != 128)
    t.complain("line_bytes", "32, 64 or 128: barriers keep their words 128 bytes apart");
  m.cached = t.one_of<caching>("caching", {{"coherent", caching::coherent}, {"none", caching::none}});
  m.atomic = t.one_of<atomics>(
      "atomics", {{"owned", atomics::owned}, {"conditional", atomics::conditional}, {"memory", atomics::memory}});
  m.clean = t.one_of<clean_copy>("clean_copy", {{"nearest", clean_copy::nearest}, {"home", clean_copy::home}});
  if ((m.cached == caching::none) != (m.atomic == atomics::memory))
    t.complain("atomics", "\"memory\" with caching = \"none\", and only there");
  m.home_busy = from_ns(t.number("home_busy_ns", 0, 1e6, 0));
  m.processor = read_processor(t.table("processor"));
  for (const toml_table& d : t.tables("distance")) {
    m.distances.push_back(read_distance(d));
    const std::size_t n = m.distances.size();
    if (n > 1 && m.distances[n - 1].group % m.distances[n - 2].group != 0)
      d.complain("group", "a multiple of the group before, " + std::to_string(m.distances[n - 2].group));
    if (d.number("ring_ns", 0, 1e8, 0) > 0 && n == 1) d.complain("ring_ns", "a ring of smaller groups: not the nearest distance");
  }
  // The last of the groups within the last distance may be incomplete: three dies of 43, 43 and 42 cores.
  const unsigned most = m.distances.back().group;
  const unsigned least = m.distances.size() == 1 ? most : most - m.distances[m.distances.size() - 2].group + 1;
  if (m.processors < least || m.processors > most)
    t.complain("processors", "as many as the last distance's group, " + std::to_string(most) +
                                 (least == most ? "" : ", or at least " + std::to_string(least) + " of them"));
  if (t.has("system")) {
    const toml_table system = t.table("system");
    m.system = read_system(system, m.system);
    system.nothing_else();
  }
  t.skip("sources");
  t.nothing_else();
  return m;
}

topology topology_of(const machine_model& m) {
  std::vector<int> processors(m.processors);
  std::iota(processors.begin(), processors.end(), 0);
  std::vector<topology::division> divisions;
  for (const distance& d : m.distances) {
    topology::division& division =
        divisions.emplace_back(d.name, std::vector<unsigned>{}, (m.processors + d.group - 1) / d.group);
    for (unsigned p = 0; p < m.processors; ++p) division.group_of.push_back(p / d.group);
  }
  return {std::move(processors), std::move(divisions)};
}

topology as_described(const machine_model& m) {
  machine_model whole = m;
  whole.processors = m.built;
  const topology described = topology_of(whole);
  topology::division nearest = described.levels().front();
  nearest.name = "cache";
  return {described.processors(), {nearest}};
}

machine_model cut(machine_model m, unsigned processors) {
  if (processors > m.processors)
    throw std::invalid_argument(m.name + " has " + std::to_string(m.processors) + " processors, not " +
                                std::to_string(processors));
  m.processors = processors;
  while (m.distances.size() > 1 && m.distances[m.distances.size() - 2].group >= processors) m.distances.pop_back();
  return m;
}

}  // namespace weir::simulator
