// Every algorithm, with and without shared memory, by every transport, keeps the contract: consecutive episodes, whole and split.
#include <weir/mpi.hpp>

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

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto episodes = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 20);
  check({}, 3 * episodes);
  for (const std::string& algorithm : weir::mpi::algorithms()) {
    for (const std::string& transport : weir::mpi::transports()) check({.algorithm = algorithm, .transport = transport}, episodes);
    check({.algorithm = algorithm, .within = algorithm}, episodes);  // one node: any plan may be within
  }
  check({.algorithm = "dissemination", .radix = 3}, episodes);
  check({.algorithm = "dissemination", .radix = 8}, episodes);
  check({.algorithm = "tree", .fan_in = 3, .fan_out = 5}, episodes);
  check({.algorithm = "mcs", .waiting = "mpi"}, episodes);
  if (checking::rank_in(MPI_COMM_WORLD) == 0) std::puts("kept");
  MPI_Finalize();
}
