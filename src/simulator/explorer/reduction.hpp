// Partial-order reduction: which members' moves are enough in a state.
//
// A persistent set [Godefroid 1996, section 4.5, stubborn sets over whole processes]: whatever the
// members outside do, it neither uses what the next moves of those inside use, nor lets one of them go
// on. In a graph without cycles that keeps one interleaving of each trace, hence every local state and
// every deadlock. That is enough: clocks are the same in all interleavings of a trace, and who leaves
// too early in one of them leaves without synchronization in all.
//
// What a member may use later is guessed from all that it has been seen to use so far (footprints). A
// search that comes upon anything else has to begin anew; one that does not was right to trust the
// guess: the first wrong step of a trace would be a local state of the part that was searched.
#pragma once

#include <vector>

#include "rules.hpp"

namespace weir::explorer {

/// The moves to try in `s`: some of them or all. `all` is what rules::moves gives.
void reduce(rules& r, const state& s, const std::vector<move>& all, std::vector<move>& chosen);

}  // namespace weir::explorer
