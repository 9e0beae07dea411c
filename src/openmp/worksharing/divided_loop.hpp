// Loops of which each member has a part: dynamic and guided loops, unless they are monotonic [OpenMP 5.2, 11.5.3].
//
// A member takes chunks from the beginning of its own part; if this part is empty, it steals half of another member's part. It
// takes up to eight chunks at a time, and executes them one by one without an atomic operation. Nobody can steal these chunks, so
// they are at most an eighth of the rest of the part, and the first chunk of the loop is taken alone.
//
// The loop's last chunk is in no part: the first member that finds all parts empty executes it, and nothing after it. Compilers
// rely on that: code for lastprivate copies what the member has computed last, if its last chunk is the loop's.
//
// Templates over a member, so that the simulator executes the same source.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "openmp/teams/part.hpp"
#include "openmp/teams/shared_loop.hpp"
#include "openmp/worksharing/victims.hpp"

namespace weir::openmp {

/// The first of the chunks that the member has claimed.
template <class Member>
inline iterations first_claimed(Member& me) {
  const std::uint64_t begin = me.claimed.begin, left = me.claimed.end - begin, end = begin + std::min(left, me.claimed_chunk);
  me.claimed.begin = end;
  me.chunk.begin = begin;
  me.chunk.end = end;
  return {begin, end};
}

namespace divided {

template <class Member>
auto& part_of(Member& owner, const Member& in_loop) {
  return owner.parts[(in_loop.loops - 1) % slots_in_turn];
}

/// How the loop's chunks are divided. The parts of a slot count the divided loops that have used it, so each member keeps the
/// division.
template <class Member>
auto& division_of(Member& me) {
  return me.divisions[(me.loops - 1) % slots_in_turn];
}

/// How many chunks a member takes at a time, of the chunks that are left in its part, or that it has stolen. The first chunk is
/// taken alone.
template <class Member>
std::uint32_t share(const Member& me, std::uint32_t left) {
  if (me.plan.kind == schedule_kind::guided) return (left + 1) / 2;
  return std::clamp(left / 8, 1u, me.chunk ? std::min(2 * me.last_claim, 8u) : 1u);
}

/// The chunks now belong to the member.
template <class Member>
void claim(Member& me, chunks taken) {
  me.last_claim = std::max(taken.size(), 1u);
  me.claimed = {taken.begin * me.plan.chunk, taken.end * me.plan.chunk};
}

template <class Member>
[[gnu::always_inline]] inline chunks stolen_from(const Member& me, victims others) {
  for (unsigned other = 0; others.next(other);)
    if (const chunks stolen = part_of(me.of->members[other], me).steal(division_of(me), other)) return stolen;
  return {};
}

template <class Member>
auto& end_at(const Member& me, unsigned number) {
  return me.of->members[std::min(number, me.of->size - 1)].ends[(me.loops - 1) % slots_in_turn];
}

/// What is known of the end of the loop in the group of `width` members to which member `of` belongs. The words of each level are
/// another member's, and so lie on different lines. In a group with fewer members than levels they may be one word, which then
/// says one thing.
template <class Member>
auto& end_in(const Member& me, unsigned of, unsigned width) {
  const auto level = static_cast<unsigned>(std::countr_zero(width / me.in_loop->end.least)) / 2;
  return end_at(me, of / width * width + level);
}

template <class Member>
chunks stolen_in_group(const Member& me, unsigned at, unsigned width);

/// From the group of `width` members whose numbers differ from the thief's in the bits of `at` and in lower ones, near ones
/// first.
template <class Member>
chunks stolen_in_parts(const Member& me, unsigned at, unsigned width) {
  const auto& end = me.in_loop->end;
  if (width == end.least) return stolen_from(me, victims(me.number, me.of->size, at, at + width));
  const unsigned part = width / end.together;
  for (unsigned i = 0; i < end.together; ++i)
    if (const chunks stolen = stolen_in_group(me, at + i * part, part)) return stolen;
  return {};
}

/// The same, unless the group is known to be exhausted. The thief's own are always searched.
template <class Member>
[[gnu::noinline]] chunks stolen_in_group(const Member& me, unsigned at, unsigned width) {
  const unsigned other = me.number ^ at;
  const std::uint32_t loop = me.loops - 1;
  if (other / width * width >= me.of->size) return {};
  auto& end = end_in(me, other, width);
  if (at != 0 && end.has(loop, end.exhausted)) return {};
  if (const chunks stolen = stolen_in_parts(me, at, width)) return stolen;
  if (!end.note(loop, end.exhausted)) return {};
  // A member may have kept a rest after the look and before the note, and then sees no note that it would have to take back.
  const chunks stolen = stolen_in_parts(me, at, width);
  if (stolen) end.forget(loop, end.exhausted);
  return stolen;
}

template <class Member>
bool is_in_large_team(const Member& me) {
  return me.of->size > me.in_loop->end.least;
}

template <class Member>
unsigned width_of_all(const Member& me) {
  unsigned width = me.in_loop->end.least;
  while (width < me.of->size) width *= me.in_loop->end.together;
  return width;
}

template <class Member>
[[gnu::always_inline]] inline chunks stolen(const Member& me) {
  return is_in_large_team(me) ? stolen_in_parts(me, 0, width_of_all(me)) : stolen_from(me, victims(me.number, me.of->size));
}

/// The member keeps the rest of what it has stolen, and others may steal it in turn.
template <class Member>
void keep(Member& me, chunks rest) {
  part_of(me, me).keep(division_of(me), rest);
  if (!rest || !is_in_large_team(me)) return;
  for (unsigned width = me.in_loop->end.least, widest = width_of_all(me); width < widest; width *= me.in_loop->end.together) {
    auto& end = end_in(me, me.number, width);
    end.forget(me.loops - 1, end.exhausted);
  }
}

/// Does the member execute the loop's last chunk? In a large team a member of each group asks the others, and tells its group by
/// the word of the last member, which other groups do not read.
template <class Member>
bool takes_last_chunk(const Member& me) {
  auto& of_all = me.in_loop->end;
  const std::uint32_t loop = me.loops - 1;
  if (!is_in_large_team(me)) return of_all.note(loop, of_all.last_taken);
  auto& of_group = end_at(me, me.number / of_all.least * of_all.least + of_all.least - 1);
  if (of_group.has(loop, of_group.last_taken)) return false;
  const bool takes = of_all.note(loop, of_all.last_taken);
  of_group.note(loop, of_group.last_taken);
  return takes;
}

}  // namespace divided

/// Decides whether the loop is divided, and among which members.
template <class Member>
[[gnu::noinline]] bool divide(Member& me) {
  const loop_plan& plan = me.plan;
  if (plan.kind == schedule_kind::static_) return false;
  // A team of one has all chunks at once.
  if (me.of->size == 1) return true;
  const std::uint64_t in_parts = plan.trips == 0 ? 0 : (plan.trips - 1) / plan.chunk;
  if (plan.monotonic || plan.kind == schedule_kind::trapezoidal || in_parts > division::most) return false;
  divided::division_of(me).divide(in_parts, me.of->size);
  return true;
}

/// Called by each member before its first chunk.
template <class Member>
void begin_part(Member& me) {
  const bool guided = me.plan.kind == schedule_kind::guided;
  me.claimed_chunk = guided ? std::numeric_limits<std::uint64_t>::max() : me.plan.chunk;
  if (me.of->size == 1) {
    me.claimed = {0, me.plan.trips};
    return;
  }
  const auto first = [=](std::uint32_t left) { return guided ? (left + 1) / 2 : 1; };
  divided::claim(me, divided::part_of(me, me).take(divided::division_of(me), me.number, first));
}

/// The next chunks for the member, if those that it has claimed are all executed; none at the end of the loop.
template <class Member>
iterations next_of_divided(Member& me) {
  const std::uint64_t n = me.plan.trips;
  if (me.chunk.end == n || me.of->size == 1) return me.chunk = {};
  auto& own = divided::part_of(me, me);
  chunks taken = own.take(divided::division_of(me), me.number, [&](std::uint32_t left) { return divided::share(me, left); });
  if (!taken) {
    taken = divided::stolen(me);
    if (taken) {
      const std::uint32_t cut = taken.begin + divided::share(me, taken.size());
      divided::keep(me, {cut, taken.end});
      taken.end = cut;
    }
  }
  if (taken) {
    divided::claim(me, taken);
    return first_claimed(me);
  }
  if (!divided::takes_last_chunk(me)) return me.chunk = {};
  return me.chunk = {(n - 1) / me.plan.chunk * me.plan.chunk, n};
}

}  // namespace weir::openmp
