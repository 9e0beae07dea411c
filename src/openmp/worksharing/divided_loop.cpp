#include "openmp/worksharing/divided_loop.hpp"

#include <algorithm>
#include <limits>

#include "openmp/core/victims.hpp"

namespace weir::openmp {

namespace {

part<native>& part_of(member& owner, const member& in_loop) { return owner.parts[(in_loop.loops - 1) % slots_in_turn]; }

/// How many chunks a member takes at a time, of the chunks that are left in its part, or that it has stolen. The first chunk is
/// taken alone.
std::uint32_t share(const member& me, const loop& l, std::uint32_t left) {
  if (l.plan.kind == schedule_kind::guided) return (left + 1) / 2;
  return std::clamp(left / 8, 1u, me.chunk ? std::min(2 * me.last_claim, 8u) : 1u);
}

/// The chunks now belong to the member.
void claim(member& me, const loop& l, chunks taken) {
  me.last_claim = std::max(taken.size(), 1u);
  me.claimed = {taken.begin * l.plan.chunk, taken.end * l.plan.chunk};
}

chunks stolen(member& me, const loop& l) {
  const team& t = *me.of;
  victims others(me.number, t.size);
  for (unsigned other = 0; others.next(other);)
    if (const chunks its = part_of(t.members[other], me).steal(l.among_members, other)) return its;
  return {};
}

}  // namespace

void divide(loop& l, unsigned members) {
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
  // relaxed: published by the slot.
  l.last_taken.store(members == 1 || plan.trips == 0, std::memory_order_relaxed);
}

void begin_part(member& me) {
  const loop& l = *me.in_loop;
  const bool guided = l.plan.kind == schedule_kind::guided;
  me.claimed_chunk = guided ? std::numeric_limits<std::uint64_t>::max() : l.plan.chunk;
  if (me.of->size == 1) {
    me.claimed = {0, l.plan.trips};
    return;
  }
  const auto first = [=](std::uint32_t left) { return guided ? (left + 1) / 2 : 1; };
  claim(me, l, part_of(me, me).take(l.among_members, me.number, first));
}

iterations next_of_divided(member& me) {
  loop& l = *me.in_loop;
  const std::uint64_t n = l.plan.trips;
  if (me.chunk.end == n) return me.chunk = {};
  part<native>& mine = part_of(me, me);
  chunks taken = mine.take(l.among_members, me.number, [&](std::uint32_t left) { return share(me, l, left); });
  if (!taken) {
    taken = stolen(me, l);
    if (taken) {
      const std::uint32_t cut = taken.begin + share(me, l, taken.size());
      mine.keep(l.among_members, {cut, taken.end});
      taken.end = cut;
    }
  }
  if (taken) {
    claim(me, l, taken);
    return first_claimed(me);
  }
  // relaxed: it decides which member, and orders nothing.
  if (l.last_taken.load(std::memory_order_relaxed) || l.last_taken.exchange(true, std::memory_order_relaxed)) return me.chunk = {};
  return me.chunk = {(n - 1) / l.plan.chunk * l.plan.chunk, n};
}

}  // namespace weir::openmp
