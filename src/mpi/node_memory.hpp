// Memory that the processes of a node share: their flags, and the table of which of them are alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/machine/machine.hpp>

#include "barriers/trials.hpp"
#include "node/liveness.hpp"
#include "node/segment.hpp"
#include "waiting.hpp"

namespace weir::mpi {

class node_memory {
 public:
  /// The size for this number of processes, with flags on this number of lines.
  static std::size_t bytes_for(std::size_t count, unsigned lines) {
    return count * sizeof(node::liveness::entry) + sizeof(board) + lines * sizeof(line);
  }

  /// `flag_line`: the line of each flag. `index`: this process among the `count` processes of the node.
  node_memory(node::segment memory, unsigned index, unsigned count, const std::vector<unsigned>& flag_line);

  using flag = processes::word<std::uint32_t>;  // the number of the episode in which it was last signalled
  flag& at(unsigned index) { return *flags_[index]; }
  processes::gate& gate_of(unsigned index) { return line_of_[index]->gate; }
  node::liveness& alive() { return liveness_; }
  /// What a process tells the others: written before it arrives at an episode, and read after that episode.
  trials::course& told() { return board_->course; }

 private:
  struct alignas(line_bytes) board {
    trials::course course;
  };
  struct alignas(line_bytes) line {
    flag flags[slots_per_line];
    processes::gate gate;
  };

  const node::segment memory_;
  node::liveness liveness_;
  board* const board_;
  line* const lines_;
  std::vector<flag*> flags_;
  std::vector<line*> line_of_;
};

}  // namespace weir::mpi
