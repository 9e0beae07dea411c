#include "site.hpp"

#include <algorithm>
#include <bitset>
#include <map>

#include <weir/machine/processors.hpp>

namespace bench::mpi {

namespace {

using mask = std::bitset<1024>;

struct process {
  int node;      // the first rank on it
  bool limited;  // by a quota
  mask may_run_on;
};

int first_on_my_node(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  return first;
}

std::vector<process> all_processes(const conversation& talk) {
  process me{first_on_my_node(talk.comm(), talk.rank()), false, {}};
  for (const int p : weir::affinity())
    if (static_cast<std::size_t>(p) < me.may_run_on.size()) me.may_run_on.set(static_cast<std::size_t>(p));
  me.limited = weir::usable_processors() < static_cast<double>(me.may_run_on.count());
  std::vector<process> processes(static_cast<std::size_t>(talk.size()));
  MPI_Allgather(&me, sizeof me, MPI_BYTE, processes.data(), sizeof me, MPI_BYTE, talk.comm());
  return processes;
}

// The first of p's processors that is not taken yet; -1: there is none.
int take_one(const process& p, mask& taken) {
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!p.may_run_on[i] || taken[i]) continue;
    taken.set(i);
    return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

site site_of(const conversation& talk, unsigned threads) {
  const std::vector<process> processes = all_processes(talk);
  std::map<int, mask> nodes, taken;
  for (const process& p : processes) nodes[p.node] |= p.may_run_on;
  site s;
  s.nodes = static_cast<unsigned>(nodes.size());
  for (const auto& [node, processors] : nodes) s.processors += static_cast<unsigned>(processors.count());
  for (std::size_t i = 0; s.nodes == 1 && i < mask().size() && s.pair.size() < 2; ++i)
    if (nodes.begin()->second[i]) s.pair.push_back(static_cast<int>(i));
  if (s.pair.size() < 2) s.pair.clear();
  s.dedicated = true;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const process& p = processes[rank];
    for (unsigned t = 0; t < threads; ++t) {
      const int processor = take_one(p, taken[p.node]);
      s.dedicated = s.dedicated && processor >= 0 && !p.limited;
      if (static_cast<int>(rank) == talk.rank()) s.of_mine.push_back(processor);
    }
  }
  if (!s.dedicated) s.of_mine.clear();
  const auto bound = [](const process& p) { return p.may_run_on.count() == 1; };
  s.pinned = s.dedicated || (threads == 1 && std::all_of(processes.begin(), processes.end(), bound));
  return s;
}

}  // namespace bench::mpi
