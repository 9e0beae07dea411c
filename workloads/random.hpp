// Random values that are the same with every standard library: the standard prescribes the generators, but not the distributions.
#pragma once

#include <cstdint>
#include <random>

namespace workloads {

/// Uniform in [-1, 1).
inline double draw_signed(std::mt19937_64& from) {
  return static_cast<double>(static_cast<std::int64_t>(from()) >> 11) / static_cast<double>(std::int64_t{1} << 52);
}

/// Uniform in 0 .. below-1, apart from a deviation of below / 2^32.
inline std::uint32_t draw_below(std::mt19937_64& from, std::uint32_t below) {
  return static_cast<std::uint32_t>(((from() >> 32) * below) >> 32);
}

}  // namespace workloads
