// Signals to another node, or to any process if memory is not shared.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/barriers/plan.hpp>

#include "route.hpp"

namespace weir::mpi {

/// Signals and awaits have the numbers that route.hpp gives them. Consecutive episodes need no parity: MPI keeps the order of
/// messages from one process to another, and flags hold the episode's number.
class transport {
 public:
  virtual ~transport() = default;
  /// Collective, before everything else: no process signals before it has returned in all processes.
  virtual void open() {}
  /// Before the first signal or await of an episode.
  virtual void begin(std::uint32_t episode) = 0;
  virtual void signal(unsigned index) = 0;
  virtual bool arrived(unsigned index) = 0;
  /// Waits as MPI does; returns false if the transport has no such call.
  virtual bool wait(unsigned) { return false; }
  /// Before a process leaves: afterwards none of its signals needs another call of its process to be delivered.
  virtual void finish() = 0;
};

/// MPI_Isend and MPI_Irecv in each episode [paper 004].
std::unique_ptr<transport> by_messages(MPI_Comm comm, const route& r);
/// Requests that are created once and started in each episode.
std::unique_ptr<transport> by_persistent_requests(MPI_Comm comm, const route& r);
/// MPI_Accumulate into a window of flags, which open() creates.
std::unique_ptr<transport> by_rma(MPI_Comm comm, const route& r, const std::vector<unsigned>& indices_at_receivers);

}  // namespace weir::mpi
