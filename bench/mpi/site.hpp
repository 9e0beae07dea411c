// Where the processes of a measurement are, and whether their threads have processors of their own.
#pragma once

#include <vector>

#include "conversation.hpp"

namespace bench::mpi {

struct site {
  unsigned nodes = 1;
  unsigned processors = 0;   ///< processors of all nodes on which any of the processes may run
  bool dedicated = false;    ///< there is a processor for each thread of each process
  bool pinned = false;       ///< each thread may run on one processor only
  std::vector<int> of_mine;  ///< if dedicated: the processor of each thread of this process
  std::vector<int> pair;     ///< the first two processors, on one node; empty with several nodes
};

/// All processes.
site site_of(const conversation& talk, unsigned threads);

}  // namespace bench::mpi
