#include "places.hpp"

#include <algorithm>
#include <map>

#include <weir/machine/processors.hpp>

#include "call.hpp"

namespace weir::mpi {

namespace {

constexpr std::size_t known_processors = 1024;
using mask = std::vector<unsigned char>;  // a byte for each processor

mask mask_here() {
  mask m(known_processors, 0);
  for (const int processor : affinity())
    if (static_cast<std::size_t>(processor) < known_processors) m[static_cast<std::size_t>(processor)] = 1;
  return m;
}

bool meet(const mask& a, const unsigned char* b) {
  for (std::size_t i = 0; i < known_processors; ++i)
    if (a[i] != 0 && b[i] != 0) return true;
  return false;
}

// How many processes may run where this one may, and on how many processors in all.
void count_company(MPI_Comm node, unsigned threads, places& p) {
  int size = 0;
  check(PMPI_Comm_size(node, &size), "counting a node's processes");
  const mask mine = mask_here();
  std::vector<unsigned char> all(static_cast<std::size_t>(size) * known_processors);
  check(PMPI_Allgather(mine.data(), known_processors, MPI_UNSIGNED_CHAR, all.data(), known_processors, MPI_UNSIGNED_CHAR, node),
        "gathering where a node's processes may run");
  mask theirs(known_processors, 0);
  unsigned company = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r) {
    const unsigned char* const other = &all[r * known_processors];
    if (!meet(mine, other)) continue;
    ++company;
    for (std::size_t i = 0; i < known_processors; ++i) theirs[i] = static_cast<unsigned char>(theirs[i] | other[i]);
  }
  const auto processors = static_cast<unsigned>(std::count(theirs.begin(), theirs.end(), 1));
  company = std::max(company, 1u);
  p.shared = company * threads > processors;
  p.processors = std::max(processors / company, 1u);
}

}  // namespace

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
  int rank = 0, size = 0;
  check(PMPI_Comm_rank(comm, &rank), "asking for the rank");
  check(PMPI_Comm_size(comm, &size), "asking for the size");
  places p;
  MPI_Comm node = MPI_COMM_NULL;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node), "finding who shares a node");
  int first = rank;
  check(PMPI_Bcast(&first, 1, MPI_INT, 0, node), "finding who shares a node");
  count_company(node, threads, p);
  check(PMPI_Comm_free(&node), "finding who shares a node");
  std::vector<int> firsts(static_cast<std::size_t>(size));
  check(PMPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, comm), "gathering who shares a node");
  std::map<int, unsigned> number;
  for (unsigned r = 0; r < firsts.size(); ++r) {
    const auto [place, fresh] = number.try_emplace(firsts[r], static_cast<unsigned>(p.nodes.size()));
    if (fresh) p.nodes.emplace_back();
    p.nodes[place->second].push_back(r);
    p.node_of.push_back(place->second);
  }
  return p;
}

}  // namespace weir::mpi
