// The parts of a barrier: the places of its processes, this process's ways through the barrier, and the carriers of its signals.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/mpi.hpp>

#include "communicator.hpp"
#include "node_memory.hpp"
#include "places.hpp"
#include "route.hpp"
#include "steps.hpp"
#include "transport.hpp"

namespace weir::mpi {

/// A choice, and this process's route through its plan. Each has flags and messages of its own.
struct way {
  mpi::choice choice;
  mpi::route route;
  std::unique_ptr<mpi::transport> transport;
  std::uint32_t episode = 0;  // how many have gone this way
};

class layout {
 public:
  layout(MPI_Comm of, const options& how, unsigned threads);
  ~layout();
  /// Collective, once, after all processes have constructed theirs.
  void make(steps& together);

 protected:
  unsigned rank_ = 0;
  own_communicator comm_;
  places places_;
  std::vector<way> ways_;  // the usual one, and those that "auto" may try; all processes have the same
  std::unique_ptr<node_memory> memory_;
  bool failed_ = false;  // then nothing is returned to MPI any more

 private:
  struct draft;
  struct segment_report;

  void choose_routes();
  void add_way(const mpi::choice& c);
  node::segment make_segment() const;
  void attach(node::segment own_memory);
  void do_without_memory();
  void open_transport(steps& together);
  const std::vector<unsigned>& here() const { return places_.nodes[places_.node(rank_)]; }
  std::size_t bytes() const { return node_memory::bytes_for(here().size(), ways_.back().route.lines); }

  std::unique_ptr<draft> draft_;  // until make() has finished
};

}  // namespace weir::mpi
