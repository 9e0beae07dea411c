// Every algorithm keeps the contract, with and without shared memory, with every transport, in whole and split episodes.
//
//   contract-MPI [EPISODES [ALGORITHM...]]   algorithms: only these, and the default
#include <weir/mpi.hpp>

#include <algorithm>
#include <thread>

#include "checking.hpp"

namespace {

void check(const weir::mpi::options& how, unsigned episodes, MPI_Comm comm = MPI_COMM_WORLD) {
  const std::string what = how.algorithm + ", within " + how.within + ", by " + how.transport + ", waiting " + how.waiting +
                           (comm == MPI_COMM_WORLD ? "" : ", of every other process");
  weir::mpi::barrier b(comm, how);
  checking::require(checking::keeps(comm, episodes, [&] { b.arrive_and_wait(); }), what);
  checking::require(checking::keeps(comm, episodes, [&] { b.arrive_and_wait(); }, false), what + ", nobody late");
  unsigned looks = 0;
  checking::require(checking::keeps(comm, episodes,
                                    [&] {
                                      b.begin();
                                      while (++looks % 5 != 0 && !b.test()) sched_yield();
                                      b.end();
                                    }),
                    what + ", in two halves");
}

bool on_one_node(int processes) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  return here == processes;
}

// MPICH spins while it waits. If processes share processors, its windows and MPI_Wait take a time slice for each process.
bool mpi_spins(int processes) {
#ifdef MPICH_VERSION
  return processes > static_cast<int>(std::thread::hardware_concurrency());
#else
  return processes < 0;
#endif
}

void check_shapes(unsigned episodes, bool one_node) {
  if (one_node) check({.within = "combination"}, episodes);
  check({.algorithm = "dissemination", .radix = 3}, episodes);
  check({.algorithm = "dissemination", .radix = 8}, episodes);
  check({.algorithm = "tree", .fan_in = 3, .fan_out = 5}, episodes);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto episodes = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 20);
  const std::vector<std::string> only(argv + std::min(argc, 2), argv + argc);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool spins = mpi_spins(size), one_node = on_one_node(size);
  check({}, 3 * episodes);
  MPI_Comm other;  // every other process, in the opposite order
  const int rank = checking::rank_in(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &other);
  check({}, episodes, other);
  for (const std::string& algorithm : only.empty() ? weir::mpi::algorithms() : only) {
    check({.algorithm = algorithm, .transport = "messages"}, episodes);
    // Making a barrier takes MPICH time slices too, so many barriers are made with a few processes only.
    if (spins && size > 8) continue;
    check({.algorithm = algorithm}, episodes, other);
    check({.algorithm = algorithm, .transport = "persistent"}, episodes);
    if (!spins) check({.algorithm = algorithm, .transport = "rma"}, episodes);
    // With several nodes the plan within a node must have two halves.
    const bool whole = algorithm == "dissemination" || algorithm == "butterfly";
    check({.algorithm = algorithm, .within = one_node || !whole ? algorithm : "linear"}, episodes);
  }
  if (only.empty() && !(spins && size > 8)) check_shapes(episodes, one_node);
  if (spins) {
    if (size <= 4) check({.algorithm = "tournament", .transport = "rma"}, 2);
    if (size <= 4) check({.algorithm = "mcs", .waiting = "mpi"}, 2);
  } else {
    check({.algorithm = "mcs", .waiting = "mpi"}, episodes);
  }
  MPI_Comm_free(&other);
  if (rank == 0) {
    std::puts("kept");
    std::fflush(stdout);  // MPICH may not return from MPI_Finalize if hosts are far apart
  }
  MPI_Finalize();
}
