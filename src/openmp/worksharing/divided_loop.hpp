// Loops of which each member has a part: dynamic and guided loops, unless they are monotonic [OpenMP 5.2, 11.5.3].
//
// A member takes chunks from the beginning of its own part; if this part is empty, it steals half of another member's part. It
// takes up to eight chunks at a time, and executes them one by one without an atomic operation. Nobody can steal these chunks, so
// they are at most an eighth of the rest of the part, and the first chunk of the loop is taken alone.
//
// The loop's last chunk is in no part: the first member that finds all parts empty executes it, and nothing after it. Compilers
// rely on that: code for lastprivate copies what the member has computed last, if its last chunk is the loop's.
#pragma once

#include "openmp/core/team.hpp"

namespace weir::openmp {

/// Called by the first member to enter: decides whether the loop is divided, and among which members.
void divide(loop& l, unsigned members);
/// Called by each member before its first chunk.
void begin_part(member& me);
/// The next chunks for the member, if those that it has claimed are all executed; none at the end of the loop.
iterations next_of_divided(member& me);

/// The first of the chunks that the member has claimed.
inline iterations first_claimed(member& me) {
  const std::uint64_t begin = me.claimed.begin, left = me.claimed.end - begin, end = begin + std::min(left, me.claimed_chunk);
  me.claimed.begin = end;
  me.chunk.begin = begin;
  me.chunk.end = end;
  return {begin, end};
}

}  // namespace weir::openmp
