// Read from the kernel's files. hwloc has the same information, but would cost every program three more libraries, and 5 ms
// when it is asked.
#include "openmp/places/locations.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <weir/machine/processors.hpp>

#include "machine/heard.hpp"
#include "machine/system_files.hpp"
#include "openmp/support/scanner.hpp"

namespace weir::openmp {

namespace {

using processors = std::vector<int>;  // ascending

/// Numbers in the form in which the kernel lists them: 0-3,7. None if the file does not exist or lists none.
processors listed_in(const std::string& path) {
  const auto text = contents_of(path);
  scanner in(text ? std::string_view(*text) : std::string_view());
  processors numbers;
  do {
    const auto low = in.integer_from(0);
    const auto high = low && in.take('-') ? in.integer_from(*low) : low;
    if (!high) break;
    for (int n = *low; n <= *high; ++n) numbers.push_back(n);
  } while (in.take(','));
  return numbers;
}

/// The groups of one kind (cores, sockets) into which the processors are divided.
class grouping {
 public:
  /// `of_one` returns the group of a processor; it is called once for each group.
  grouping(const processors& all, const std::function<processors(int)>& of_one) {
    for (const int p : all) {
      if (group_of_.contains(p)) continue;
      groups_.push_back(of_one(p));
      group_of_.emplace(p, groups_.size() - 1);
      for (const int member : groups_.back()) group_of_.emplace(member, groups_.size() - 1);
    }
  }
  const processors& of(int p) const { return groups_[group_of_.at(p)]; }

 private:
  std::vector<processors> groups_;
  std::map<int, std::size_t> group_of_;
};

/// The nearest cache of the highest level that holds data.
processors share_last_level_cache(const std::string& processor) {
  std::string last;
  int highest = 0;
  for (int i = 0;; ++i) {
    const std::string cache = processor + "/cache/index" + std::to_string(i);
    const processors level = listed_in(cache + "/level");
    if (level.empty()) break;
    if (level.front() <= highest || contents_of(cache + "/type").value_or("").starts_with("Instruction")) continue;
    highest = level.front();
    last = cache;
  }
  return last.empty() ? processors{} : listed_in(last + "/shared_cpu_list");
}

struct machine {
  grouping cores, sockets, ll_caches, numa_domains;
};

machine read_machine(const processors& all, const std::string& root) {
  const std::string system = root + "/sys/devices/system";
  const auto folder = [&](int p) { return system + "/cpu/cpu" + std::to_string(p); };
  // By its present name, or its name up to Linux 5.3.
  const auto topology = [&](int p, const char* name, const char* once) {
    auto found = listed_in(folder(p) + "/topology/" + name);
    return found.empty() ? listed_in(folder(p) + "/topology/" + once) : found;
  };
  const auto or_else = [](processors found, const processors& otherwise) { return found.empty() ? otherwise : found; };

  const grouping cores(all, [&](int p) {
    return or_else(topology(p, "core_cpus_list", "thread_siblings_list"), {p});
  });
  const grouping sockets(all, [&](int p) {
    return or_else(topology(p, "package_cpus_list", "core_siblings_list"), all);
  });
  const grouping ll_caches(all, [&](int p) { return or_else(share_last_level_cache(folder(p)), sockets.of(p)); });
  std::vector<processors> nodes;
  for (const int n : listed_in(system + "/node/online"))
    nodes.push_back(listed_in(system + "/node/node" + std::to_string(n) + "/cpulist"));
  const grouping numa_domains(all, [&](int p) {
    for (const auto& node : nodes)
      if (std::binary_search(node.begin(), node.end(), p)) return node;
    return all;
  });
  return {cores, sockets, ll_caches, numa_domains};
}

/// Sorts processors so that those with small groups in common are near each other: the larger groups come first, each by its
/// first processor.
std::vector<int> position(int p, const machine& of) {
  std::vector<const processors*> groups = {&of.numa_domains.of(p), &of.sockets.of(p), &of.ll_caches.of(p), &of.cores.of(p)};
  std::ranges::stable_sort(groups, std::greater(), &processors::size);
  std::vector<int> result;
  for (const processors* g : groups) result.push_back(g->front());
  result.push_back(p);
  return result;
}

/// Numbers for groups in the order in which they are met.
class numbers {
 public:
  int of(const processors& group) {
    return known_.emplace(&group, static_cast<int>(known_.size())).first->second;
  }

 private:
  std::map<const processors*, int> known_;
};

}  // namespace

std::vector<location> read_locations(const processors& all, const std::string& root) {
  const machine where = read_machine(all, root);
  std::map<std::vector<int>, int> in_order;
  for (const int p : all) in_order.emplace(position(p, where), p);
  std::vector<location> result;
  numbers cores, sockets, ll_caches, numa_domains;
  for (const auto& [position, p] : in_order) {
    const processors& core = where.cores.of(p);
    const auto thread = std::ranges::lower_bound(core, p) - core.begin();
    result.push_back({p, static_cast<int>(thread), cores.of(core), sockets.of(where.sockets.of(p)),
                      ll_caches.of(where.ll_caches.of(p)), numa_domains.of(where.numa_domains.of(p))});
  }
  return result;
}

std::vector<location> locations_of(const machine_view& machine) {
  std::vector<location> result;
  if (machine.locations)
    for (const auto& where : machine.locations())
      if (std::binary_search(machine.processors.begin(), machine.processors.end(), where.processor))
        result.push_back(where);
  if (result.empty())
    for (const int p : machine.processors) result.push_back({p, 0, p, 0, 0, 0});
  return result;
}

int processors_heard() {
  const std::size_t all = std::max<std::size_t>(affinity().size(), 1);
  return static_cast<int>(heard::processors().value_or(static_cast<unsigned>(all)));
}

machine_view this_machine() {
  const auto heard = heard::processors();
  return {affinity(), heard ? *heard : usable_processors(), [] { return read_locations(affinity(), ""); }};
}

}  // namespace weir::openmp
