// The word that releases the workers of a crew into a region (fork_join.hpp): an episode, and the size of the episode's team.
#pragma once

#include <cstdint>

namespace weir::openmp {

namespace release_word {
inline constexpr std::uint32_t everyone = 0xffff;
constexpr std::uint64_t of(std::uint32_t episode, std::uint32_t size) { return static_cast<std::uint64_t>(episode) << 16 | size; }
constexpr std::uint32_t size_in(std::uint64_t word) { return static_cast<std::uint32_t>(word & 0xffff); }
constexpr std::uint32_t episode_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 16); }
}  // namespace release_word

}  // namespace weir::openmp
