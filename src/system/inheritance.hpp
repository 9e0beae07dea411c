// What a thread gets from the thread that creates it, and what may differ between the threads of a process.
#pragma once

#include <array>
#include <cstdint>

namespace weir {

/// The control bits of floating-point arithmetic: rounding, precision, traps. Without the flags of exceptions.
std::uint64_t floating_point_control() noexcept;

struct inheritance {
  bool is_known = false;  // false: the system does not say it all
  std::uint64_t signals = 0;  // that it blocks
  std::uint64_t floating_point = 0;
  std::array<std::uint64_t, 16> processors{};
  std::array<std::uint64_t, 6> scheduling{};  // sched_getattr(2), but for the slice
  std::array<char, 16> name{};
  std::array<std::uint32_t, 6> capabilities{};
  // Credentials for files, what it may do less than others, memory policy, timer slack, priority of input and output,
  // personality.
  std::array<long, 8> others{};

  static inheritance of_this_thread() noexcept;
  /// Would the two threads create equal threads?
  friend bool operator==(const inheritance&, const inheritance&) = default;
};

}  // namespace weir
