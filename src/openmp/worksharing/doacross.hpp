// doacross nests: loops whose iterations wait for each other, by ordered(n), depend(sink) and depend(source) [OpenMP 5.2, 15.9].
#pragma once

#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// Every member calls it with the same dimensions; the first member to call sets the nest up.
void begin_doacross(member& me, const dimension* dimensions, unsigned count);
/// `values`: the values of the loop variables, one for each dimension. Nobody waits for an iteration outside of the loop.
void post(member& me, const std::int64_t* values);
void wait_for(member& me, const std::int64_t* values);
/// Does nothing if the member is in no doacross nest.
void end_doacross(member& me);

}  // namespace weir::openmp
