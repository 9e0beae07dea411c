// The floor of a barrier on a machine: what no barrier can be faster than there, by the numbers of the machine's file.
//
// All members arrive at the same moment, and none may leave before it knows of all arrivals. What one member has said reaches
// another by the transfer of a line, which takes at least as long as the nearest ring around both says. While one transfer within
// a ring is under way, a member can fetch at most as many lines as its processor has misses in flight, each from another member
// of the ring; what its own part of the ring, the next smaller group, tells it meanwhile is taken to cost nothing. At least one
// transfer crosses the outermost ring. The floor is the shortest path of transfers by which a member can have heard of all.
//
// It is a bound, and no plan for a barrier. It does not count that a line serves one request at a time, nor that a waiter polls:
// its copy must be invalidated before it sees another value, so each signal is two transfers long.
#pragma once

#include "model.hpp"

namespace weir::simulator {

/// Of a barrier of the first `members` processors.
time floor_of_barrier(const machine_model& m, unsigned members);

/// Of a parallel region: one transfer at least brings the region to the farthest member, and member 0 then learns of all
/// arrivals.
time floor_of_region(const machine_model& m, unsigned members);

}  // namespace weir::simulator
