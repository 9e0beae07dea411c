// Signals that go to another node, or to any process where memory is not shared.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/barriers/plan.hpp>

#include "route.hpp"

namespace weir::mpi {

/// Signals and awaits are numbered as route.hpp numbers them. Consecutive episodes need no parity: MPI keeps the order of messages
/// from one process to another, and flags hold the episode's number.
class far_side {
 public:
  virtual ~far_side() = default;
  /// Collective, before all else: nobody signals before it has returned everywhere.
  virtual void open() {}
  /// Before the first signal or await of an episode.
  virtual void begin(std::uint32_t episode) = 0;
  virtual void signal(unsigned index) = 0;
  virtual bool arrived(unsigned index) = 0;
  /// Waits as MPI does; false where it has nothing to wait by.
  virtual bool wait(unsigned) { return false; }
  /// Before a process leaves: nothing that it has signalled waits for its next call.
  virtual void finish() = 0;
};

/// MPI_Isend and MPI_Irecv in each episode [paper 004].
std::unique_ptr<far_side> by_messages(MPI_Comm comm, const route& r);
/// Requests that are made once and started in each episode.
std::unique_ptr<far_side> by_persistent_requests(MPI_Comm comm, const route& r);
/// MPI_Accumulate into a window of flags, which open() makes.
std::unique_ptr<far_side> by_rma(MPI_Comm comm, const route& r, const std::vector<unsigned>& indices_at_receivers);

}  // namespace weir::mpi
