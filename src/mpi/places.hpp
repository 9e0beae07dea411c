// Where the processes of a communicator are: which share a node, and how many there are for its processors.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::mpi {

/// What each process tells all others: its node, and where it may run.
struct card {
  static constexpr int known_processors = 1024;
  std::uint64_t node;
  std::uint64_t group;
  std::uint64_t threads;
  std::int64_t home;
  std::uint64_t processors[known_processors / 64];

  /// Of this process, of which so many threads will wait.
  static card here(unsigned threads);

  bool has(int processor) const { return ((processors[processor / 64] >> (processor % 64)) & 1u) != 0; }
  void add(int processor) { processors[processor / 64] |= std::uint64_t{1} << (processor % 64); }
  bool meets(const card& other) const;
};

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

/// Where the process of this rank finds all, by their cards. Pure.
places places_of(unsigned rank, const std::vector<card>& all);

/// What was shared out to this process is its home from now on, if it has none.
void settle_home(const places& p);

}  // namespace weir::mpi
