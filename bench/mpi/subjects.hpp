// The subjects of a measurement over MPI: barriers that the threads of all processes pass repeatedly.
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
  /// Contains the loop around the barrier's call, so that no call through a pointer is measured.
  virtual void run(unsigned thread, std::uint64_t episodes) = 0;
  /// The default's choice, and the reason; null for other implementations.
  virtual nlohmann::json choice() const { return nullptr; }
};

/// Called in all processes. Throws std::invalid_argument for an unknown subject, or one that does not exist for this number of
/// threads or processes.
std::unique_ptr<subject> make(const std::string& id, unsigned threads, int processes);

}  // namespace bench::mpi
