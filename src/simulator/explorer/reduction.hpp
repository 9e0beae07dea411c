// Partial-order reduction: which members' moves suffice in a state.
//
// A persistent set [Godefroid 1996, section 4.5, stubborn sets over whole processes]: no move of the members outside the set uses
// what the next moves of those inside use, or enables one of them. In an acyclic graph this keeps one interleaving of each trace,
// hence every local state and every deadlock. That suffices: clocks are the same in all interleavings of a trace, and a member
// that leaves too early in one of them leaves unsynchronized in all.
//
// What a member may use later is estimated from everything that it has used so far (footprints). A search that finds another use
// starts again. A search that does not was correct: the first wrong step of a trace would be a local state of the searched part.
#pragma once

#include <vector>

#include "rules.hpp"

namespace weir::explorer {

/// Do no moves of others depend on the next move of this member? Then its moves suffice. If it has also moved last, this costs no
/// preemption: it goes on at once rather than later.
bool is_independent(rules& r, const state& s, unsigned member);

/// The moves to try in `s`: a subset of `moves`, the result of rules::moves.
void reduce(rules& r, const state& s, const std::vector<move>& moves, std::vector<move>& chosen);

}  // namespace weir::explorer
