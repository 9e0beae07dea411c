// Where the processes of a measurement are, and whether their threads have processors of their own.
#pragma once

#include <vector>

#include "conversation.hpp"

namespace bench::mpi {

struct site {
  unsigned nodes = 1;
  unsigned processors = 0;   ///< of all nodes, that any of the processes may run on
  bool dedicated = false;    ///< there is a processor for each thread of each process
  bool pinned = false;       ///< each thread has but one that it runs on
  std::vector<int> of_mine;  ///< where dedicated: the processor of each thread of this process
  std::vector<int> pair;     ///< the first two processors, where there are no more nodes than one; else none
};

/// All processes.
site site_of(const conversation& talk, unsigned threads);

}  // namespace bench::mpi
