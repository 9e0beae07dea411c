// A world of the processes of MPI_COMM_WORLD.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "world.hpp"

namespace aspcg {

world::world(int& count, char**& words) {
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "aspcg: this MPI has no MPI_THREAD_FUNNELED, which programs with threads need\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

world::~world() { MPI_Finalize(); }

void world::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

std::uint64_t world::sum(std::uint64_t of_mine) const {
  std::uint64_t total = 0;
  MPI_Allreduce(&of_mine, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

double world::sum(double of_mine) const {
  double total = 0;
  MPI_Allreduce(&of_mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

double world::largest(double of_mine) const {
  double most = 0;
  MPI_Allreduce(&of_mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

void world::gather(std::span<double> values, std::span<const int> first) const {
  std::vector<int> counts;
  for (std::size_t r = 0; r + 1 < first.size(); r++) counts.push_back(first[r + 1] - first[r]);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, values.data(), counts.data(), first.data(), MPI_DOUBLE, MPI_COMM_WORLD);
}

void world::exchange(std::span<const double> to_below, std::span<double> from_below, std::span<const double> to_above,
                     std::span<double> from_above) const {
  const int below = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL, above = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL;
  const auto turn = [](std::span<const double> out, int to, std::span<double> in, int from) {
    MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_DOUBLE, to, 0, in.data(), static_cast<int>(in.size()),
                 MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  turn(to_below, below, from_above, above);
  turn(to_above, above, from_below, below);
}

}  // namespace aspcg
