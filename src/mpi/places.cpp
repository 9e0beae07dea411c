#include "places.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <strings.h>
#include <sys/stat.h>
#include <utility>

#include <mpi.h>
#include <weir/machine/processors.hpp>
#include <weir/profile.hpp>

#include "call.hpp"
#include "system/boolean_words.hpp"
#include "system/environment.h"

namespace weir::mpi {

namespace {

std::atomic<int> given{-1};

// FNV-1a.
std::uint64_t digest(const std::string& text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::string text_of(const char* file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Processes with the same value can share memory: the same running kernel, the same IPC name space (containers may have their
// own), and the same processor name in MPI (simulated ones differ). MPI_Comm_split_type would tell this too, but it does not
// yield while it waits: it takes MPICH 40 ms for each process when processors are shared.
std::uint64_t node_here() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  check(PMPI_Get_processor_name(name, &length), "asking for the processor's name");
  struct stat memory {};
  stat("/proc/self/ns/ipc", &memory);
  return digest(std::string(name) + '/' + text_of("/proc/sys/kernel/random/boot_id") + '/' + std::to_string(memory.st_ino));
}

// sched_yield(2) chooses among the threads of one scheduling group: a control group or, with autogroups, a session. MPICH's
// launcher starts a session for each process.
std::uint64_t scheduling_group() {
  std::string group;
  if (text_of("/proc/sys/kernel/sched_autogroup_enabled").starts_with('1')) group = text_of("/proc/self/autogroup");
  std::istringstream lines(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0:") || line.find("cpu,") != std::string::npos || line.find(":cpu:") != std::string::npos)
      group += line;
  return digest(group);
}

// Of all that choice.cpp looks at. Never 0.
std::uint64_t digest(const machine_profile& profile) {
  std::ostringstream text;
  text << profile.signature << profile.processors << profile.date << profile.simulated;
  for (const unsigned size : profile.sizes[false]) text << ' ' << size;
  for (const auto& f : profile.findings) text << '\n' << f.members << f.bound << f.barrier << f.ns << f.usual << f.usual_ns;
  return digest(text.str()) | 1;
}

// As the OpenMP runtime reads it.
bool may_learn() {
  const char* const said = weir_value_of(WEIR_ADAPT);
  return said == nullptr || std::ranges::none_of(boolean_words, [said](const auto& word) {
    return !word.second && strcasecmp(said, word.first.data()) == 0;
  });
}

bool have_one_profile(const std::vector<process_info>& processes) {
  if (processes.empty() || processes[0].profile == 0) return false;
  std::map<std::uint64_t, process_info> nodes;
  for (const process_info& process : processes) {
    if (process.profile != processes[0].profile) return false;
    process_info& node = nodes.try_emplace(process.node, process_info{}).first->second;
    for (std::size_t i = 0; i < std::size(node.processors); ++i) node.processors[i] |= process.processors[i];
  }
  return std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) {
    std::uint64_t count = 0;
    for (const std::uint64_t word : node.second.processors) count += static_cast<std::uint64_t>(std::popcount(word));
    return count == processes[0].tried;
  });
}

// The processes that may run where this one may, and the processors of all of them.
struct sharing {
  std::uint64_t threads = 0;
  unsigned processes = 0;
  bool scheduled_apart = false;
  std::vector<int> processors;

  bool oversubscribed() const { return threads > processors.size(); }
};

sharing sharing_of(const process_info& own, const std::vector<process_info>& processes) {
  sharing c;
  process_info theirs{};
  for (const process_info& other : processes) {
    if (other.node != own.node || !own.meets(other)) continue;
    ++c.processes;
    c.scheduled_apart = c.scheduled_apart || other.group != own.group;
    c.threads += other.threads;
    for (std::size_t i = 0; i < std::size(theirs.processors); ++i) theirs.processors[i] |= other.processors[i];
  }
  for (int i = 0; i < process_info::known_processors; ++i)
    if (theirs.has(i)) c.processors.push_back(i);
  return c;
}

// Whether any process shares its processors. The answer is the same for the same set of processors, so each set is checked once.
bool any_oversubscribed(const std::vector<process_info>& processes) {
  using set = std::pair<std::uint64_t, std::vector<std::uint64_t>>;
  std::set<set> seen;
  return std::any_of(processes.begin(), processes.end(), [&](const process_info& c) {
    return seen.emplace(c.node, std::vector(std::begin(c.processors), std::end(c.processors))).second &&
           sharing_of(c, processes).oversubscribed();
  });
}

// Assigns a node's processors to its processes, in the order of their ranks. Each process takes its share, the least loaded ones;
// a process with a home keeps it for all communicators. All processes compute the same assignment.
void assign_processors(unsigned rank, const std::vector<process_info>& processes, const std::vector<unsigned>& node, places& p) {
  std::map<int, double> load;
  std::map<int, std::vector<unsigned>> living_on;
  for (const unsigned r : node) {
    const process_info& process = processes[r];
    const sharing with = sharing_of(process, processes);
    const std::size_t wanted = with.processes == 0 ? 1 : std::max<std::size_t>(with.processors.size() / with.processes, 1);
    std::vector<int> taken;
    for (int i = 0; i < process_info::known_processors; ++i)
      if (process.has(i)) taken.push_back(i);
    std::stable_sort(taken.begin(), taken.end(), [&](int a, int b) { return load[a] < load[b]; });
    taken.resize(std::min(wanted, taken.size()));
    if (process.home >= 0) taken = {static_cast<int>(process.home)};
    for (const int processor : taken) load[processor] += static_cast<double>(process.threads) / static_cast<double>(taken.size());
    if (taken.size() == 1)
      living_on[taken[0]].push_back(r);
    else
      p.seats.push_back({r});
    if (r == rank) p.processors = taken;
  }
  for (const auto& [processor, ranks] : living_on) p.seats.push_back(ranks);
}

}  // namespace

bool process_info::meets(const process_info& other) const {
  for (std::size_t i = 0; i < std::size(processors); ++i)
    if ((processors[i] & other.processors[i]) != 0) return true;
  return false;
}

process_info process_info::here(unsigned threads, bool learns) {
  process_info c{};
  c.node = node_here();
  c.group = scheduling_group();
  c.threads = threads;
  c.home = weir::mpi::home();
  c.learns = learns && may_learn();
  if (const auto& known = profile_here().profile; known && !under_quota()) {
    c.profile = digest(*known);
    c.tried = known->processors;
  }
  for (const int processor : affinity())
    if (processor < known_processors) c.add(processor);
  return c;
}

int home() { return given.load(std::memory_order_relaxed); }

places places::apart() const {
  places p = *this;
  p.nodes.clear();
  for (unsigned r = 0; r < node_of.size(); ++r) {
    p.node_of[r] = r;
    p.nodes.push_back({r});
  }
  return p;
}

places places_of(unsigned rank, const std::vector<process_info>& processes) {
  places p;
  std::map<std::uint64_t, unsigned> number;
  for (unsigned r = 0; r < processes.size(); ++r) {
    const auto [place, fresh] = number.try_emplace(processes[r].node, static_cast<unsigned>(p.nodes.size()));
    if (fresh) p.nodes.emplace_back();
    p.nodes[place->second].push_back(r);
    p.node_of.push_back(place->second);
  }
  const sharing with = sharing_of(processes[rank], processes);
  p.shared = with.oversubscribed();
  p.scheduled_apart = p.shared && with.scheduled_apart;
  if (p.shared)
    p.sharers = static_cast<double>(with.threads) / static_cast<double>(std::max<std::size_t>(with.processors.size(), 1));
  p.oversubscribed = p.shared || any_oversubscribed(processes);
  p.one_profile = have_one_profile(processes);
  p.learn = std::all_of(processes.begin(), processes.end(), [](const process_info& process) { return process.learns != 0; });
  assign_processors(rank, processes, p.nodes[p.node(rank)], p);
  return p;
}

void remember_home(const places& p) {
  // relaxed: the number publishes nothing else.
  if (p.shared && p.processors.size() == 1 && home() < 0) given.store(p.processors[0], std::memory_order_relaxed);
}

}  // namespace weir::mpi
