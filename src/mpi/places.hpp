// Where the processes of a communicator are: which share a node, and how many there are for its processors.
#pragma once

#include <mpi.h>

#include <vector>

namespace weir::mpi {

struct places {
  std::vector<std::vector<unsigned>> nodes;  ///< the ranks of each node, in order; nodes in the order of their first ranks
  std::vector<unsigned> node_of;             ///< for each rank
  bool crowded = false;         ///< does any process of the communicator share its processors? All know the same.
  bool shared = false;          ///< does this one: are there more processes (times threads) than processors where this one may run?
  double sharers = 1;           ///< threads that wait for each processor where this one may run; at least 1
  /// Does the system's scheduler put those that share processors into different groups? Then giving a processor away does not
  /// always give it to them.
  bool strangers = false;
  std::vector<int> processors;  ///< of this process, where they are shared: on which it should live
  std::vector<std::vector<unsigned>> seats;  ///< the ranks of this node by the processor that they live on

  unsigned node(unsigned rank) const { return node_of[rank]; }
  /// The same processes, each on a node of its own: where they turn out to share no memory.
  places apart() const;
};

/// The processor that this process was given to live on, by the first barrier that shared one; -1: none yet.
int home();

/// Collective. `threads`: of each process that will wait.
places places_of(MPI_Comm comm, unsigned threads);

}  // namespace weir::mpi
