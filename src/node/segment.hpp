// A piece of memory that processes of a node share by its number.
#pragma once

#include <cstddef>
#include <utility>

namespace weir::node {

/// It has no name: the system frees it when the last process that has it attached ends, in whatever way.
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

}  // namespace weir::node
