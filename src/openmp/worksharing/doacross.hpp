// Loops whose iterations wait for each other: ordered(n), depend(sink), depend(source) [OpenMP 5.2, 15.9].
#pragma once

#include <vector>

#include "openmp/core/slot.hpp"
#include "openmp/core/team.hpp"

namespace weir::openmp {

struct dimension {
  std::int64_t first, last, step;
  std::uint64_t trips;
};

/// One byte for each iteration of all dimensions: has it been posted?
struct doacross : slot {
  std::vector<dimension> dimensions;
  std::atomic<std::uint8_t>* posted = nullptr;
  gate somebody_posted;
};

/// Every member calls it with the same dimensions; the first one's count.
void begin_doacross(member& me, const dimension* dimensions, unsigned count);
/// `values`: of the loops' variables, one for each dimension. An iteration outside of the loop is not waited for.
void post(member& me, const std::int64_t* values);
void wait_for(member& me, const std::int64_t* values);
/// Nothing where the member is in none.
void end_doacross(member& me);

}  // namespace weir::openmp
