// Where the processes of a communicator are: which processes share a node, and how many share the node's processors.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::mpi {

/// What each process tells all others: its node, and where it may run.
struct process_info {
  static constexpr int known_processors = 1024;
  std::uint64_t node;
  std::uint64_t group;
  std::uint64_t threads;
  std::int64_t home;
  std::uint64_t processors[known_processors / 64];
  std::uint64_t profile;  ///< a digest of what this process takes from its machine's profile; 0: nothing
  std::uint64_t tried;    ///< the processors for which the profile is
  std::uint64_t learns;   ///< may "auto" try other plans (WEIR_ADAPT)?

  /// Of this process, in which `threads` threads will wait, and which wants to learn.
  static process_info here(unsigned threads, bool learns);

  bool has(int processor) const { return ((processors[processor / 64] >> (processor % 64)) & 1u) != 0; }
  void add(int processor) { processors[processor / 64] |= std::uint64_t{1} << (processor % 64); }
  bool meets(const process_info& other) const;
};

struct places {
  std::vector<std::vector<unsigned>> nodes;  ///< the ranks of each node, in order; nodes in the order of their first ranks
  std::vector<unsigned> node_of;             ///< for each rank
  bool oversubscribed = false;  ///< does any process of the communicator share its processors? The same value in all processes.
  bool shared = false;          ///< does this process: are there more processes (times threads) than processors where it may run?
  double sharers = 1;           ///< waiting threads per processor where this process may run; at least 1
  /// Whether the system's scheduler puts those that share processors into different groups. Then a yield does not always give the
  /// processor to them.
  bool scheduled_apart = false;
  /// Have all processes the same profile, and do those of each node run on as many processors as it is for? All processes must
  /// choose the same plan, and profiles may differ between nodes. The same value in all processes.
  bool one_profile = false;
  bool learn = false;           ///< may "auto" try other plans in all of them? The same value in all processes.
  std::vector<int> processors;  ///< those assigned to this process, if processors are shared
  std::vector<std::vector<unsigned>> seats;  ///< the ranks of this node, by their assigned processor

  unsigned node(unsigned rank) const { return node_of[rank]; }
  /// The same processes, each on a node of its own: for processes that turn out to share no memory.
  places apart() const;
};

/// The processor that was assigned to this process by its first barrier with shared processors; -1: none yet.
int home();

/// The places of all processes, as seen by the process of this rank. Pure.
places places_of(unsigned rank, const std::vector<process_info>& processes);

/// Makes the processor that was assigned to this process its home, if it has none.
void remember_home(const places& p);

}  // namespace weir::mpi
