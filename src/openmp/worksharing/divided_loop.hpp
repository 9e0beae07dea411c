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
#include <cstdint>
#include <limits>

#include "openmp/core/shared_loop.hpp"
#include "openmp/core/victims.hpp"

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

/// How many chunks a member takes at a time, of the chunks that are left in its part, or that it has stolen. The first chunk is
/// taken alone.
template <class Member, class Loop>
std::uint32_t share(const Member& me, const Loop& l, std::uint32_t left) {
  if (l.plan.kind == schedule_kind::guided) return (left + 1) / 2;
  return std::clamp(left / 8, 1u, me.chunk ? std::min(2 * me.last_claim, 8u) : 1u);
}

/// The chunks now belong to the member.
template <class Member, class Loop>
void claim(Member& me, const Loop& l, chunks taken) {
  me.last_claim = std::max(taken.size(), 1u);
  me.claimed = {taken.begin * l.plan.chunk, taken.end * l.plan.chunk};
}

template <class Member, class Loop>
[[gnu::always_inline]] inline chunks stolen_from(const Member& me, const Loop& l, victims others) {
  for (unsigned other = 0; others.next(other);)
    if (const chunks its = part_of(me.of->members[other], me).steal(l.among_members, other)) return its;
  return {};
}

/// In a large team: from the member's own group, then from those that are not known to be exhausted, near ones first.
template <class Member, class Loop>
[[gnu::noinline]] chunks stolen_in_groups(const Member& me, Loop& l) {
  const unsigned size = me.of->size, width = l.exhausted.width(size), end = std::bit_ceil(size);
  for (unsigned at = 0; at < end; at += width) {
    const unsigned group = (me.number ^ at) / width;
    if (group * width >= size || (at != 0 && l.exhausted.has(group))) continue;
    if (const chunks its = stolen_from(me, l, victims(me.number, size, at, at + width))) return its;
    l.exhausted.note(group);
  }
  return {};
}

template <class Member, class Loop>
[[gnu::always_inline]] inline chunks stolen(const Member& me, Loop& l) {
  const unsigned size = me.of->size;
  return size <= l.exhausted.least_width ? stolen_from(me, l, victims(me.number, size)) : stolen_in_groups(me, l);
}

/// The member keeps the rest of what it has stolen, and others may steal it in turn.
template <class Member, class Loop>
void keep(Member& me, Loop& l, chunks rest) {
  part_of(me, me).keep(l.among_members, rest);
  const unsigned size = me.of->size;
  if (size > l.exhausted.least_width && rest) l.exhausted.forget(me.number / l.exhausted.width(size));
}

}  // namespace divided

/// Called by the first member to enter: decides whether the loop is divided, and among which members.
template <class Loop>
[[gnu::noinline]] void divide(Loop& l, unsigned members) {
  const loop_plan& plan = l.plan;
  l.divided = false;
  if (plan.kind == schedule_kind::static_) return;
  // A team of one has all chunks at once.
  std::uint64_t in_parts = 0;
  if (members > 1) {
    in_parts = plan.trips == 0 ? 0 : (plan.trips - 1) / plan.chunk;
    if (plan.monotonic || in_parts > division::most) return;
    l.among_members.divide(in_parts, members);
  }
  l.divided = true;
  l.exhausted.forget_all();
  // relaxed: published by the slot.
  l.last_taken.store(members == 1 || plan.trips == 0, std::memory_order_relaxed);
}

/// Called by each member before its first chunk.
template <class Member>
void begin_part(Member& me) {
  const auto& l = *me.in_loop;
  const bool guided = l.plan.kind == schedule_kind::guided;
  me.claimed_chunk = guided ? std::numeric_limits<std::uint64_t>::max() : l.plan.chunk;
  if (me.of->size == 1) {
    me.claimed = {0, l.plan.trips};
    return;
  }
  const auto first = [=](std::uint32_t left) { return guided ? (left + 1) / 2 : 1; };
  divided::claim(me, l, divided::part_of(me, me).take(l.among_members, me.number, first));
}

/// The next chunks for the member, if those that it has claimed are all executed; none at the end of the loop.
template <class Member>
iterations next_of_divided(Member& me) {
  auto& l = *me.in_loop;
  const std::uint64_t n = l.plan.trips;
  if (me.chunk.end == n) return me.chunk = {};
  auto& mine = divided::part_of(me, me);
  chunks taken = mine.take(l.among_members, me.number, [&](std::uint32_t left) { return divided::share(me, l, left); });
  if (!taken) {
    taken = divided::stolen(me, l);
    if (taken) {
      const std::uint32_t cut = taken.begin + divided::share(me, l, taken.size());
      divided::keep(me, l, {cut, taken.end});
      taken.end = cut;
    }
  }
  if (taken) {
    divided::claim(me, l, taken);
    return first_claimed(me);
  }
  // relaxed: it decides which member, and orders nothing.
  if (l.last_taken.load(std::memory_order_relaxed) || l.last_taken.exchange(true, std::memory_order_relaxed)) return me.chunk = {};
  return me.chunk = {(n - 1) / l.plan.chunk * l.plan.chunk, n};
}

}  // namespace weir::openmp
