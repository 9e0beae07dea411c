// Which processors each program gets: a function of what the programs say, so that all programs that read the same find the same.
//
// Shares are equal for programs, not for their threads: the round-robin job policy of Leutenegger and Vernon (1990, in paper 000,
// section 2), with weights. A program takes no more virtual processors than it is granted (process control, Tucker and Gupta
// 1989), and has the processors for itself (hardware partitions, paper 000).
//
// A share is seldom a whole number. Another program has the processor that is left over at each turn: of 8 processors, three
// programs have 3, 3 and 2; then 3, 2 and 3; then 2, 3 and 3. A program whose share is less than a processor has one in some
// turns, and waits in the others (time slices for whole programs: coscheduling, Ousterhout 1982).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/processor_set.hpp"

namespace weir::node {

inline constexpr unsigned most_weight = 100;

/// What a program asks for. Programs that compute nothing now do not ask.
struct claim {
  unsigned weight = 1;         // 1 to most_weight
  unsigned wants = 1;          // processors
  processor_set may_use;       // its affinity mask
  processor_set holds;         // what it was granted last, which it keeps as far as its share allows
};

struct grant {
  processor_set processors;
  bool alone = true;  // no other program has one of them that does not wait
  bool waits = false;  // others have their turn. What of the program does not wait shares the processor of one of them
  bool operator==(const grant&) const = default;
};

/// For each claim a grant, in order, of at least one processor, unless it may use none. No processor is granted twice, except to
/// programs that wait, or that could have none otherwise. `turn`: a number that grows with time.
std::vector<grant> grants(std::span<const claim> claims, std::uint64_t turn);

/// The real share of each claim in units of 2^-32 of a processor, if all might use any of `processors`: by weight, and what
/// a program does not want goes to the others by weight.
std::vector<std::uint64_t> shares(std::span<const claim> claims, unsigned processors);

}  // namespace weir::node
