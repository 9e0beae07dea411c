// Read from the kernel's files. hwloc has the same information, but would cost every program three more libraries, and 5 ms when
// it is asked.
#include <weir/machine/topology.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include <weir/machine/processors.hpp>

#include "system/made_once.hpp"
#include "system/system_files.hpp"

namespace weir {

namespace {

using processors = std::vector<int>;  // ascending

/// The kernel's description contradicts itself.
struct contradiction : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr int most_processors = 1 << 16;  // a list of more is damaged; Linux has room for 8,192

/// The numbers of a list in the form in which the kernel writes it: 0-3,7. None if the file does not exist or lists none.
processors listed_in(const std::string& path) {
  const auto text = contents_of(path);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (rest.ends_with('\n') || rest.ends_with(' ')) rest.remove_suffix(1);
  const auto number = [&] {
    int n = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (error != std::errc() || n < 0 || n >= most_processors) throw contradiction(path + " holds no list of numbers");
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return n;
  };
  const auto take = [&](char c) {
    const bool there = rest.starts_with(c);
    if (there) rest.remove_prefix(1);
    return there;
  };
  processors numbers;
  if (rest.empty()) return numbers;
  do {
    const int low = number(), high = take('-') ? number() : low;
    if (high < low || (!numbers.empty() && low <= numbers.back()))
      throw contradiction(path + " lists numbers that do not ascend");
    for (int n = low; n <= high; ++n) numbers.push_back(n);
  } while (take(','));
  if (!rest.empty()) throw contradiction(path + " holds no list of numbers");
  return numbers;
}

/// The groups of one kind into which the processors are divided, with the processors outside of the affinity mask.
class grouping {
 public:
  using finding = std::function<processors(int)>;
  /// `of_one` returns the group of a processor, and is asked once for each group. One that is in none is in `otherwise`, with
  /// those of it that are in no other.
  grouping(std::string name, const processors& asked, const finding& of_one, const finding& otherwise) : name_(std::move(name)) {
    processors undescribed;
    for (const int p : asked) {
      if (group_of_.contains(p)) continue;
      processors found = of_one(p);
      if (found.empty())
        undescribed.push_back(p);
      else if (!std::ranges::binary_search(found, p))
        throw contradiction("processor " + std::to_string(p) + " is not in its own " + name_);
      else
        add(std::move(found));
    }
    described_ = !groups_.empty();
    for (const int p : undescribed) {
      if (group_of_.contains(p)) continue;
      processors rest;
      std::ranges::copy_if(otherwise(p), std::back_inserter(rest), [&](int q) { return !group_of_.contains(q); });
      add(std::move(rest));
    }
  }

  const processors& of(int p) const { return groups_[group_of_.at(p)]; }
  bool described() const { return described_; }
  const std::string& name() const { return name_; }

  topology::division over(const processors& in_order) const {
    topology::division d{name_, {}, 0};
    std::map<std::size_t, unsigned> number;
    for (const int p : in_order)
      d.group_of.push_back(number.emplace(group_of_.at(p), static_cast<unsigned>(number.size())).first->second);
    d.groups = static_cast<unsigned>(number.size());
    return d;
  }

 private:
  void add(processors group) {
    for (const int member : group)
      if (!group_of_.emplace(member, groups_.size()).second)
        throw contradiction("processor " + std::to_string(member) + " is in two groups of kind " + name_);
    groups_.push_back(std::move(group));
  }

  std::string name_;
  std::vector<processors> groups_;
  std::map<int, std::size_t> group_of_;
  bool described_ = false;
};

/// Those that share this processor's cache of a level that holds data; 0: of its last level.
processors share_cache(const std::string& processor, int level) {
  std::string found;
  int highest = 0;
  for (int i = 0;; ++i) {
    const std::string cache = processor + "/cache/index" + std::to_string(i);
    const processors numbers = listed_in(cache + "/level");
    if (numbers.empty()) break;
    if (numbers.front() <= highest || (level != 0 && numbers.front() != level)) continue;
    if (contents_of(cache + "/type").value_or("").starts_with("Instruction")) continue;
    highest = numbers.front();
    found = cache;
  }
  return found.empty() ? processors{} : listed_in(found + "/shared_cpu_list");
}

std::vector<grouping> read_groups(const processors& asked, const std::string& root) {
  const std::string system = root + "/sys/devices/system";
  const auto folder = [&](int p) { return system + "/cpu/cpu" + std::to_string(p); };
  // By its present name, or its name up to Linux 5.3.
  const auto in_topology = [&](const char* name, const char* once) {
    return [=](int p) {
      auto found = listed_in(folder(p) + "/topology/" + name);
      return found.empty() && once != nullptr ? listed_in(folder(p) + "/topology/" + once) : found;
    };
  };
  const auto alone = [](int p) { return processors{p}; };
  const auto together = [&](int) { return asked; };
  const grouping sockets("socket", asked, in_topology("package_cpus_list", "core_siblings_list"), together);
  const auto in_socket = [&](int p) { return sockets.of(p); };
  std::vector<processors> nodes;
  for (const int n : listed_in(system + "/node/online"))
    nodes.push_back(listed_in(system + "/node/node" + std::to_string(n) + "/cpulist"));
  const auto in_node = [&](int p) {
    const auto found = std::ranges::find_if(nodes, [p](const processors& n) { return std::ranges::binary_search(n, p); });
    return found == nodes.end() ? processors{} : *found;
  };
  std::vector<grouping> found;
  found.emplace_back("core", asked, in_topology("core_cpus_list", "thread_siblings_list"), alone);
  // Linux has no clusters before 5.16; there the second-level cache is looked for, which takes twelve files a processor.
  const auto cluster = in_topology("cluster_cpus_list", nullptr);
  const auto in_cluster = [&](int p) {
    auto group = cluster(p);
    return group.empty() ? share_cache(folder(p), 2) : group;
  };
  found.emplace_back("cluster", asked, in_cluster, alone);
  found.emplace_back("cache", asked, [&](int p) { return share_cache(folder(p), 0); }, in_socket);
  found.push_back(sockets);  // before those that often have the same groups: the first of them gives a level its name
  found.emplace_back("die", asked, in_topology("die_cpus_list", nullptr), in_socket);
  found.emplace_back("memory", asked, in_node, together);
  std::erase_if(found, [](const grouping& g) { return !g.described(); });
  return found;
}

}  // namespace

topology topology_below(const std::string& root, const processors& asked) {
  processors sorted = asked;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  try {
    const auto groups = read_groups(sorted, root);
    const auto divisions = [&](const processors& in_order) {
      std::vector<topology::division> d;
      for (const grouping& g : groups) d.push_back(g.over(in_order));
      return d;
    };
    // The larger groups come first, each by its first processor.
    std::map<std::vector<int>, int> in_order;
    const topology levels(sorted, divisions(sorted));
    for (const int p : sorted) {
      std::vector<int> key;
      for (auto level = levels.levels().rbegin(); level != levels.levels().rend(); ++level)
        for (const grouping& g : groups)
          if (g.name() == level->name) key.push_back(g.of(p).front());
      key.push_back(p);
      in_order.emplace(std::move(key), p);
    }
    processors ordered;
    std::vector<unsigned> threads;
    for (const auto& [key, p] : in_order) {
      ordered.push_back(p);
      const processors core = groups.empty() || groups.front().name() != "core" ? processors{p} : groups.front().of(p);
      threads.push_back(static_cast<unsigned>(std::ranges::lower_bound(core, p) - core.begin()));
    }
    auto found = divisions(ordered);
    return {std::move(ordered), std::move(found), std::move(threads)};
  } catch (const contradiction& error) {
    return topology(std::move(sorted), error.what());
  }
}

processors processors_online(const std::string& root) {
  try {
    return listed_in(root + "/sys/devices/system/cpu/online");
  } catch (const contradiction&) {
    return {};
  }
}

const topology& topology_here() {
  static constinit made_once<topology> here;
  return here([] { return topology_below("", affinity()); });
}

}  // namespace weir
