// weir-info [--members N]: what Weir sees of this machine, and what it would choose here, as JSON; with --members only for teams
// of N members.
#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>
#include <set>
#include <sys/utsname.h>

#include <hwloc.h>
#include <nlohmann/json.hpp>
#include <weir/barriers/plans.hpp>
#include <weir/barriers/proof.hpp>
#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>
#include <weir/profile.hpp>
#include <weir/team_barrier.hpp>

#include "../number.hpp"
#include "node/sharing.hpp"

using nlohmann::json;

namespace {

class topology {
 public:
  topology() {
    hwloc_topology_init(&handle_);
    hwloc_topology_load(handle_);
  }
  ~topology() { hwloc_topology_destroy(handle_); }
  topology(const topology&) = delete;
  topology& operator=(const topology&) = delete;

  json caches() const {
    json rows = json::array();
    for (const auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE})
      for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(handle_, type, o)) != nullptr;)
        rows.push_back({{"level", o->attr->cache.depth},
                        {"kind", o->attr->cache.type == HWLOC_OBJ_CACHE_DATA ? "data" : "unified"},
                        {"bytes", o->attr->cache.size},
                        {"line", o->attr->cache.linesize},
                        {"processors", processors(o->cpuset)}});
    return rows;
  }

  json numa_nodes() const {
    json rows = json::array();
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(handle_, HWLOC_OBJ_NUMANODE, o)) != nullptr;)
      rows.push_back({{"node", o->os_index}, {"bytes", o->attr->numanode.local_memory}, {"processors", processors(o->cpuset)}});
    return rows;
  }

  int processors_online() const { return hwloc_get_nbobjs_by_type(handle_, HWLOC_OBJ_PU); }

  std::string text() const { return below(hwloc_get_root_obj(handle_), 0); }

 private:
  static json processors(hwloc_const_cpuset_t set) {
    json numbers = json::array();
    for (int p = hwloc_bitmap_first(set); p != -1; p = hwloc_bitmap_next(set, p)) numbers.push_back(p);
    return numbers;
  }

  static std::string below(hwloc_obj_t o, int depth) {
    char name[64], attributes[128];
    hwloc_obj_type_snprintf(name, sizeof name, o, 1);
    hwloc_obj_attr_snprintf(attributes, sizeof attributes, o, " ", 0);
    std::string lines = std::string(static_cast<std::size_t>(2 * depth), ' ') + name;
    if (o->os_index != HWLOC_UNKNOWN_INDEX) lines += " " + std::to_string(o->os_index);
    if (attributes[0] != '\0') lines += std::string(" (") + attributes + ")";
    lines += '\n';
    for (hwloc_obj_t m = o->memory_first_child; m != nullptr; m = m->next_sibling) lines += below(m, depth + 1);
    for (unsigned c = 0; c < o->arity; ++c) lines += below(o->children[c], depth + 1);
    return lines;
  }

  hwloc_topology_t handle_;
};

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string kernel() {
  utsname name{};
  uname(&name);
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

std::vector<unsigned> team_sizes() {
  const auto processors = static_cast<unsigned>(weir::affinity().size());
  std::set<unsigned> sizes{1, 2, 4, 8, 16, 32, 64, processors, 2 * processors};
  return {sizes.begin(), sizes.end()};
}

// What auto takes for members bound round-robin to the processors, and for members left free.
json choices(const std::vector<unsigned>& sizes) {
  json rows = json::array();
  for (const unsigned members : sizes)
    for (const bool placed : {true, false}) {
      std::vector<int> placement;
      for (unsigned m = 0; placed && m < members; ++m) placement.push_back(weir::affinity()[m % weir::affinity().size()]);
      const weir::team_barrier b(members, {.placement = placement});
      rows.push_back({{"members", members},
                      {"placed", placed},
                      {"algorithm", b.choice().algorithm},
                      {"waiting", b.choice().waiting},
                      {"reason", b.choice().reason},
                      {"bytes", b.bytes()}});
    }
  return rows;
}

json algorithms() {
  json rows = json::array();
  for (const auto& a : weir::algorithms()) {
    json bytes = json::object();
    for (const unsigned members : {2u, 8u, 64u, 1024u})
      bytes[std::to_string(members)] = weir::team_barrier(members, {.algorithm = a.name}).bytes();
    json critical_path = nullptr;  // of a plan, in signals
    for (const unsigned members : {2u, 8u, 64u, 1024u})
      if (const auto plan = weir::plans::by_name(a.name, members))
        critical_path[std::to_string(members)] = weir::prove(*plan).critical_path;
    rows.push_back({{"name", a.name},
                    {"about", a.about},
                    {"halves", a.halves},
                    {"logarithmic", a.logarithmic},
                    {"by_messages", a.by_messages},
                    {"placed", a.placed},
                    {"critical_path", critical_path},
                    {"bytes", bytes}});
  }
  return rows;
}

json waitings() {
  json rows = json::array();
  for (const auto& w : weir::waitings()) rows.push_back({{"name", w.name}, {"about", w.about}});
  return rows;
}

// Of all processors that are online, as profiles have it.
std::string signature_here() {
  const auto online = weir::processors_online("");
  return weir::signature(weir::topology_below("", online.empty() ? weir::affinity() : online));
}

json profile() {
  const weir::profile_in_use& used = weir::profile_here();
  json fields = {{"file", used.file}, {"words", weir::in_words(used)}, {"troubles", used.troubles}, {"sizes", json::array()}};
  if (!used.profile) return fields;
  fields["date"] = used.profile->date;
  fields["simulated"] = used.profile->simulated;
  for (const auto& f : used.profile->findings)
    fields["sizes"].push_back({{"members", f.members}, {"placed", f.bound}, {"barrier", f.barrier}});
  return fields;
}

// The programs that divide the processors of this node, and what each has now.
json sharing() {
  json rows = json::array();
  const weir::node::table table(weir::node::place_of_table());
  const auto programs = table.others();
  if (!programs) return rows;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  const auto grants = weir::node::grants_now(*programs, ns);
  for (std::size_t i = 0; i < programs->size(); ++i) {
    const auto& p = (*programs)[i];
    json numbers = json::array();
    grants[i].processors.for_each([&](unsigned number) { numbers.push_back(number); });
    rows.push_back({{"process", p.process}, {"name", p.name}, {"weight", p.asks.weight}, {"wants", p.asks.wants},
                    {"busy", p.is_busy}, {"processors", numbers}, {"alone", grants[i].alone}});
  }
  return rows;
}

}  // namespace

int main(int count, char** words) try {
  std::vector<unsigned> sizes = team_sizes();
  if (count == 3 && std::string(words[1]) == "--members") {
    sizes = {bench::whole_number_in("--members", words[2], 1, weir::max_members)};
  } else if (count != 1) {
    std::cerr << "usage: weir-info [--members N]   (what Weir sees of this machine, as JSON; what it takes for N threads)\n";
    return 2;
  }
  const topology machine;
  const auto limit = weir::quota();
  json info = {{"version", WEIR_VERSION},
               {"compiler", WEIR_COMPILER},
               {"cpu_model", cpu_model()},
               {"kernel", kernel()},
               {"online", machine.processors_online()},
               {"affinity", weir::affinity()},
               {"quota", nullptr},
               {"usable", weir::usable_processors()},
               {"heard", std::ceil(weir::usable_processors())},  // by a program under `weir run`
               {"sharing", sharing()},
               {"caches", machine.caches()},
               {"numa_nodes", machine.numa_nodes()},
               {"topology_text", machine.text()},
               {"signature", signature_here()},
               {"profile", profile()},
               {"cycles_per_ns", weir::native::ticks_per_microsecond() / 1000},
               {"choices", choices(sizes)},
               {"algorithms", algorithms()},
               {"waitings", waitings()}};
  if (limit) info["quota"] = {{"processors", limit->processors}, {"source", limit->source}};
  std::cout << info.dump(1) << '\n';
} catch (const std::exception& e) {
  std::cerr << "weir-info: " << e.what() << '\n';
  return 2;
}
