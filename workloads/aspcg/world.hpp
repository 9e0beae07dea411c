// The processes that solve the problem together: one alone (alone.cpp), or those of MPI_COMM_WORLD (over_mpi.cpp). Only the
// thread that made it may call it.
#pragma once

#include <cstdint>
#include <span>

namespace aspcg {

class world {
 public:
  world(int& count, char**& words);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  void barrier() const;
  std::uint64_t sum(std::uint64_t of_mine) const;
  double sum(double of_mine) const;  // in any order
  double largest(double of_mine) const;

  /// `values` is the parts of all processes, the part of rank r from first[r] to before first[r + 1]. Each has set its own.
  void gather(std::span<double> values, std::span<const int> first) const;

  /// With the ranks below and above, where there are such.
  void exchange(std::span<const double> to_below, std::span<double> from_below, std::span<const double> to_above,
                std::span<double> from_above) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace aspcg
