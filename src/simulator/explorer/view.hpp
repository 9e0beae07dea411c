// What a member may still read under weak memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "digest.hpp"

namespace weir::explorer {

/// For weak memory: for each slot the number of the oldest value that may still be read there, by a member or by the acquirer of
/// a value. Numbers begin at the oldest value that any member may still read.
class view {
 public:
  static constexpr unsigned capacity = 64;  // slots
  static constexpr unsigned most_values = 255;

  unsigned of(std::uint32_t slot) const { return oldest_[slot]; }
  void reach(std::uint32_t slot, std::size_t number) {
    oldest_[slot] = std::max(oldest_[slot], static_cast<std::uint8_t>(number));
  }
  void join(const view& other) {
    for (std::uint32_t i = 0; i < capacity; ++i) oldest_[i] = std::max(oldest_[i], other.oldest_[i]);
  }
  void forget(std::uint32_t slot, unsigned values) {
    oldest_[slot] = static_cast<std::uint8_t>(oldest_[slot] - std::min<unsigned>(oldest_[slot], values));
  }
  /// Only what the other does not know.
  void leave_out(const view& other) {
    for (std::uint32_t i = 0; i < capacity; ++i)
      if (oldest_[i] <= other.oldest_[i]) oldest_[i] = 0;
  }
  friend bool operator==(const view&, const view&) = default;
  /// The first `slots` slots count; the others are unused.
  void add_to(digester& d, std::size_t slots) const {
    d.add(oldest_.data(), std::min<std::size_t>(capacity, (slots + 7) / 8 * 8));
  }

 private:
  std::array<std::uint8_t, capacity> oldest_{};
};

}  // namespace weir::explorer
