// Every algorithm, with and without shared memory, by every transport, keeps the contract: consecutive episodes, whole and split.
//
//   contract-MPI [EPISODES [ALGORITHM...]]   algorithms: only these, and the default
#include <weir/mpi.hpp>

#include <algorithm>

#include "checking.hpp"

namespace {

void check(const weir::mpi::options& how, unsigned episodes) {
  const std::string what = how.algorithm + ", within " + how.within + ", by " + how.transport + ", waiting " + how.waiting;
  weir::mpi::barrier b(MPI_COMM_WORLD, how);
  checking::require(checking::keeps(MPI_COMM_WORLD, episodes, [&] { b.arrive_and_wait(); }), what);
  checking::require(checking::keeps(MPI_COMM_WORLD, episodes, [&] { b.arrive_and_wait(); }, false), what + ", nobody late");
  unsigned looks = 0;
  checking::require(checking::keeps(MPI_COMM_WORLD, episodes,
                                    [&] {
                                      b.begin();
                                      while (++looks % 5 != 0 && !b.test()) sched_yield();
                                      b.end();
                                    }),
                    what + ", in two halves");
}

bool one_node() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int all = 0, here = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  return here == all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto episodes = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 20);
  const bool any_within = one_node();
  check({}, 3 * episodes);
  const std::vector<std::string> only(argv + std::min(argc, 2), argv + argc);
  for (const std::string& algorithm : only.empty() ? weir::mpi::algorithms() : only) {
    for (const std::string& transport : weir::mpi::transports()) check({.algorithm = algorithm, .transport = transport}, episodes);
    const bool halved = algorithm != "dissemination" && algorithm != "butterfly";
    check({.algorithm = algorithm, .within = any_within || halved ? algorithm : "linear"}, episodes);
  }
  check({.algorithm = "mcs", .waiting = "mpi"}, episodes);
  if (only.empty()) {
    check({.algorithm = "dissemination", .radix = 3}, episodes);
    check({.algorithm = "dissemination", .radix = 8}, episodes);
    check({.algorithm = "tree", .fan_in = 3, .fan_out = 5}, episodes);
  }
  if (checking::rank_in(MPI_COMM_WORLD) == 0) {
    std::puts("kept");
    std::fflush(stdout);  // MPICH may not come back from MPI_Finalize where hosts are far apart
  }
  MPI_Finalize();
}
