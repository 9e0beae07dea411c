// What is measured over MPI: something that the threads of all processes pass, again and again.
//
//   weir                    the default
//   weir:mcs                by name, by messages;  weir:mcs/rma, weir:mcs/persistent: by that transport
//   weir:mcs/shared         by name, through the memory that the processes of a node share
//   MPI_Barrier, MPI_Ibarrier (with MPI_Wait)
//   team                    threads and processes together, the default
//   team:sense+mcs          by names: of the threads, and of the processes as above (auto, mcs, mcs/shared ...)
//   omp                     #pragma omp barrier, of one process
//   omp+MPI_Barrier         #pragma omp barrier; thread 0: MPI_Barrier; #pragma omp barrier
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace bench::mpi {

class subject {
 public:
  virtual ~subject() = default;
  /// The loop is in here, beside the barrier's own call: no call through a pointer is measured.
  virtual void run(unsigned thread, std::uint64_t episodes) = 0;
  /// What the default took, and why; null for those of others.
  virtual nlohmann::json choice() const { return nullptr; }
};

/// All processes. Throws std::invalid_argument for what is no subject, or none of so many threads or processes.
std::unique_ptr<subject> make(const std::string& id, unsigned threads, int processes);

}  // namespace bench::mpi
