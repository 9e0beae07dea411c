// Prints the default barrier, and the processes that it found on each host, one line each.
//   choice [WITHIN]
#include <weir/mpi.hpp>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>

#include "checking.hpp"

namespace {

using name = std::array<char, 64>;

void print(const weir::mpi::choice& c, const std::vector<name>& host_of) {
  std::printf("%s; within a host: %s; by %s (%s)\n", c.algorithm.c_str(), c.within.c_str(), c.transport.c_str(),
              c.reason.c_str());
  std::map<std::string, std::string> ranks;
  for (std::size_t r = 0; r < host_of.size(); ++r) ranks[host_of[r].data()] += " " + std::to_string(r);
  for (const auto& [machine, numbers] : ranks) std::printf("%s:%s\n", machine.c_str(), numbers.c_str());
  std::fflush(stdout);  // MPICH may not return from MPI_Finalize if hosts are far apart
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  name own{};
  gethostname(own.data(), own.size() - 1);
  std::vector<name> host_of(static_cast<std::size_t>(size));
  MPI_Gather(own.data(), own.size(), MPI_CHAR, host_of.data(), own.size(), MPI_CHAR, 0, MPI_COMM_WORLD);
  {
    weir::mpi::barrier b(MPI_COMM_WORLD, {.within = argc > 1 ? argv[1] : "auto"});
    b.arrive_and_wait();
    if (b.rank() == 0) print(b.choice(), host_of);
  }
  MPI_Finalize();
}
