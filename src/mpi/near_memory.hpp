// Memory that the processes of a node share: their flags, and their roll.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/machine/machine.hpp>

#include "roll.hpp"
#include "waiting.hpp"

namespace weir::mpi {

/// A piece of memory by a number that other processes of the node find it by. It has no name: when the last process that has it is
/// gone, so is it, however they end.
class segment {
 public:
  segment() = default;
  /// Zeros.
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
  int error() const { return error_; }  ///< errno's, where it could not be had

 private:
  void attach();

  void* at_ = nullptr;
  int number_ = -1, error_ = 0;
};

class near_memory {
 public:
  /// How much `people` processes of a node need for flags on so many lines.
  static std::size_t bytes_for(std::size_t people, unsigned lines) { return people * sizeof(roll::person) + lines * sizeof(line); }

  /// For the flags that lie on these lines, and the process of this index among so many.
  near_memory(segment memory, unsigned index, unsigned people, const std::vector<unsigned>& flag_line);

  using flag = processes::word<std::uint32_t>;  // the number of the episode in which it was last signalled
  flag& at(unsigned index) { return *flags_[index]; }
  processes::gate& gate_of(unsigned index) { return line_of_[index]->gate; }
  roll& people() { return people_; }

 private:
  struct alignas(line_bytes) line {
    flag flags[slots_per_line];
    processes::gate gate;
  };

  const segment memory_;
  roll people_;
  line* const lines_;
  std::vector<flag*> flags_;
  std::vector<line*> line_of_;
};

}  // namespace weir::mpi
