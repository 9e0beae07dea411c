#include "places.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <utility>

#include <mpi.h>
#include <weir/machine/processors.hpp>

#include "call.hpp"

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

// Who has the same can share memory: the same running kernel, and the same name space of what processes share, which containers may
// have for themselves; and the same processor by MPI's account, which knows simulated ones. MPI_Comm_split_type would say it too, but cannot be
// waited for politely: 40 ms for each process where MPICH's share processors.
std::uint64_t node_here() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  check(PMPI_Get_processor_name(name, &length), "asking for the processor's name");
  struct stat memory {};
  stat("/proc/self/ns/ipc", &memory);
  return digest(std::string(name) + '/' + text_of("/proc/sys/kernel/random/boot_id") + '/' + std::to_string(memory.st_ino));
}

// sched_yield(2) chooses among the threads of one scheduling group: a control group, or, where autogroups are on, a session.
// MPICH's launcher begins a session for each process.
std::uint64_t scheduling_group() {
  std::string group;
  if (text_of("/proc/sys/kernel/sched_autogroup_enabled").starts_with('1')) group = text_of("/proc/self/autogroup");
  std::istringstream lines(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0:") || line.find("cpu,") != std::string::npos || line.find(":cpu:") != std::string::npos) group += line;
  return digest(group);
}

// Who may run where this one may, and on which processors in all.
struct company {
  std::uint64_t threads = 0;
  unsigned processes = 0;
  bool strangers = false;
  std::vector<int> processors;

  bool crowded() const { return threads > processors.size(); }
};

company company_of(const card& mine, const std::vector<card>& all) {
  company c;
  card theirs{};
  for (const card& other : all) {
    if (other.node != mine.node || !mine.meets(other)) continue;
    ++c.processes;
    c.strangers = c.strangers || other.group != mine.group;
    c.threads += other.threads;
    for (std::size_t i = 0; i < std::size(theirs.processors); ++i) theirs.processors[i] |= other.processors[i];
  }
  for (int i = 0; i < card::known_processors; ++i)
    if (theirs.has(i)) c.processors.push_back(i);
  return c;
}

// Does any process share its processors? Those that may run on the same ones find the same: each set is looked at once.
bool any_crowded(const std::vector<card>& all) {
  using set = std::pair<std::uint64_t, std::vector<std::uint64_t>>;
  std::set<set> seen;
  return std::any_of(all.begin(), all.end(), [&](const card& c) {
    return seen.emplace(c.node, std::vector(std::begin(c.processors), std::end(c.processors))).second && company_of(c, all).crowded();
  });
}

// Shares out a node's processors to its processes, in the order of their ranks: each takes as many as there are for one, those
// with least to do; but who has a home has it for all communicators. All processes come to the same.
void share_out(unsigned rank, const std::vector<card>& all, const std::vector<unsigned>& node, places& p) {
  std::map<int, double> load;
  std::map<int, std::vector<unsigned>> living_on;
  for (const unsigned r : node) {
    const card& its = all[r];
    const company with = company_of(its, all);
    const std::size_t wanted = with.processes == 0 ? 1 : std::max<std::size_t>(with.processors.size() / with.processes, 1);
    std::vector<int> taken;
    for (int i = 0; i < card::known_processors; ++i)
      if (its.has(i)) taken.push_back(i);
    std::stable_sort(taken.begin(), taken.end(), [&](int a, int b) { return load[a] < load[b]; });
    taken.resize(std::min(wanted, taken.size()));
    if (its.home >= 0) taken = {static_cast<int>(its.home)};
    for (const int processor : taken) load[processor] += static_cast<double>(its.threads) / static_cast<double>(taken.size());
    if (taken.size() == 1)
      living_on[taken[0]].push_back(r);
    else
      p.seats.push_back({r});
    if (r == rank) p.processors = taken;
  }
  for (const auto& [processor, ranks] : living_on) p.seats.push_back(ranks);
}

}  // namespace

bool card::meets(const card& other) const {
  for (std::size_t i = 0; i < std::size(processors); ++i)
    if ((processors[i] & other.processors[i]) != 0) return true;
  return false;
}

card card::here(unsigned threads) {
  card c{};
  c.node = node_here();
  c.group = scheduling_group();
  c.threads = threads;
  c.home = weir::mpi::home();
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

places places_of(unsigned rank, const std::vector<card>& all) {
  places p;
  std::map<std::uint64_t, unsigned> number;
  for (unsigned r = 0; r < all.size(); ++r) {
    const auto [place, fresh] = number.try_emplace(all[r].node, static_cast<unsigned>(p.nodes.size()));
    if (fresh) p.nodes.emplace_back();
    p.nodes[place->second].push_back(r);
    p.node_of.push_back(place->second);
  }
  const company with = company_of(all[rank], all);
  p.shared = with.crowded();
  p.strangers = p.shared && with.strangers;
  if (p.shared) p.sharers = static_cast<double>(with.threads) / static_cast<double>(std::max<std::size_t>(with.processors.size(), 1));
  p.crowded = p.shared || any_crowded(all);
  share_out(rank, all, p.nodes[p.node(rank)], p);
  return p;
}

void settle_home(const places& p) {
  // relaxed: a number that nothing else goes with.
  if (p.shared && p.processors.size() == 1 && home() < 0) given.store(p.processors[0], std::memory_order_relaxed);
}

}  // namespace weir::mpi
