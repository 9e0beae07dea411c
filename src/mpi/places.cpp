#include "places.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <sys/stat.h>

#include <weir/machine/processors.hpp>

#include "call.hpp"
#include "polite.hpp"

namespace weir::mpi {

namespace {

std::atomic<int> given{-1};

// What each process tells all others: its node, and where it may run.
struct card {
  static constexpr int known_processors = 1024;
  std::uint64_t node;
  std::uint64_t group;
  std::uint64_t threads;
  std::int64_t home;
  std::uint64_t processors[known_processors / 64];

  bool has(int processor) const { return ((processors[processor / 64] >> (processor % 64)) & 1u) != 0; }
  void add(int processor) { processors[processor / 64] |= std::uint64_t{1} << (processor % 64); }
  bool meets(const card& other) const {
    for (std::size_t i = 0; i < std::size(processors); ++i)
      if ((processors[i] & other.processors[i]) != 0) return true;
    return false;
  }
};

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

// Who has the same can share memory: the same running kernel, and the same /dev/shm, which containers may have for themselves;
// and the same processor by MPI's account, which knows simulated ones. MPI_Comm_split_type would say it too, but cannot be
// waited for politely: 40 ms for each process where MPICH's share processors.
std::uint64_t node_here() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  check(PMPI_Get_processor_name(name, &length), "asking for the processor's name");
  struct stat memory {};
  stat("/dev/shm", &memory);
  return digest(std::string(name) + '/' + text_of("/proc/sys/kernel/random/boot_id") + '/' + std::to_string(memory.st_dev));
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

card card_here(unsigned threads) {
  card c{};
  c.node = node_here();
  c.group = scheduling_group();
  c.threads = threads;
  c.home = home();
  for (const int processor : affinity())
    if (processor < card::known_processors) c.add(processor);
  return c;
}

// Who may run where this one may, and on which processors in all.
struct company {
  std::uint64_t threads = 0;
  unsigned processes = 0;
  bool strangers = false;
  std::vector<int> processors;
};

company company_of(const card& mine, const std::vector<card>& all) {
  company c;
  card theirs{};
  for (const card& other : all) {
    if (other.node != mine.node || !mine.meets(other)) continue;
    ++c.processes;
    c.strangers = c.strangers || other.group != mine.group;
    c.threads += other.threads;
    for (int i = 0; i < card::known_processors; ++i)
      if (other.has(i)) theirs.add(i);
  }
  for (int i = 0; i < card::known_processors; ++i)
    if (theirs.has(i)) c.processors.push_back(i);
  return c;
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

places places_of(MPI_Comm comm, unsigned threads) {
  int size = 0;
  check(PMPI_Comm_size(comm, &size), "asking for the size");
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "asking for the rank");
  const card mine = card_here(threads);
  std::vector<card> all(static_cast<std::size_t>(size));
  polite::gather(&mine, all.data(), sizeof(card), comm, "gathering who shares a node");
  places p;
  std::map<std::uint64_t, unsigned> number;
  for (unsigned r = 0; r < all.size(); ++r) {
    const auto [place, fresh] = number.try_emplace(all[r].node, static_cast<unsigned>(p.nodes.size()));
    if (fresh) p.nodes.emplace_back();
    p.nodes[place->second].push_back(r);
    p.node_of.push_back(place->second);
  }
  const company with = company_of(mine, all);
  p.shared = with.threads > with.processors.size();
  p.strangers = p.shared && with.strangers;
  if (p.shared) p.sharers = static_cast<double>(with.threads) / static_cast<double>(std::max<std::size_t>(with.processors.size(), 1));
  // What is chosen must be the same for all, though some may have processors enough for themselves.
  p.crowded = polite::least(!p.shared, comm, "asking who shares processors") == 0;
  share_out(static_cast<unsigned>(rank), all, p.nodes[p.node(static_cast<unsigned>(rank))], p);
  // relaxed: a number that nothing else goes with.
  if (p.shared && p.processors.size() == 1 && home() < 0) given.store(p.processors[0], std::memory_order_relaxed);
  return p;
}

}  // namespace weir::mpi
