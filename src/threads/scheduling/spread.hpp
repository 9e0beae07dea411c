// Which list of a hash table an address belongs to. Multiplication by the golden ratio spreads addresses that are any distance
// apart [Knuth, The Art of Computer Programming, volume 3, section 6.4].
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::threads {

/// Of 2^bits lists.
constexpr std::size_t spread(std::uint64_t address, unsigned bits) { return address * 0x9e3779b97f4a7c15u >> (64 - bits); }

}  // namespace weir::threads
