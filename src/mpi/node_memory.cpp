#include "node_memory.hpp"

#include <utility>

namespace weir::mpi {

node_memory::node_memory(node::segment memory, unsigned index, unsigned count, const std::vector<unsigned>& flag_line)
    : memory_(std::move(memory)),
      liveness_(static_cast<node::liveness::entry*>(memory_.at()), count, index),
      board_(reinterpret_cast<board*>(static_cast<node::liveness::entry*>(memory_.at()) + count)),
      lines_(reinterpret_cast<line*>(board_ + 1)) {
  // The memory is zeros, the initial value of all words and gates.
  std::vector<unsigned> used;
  for (const unsigned l : flag_line) {
    if (l >= used.size()) used.resize(l + 1, 0);
    flags_.push_back(&lines_[l].flags[used[l]++]);
    line_of_.push_back(&lines_[l]);
  }
}

}  // namespace weir::mpi
