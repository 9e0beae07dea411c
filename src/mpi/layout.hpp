// What a barrier has when it is made: where its processes are, the way of this one through the plan, and what the signals go by.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include <weir/mpi.hpp>

#include "communicator.hpp"
#include "far.hpp"
#include "near_memory.hpp"
#include "places.hpp"
#include "route.hpp"
#include "steps.hpp"

namespace weir::mpi {

class layout {
 public:
  layout(MPI_Comm of, const options& how, unsigned threads);
  ~layout();
  /// Collective, once, when all processes have come so far.
  void make(steps& together);

 protected:
  unsigned rank_ = 0;
  own_communicator comm_;
  places places_;
  mpi::choice choice_;
  route route_;
  std::unique_ptr<near_memory> memory_;
  std::unique_ptr<far_side> far_;
  bool failed_ = false;  // nothing is given back to MPI any more

 private:
  struct draft;
  struct ticket;

  void settle();
  segment make_segment() const;
  void attach(segment mine);
  void do_without_memory();
  void open_far_side(steps& together);
  const std::vector<unsigned>& here() const { return places_.nodes[places_.node(rank_)]; }
  std::size_t bytes() const { return near_memory::bytes_for(here().size(), route_.lines); }

  std::unique_ptr<draft> draft_;  // until all is laid out
};

}  // namespace weir::mpi
