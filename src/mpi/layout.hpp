// The parts of a barrier: the places of its processes, this process's route through the plan, and the carriers of its signals.
#pragma once

#include <mpi.h>

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
  mpi::choice choice_;
  route route_;
  std::unique_ptr<node_memory> memory_;
  std::unique_ptr<transport> transport_;
  bool failed_ = false;  // then nothing is returned to MPI any more

 private:
  struct draft;
  struct segment_report;

  void choose_route();
  node::segment make_segment() const;
  void attach(node::segment mine);
  void do_without_memory();
  void open_transport(steps& together);
  const std::vector<unsigned>& here() const { return places_.nodes[places_.node(rank_)]; }
  std::size_t bytes() const { return node_memory::bytes_for(here().size(), route_.lines); }

  std::unique_ptr<draft> draft_;  // until make() has finished
};

}  // namespace weir::mpi
