// Memory that the processes of a node share: their flags, and the table of which of them are alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/machine/machine.hpp>

#include "liveness.hpp"
#include "waiting.hpp"

namespace weir::mpi {

/// A piece of memory that other processes of the node find by its number. It has no name: the system frees it when the last process
/// that has it attached ends, in whatever way.
class segment {
 public:
  segment() = default;
  /// Filled with zeros.
  static segment make(std::size_t bytes);
  static segment of(int number);
  segment(segment&& other) noexcept { *this = std::move(other); }
  segment& operator=(segment&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(number_, other.number_);
    std::swap(error_, other.error_);
    return *this;
  }
  ~segment();

  explicit operator bool() const { return at_ != nullptr; }
  void* at() const { return at_; }
  int number() const { return number_; }
  int error() const { return error_; }  ///< errno, if the segment could not be had

 private:
  void attach();

  void* at_ = nullptr;
  int number_ = -1, error_ = 0;
};

class node_memory {
 public:
  /// The size for this number of processes, with flags on this number of lines.
  static std::size_t bytes_for(std::size_t count, unsigned lines) { return count * sizeof(liveness::entry) + lines * sizeof(line); }

  /// `flag_line`: the line of each flag. `index`: this process among the `count` processes of the node.
  node_memory(segment memory, unsigned index, unsigned count, const std::vector<unsigned>& flag_line);

  using flag = processes::word<std::uint32_t>;  // the number of the episode in which it was last signalled
  flag& at(unsigned index) { return *flags_[index]; }
  processes::gate& gate_of(unsigned index) { return line_of_[index]->gate; }
  liveness& alive() { return liveness_; }

 private:
  struct alignas(line_bytes) line {
    flag flags[slots_per_line];
    processes::gate gate;
  };

  const segment memory_;
  liveness liveness_;
  line* const lines_;
  std::vector<flag*> flags_;
  std::vector<line*> line_of_;
};

}  // namespace weir::mpi
