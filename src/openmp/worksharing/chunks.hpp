// A member's way through a loop that its team shares: it enters, takes chunks by the loop's schedule, and leaves.
//
// Templates over a member, so that the simulator executes the same source. What concerns a program (errors, cancellation,
// annotation) is in loop.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "openmp/worksharing/divided_loop.hpp"

namespace weir::openmp {

/// The block that participant `number` of `size` gets if a loop is divided into one block each: the first blocks have one
/// iteration more if they do not divide evenly. The number is a reference so that it is loaded late, which saves an instruction
/// in next_chunk_of_any().
template <class Number>
iterations block_of(const Number& number, std::uint64_t size, std::uint64_t trips) {
  const std::uint64_t length = trips / size, longer = trips % size;
  const std::uint64_t begin = number * length + std::min<std::uint64_t>(number, longer);
  return {begin, begin + length + (number < longer ? 1 : 0)};
}

/// The next chunk; `length` gives its size from the number of iterations left.
template <class Member, class Length>
iterations take(Member& me, Length length) {
  auto& l = *me.in_loop;
  const std::uint64_t n = me.plan.trips;
  // relaxed: iterations are data that nobody writes; what they compute is published by the construct's end.
  std::uint64_t at = l.taken.load(std::memory_order_relaxed), end;
  do {
    if (at >= n) return {};
    const std::uint64_t most = length(n - at);
    end = n - at < most ? n : at + most;
  } while (!l.taken.compare_exchange_weak(at, end, std::memory_order_relaxed));
  return {at, end};
}

template <class Member>
iterations take_dynamic(Member& me) {
  return take(me, [chunk = me.plan.chunk](std::uint64_t) { return chunk; });
}

/// An equal part of the iterations left [Polychronopoulos and Kuck 1987; OpenMP 5.2, 11.5.3].
template <class Member>
iterations take_guided(Member& me) {
  return take(me, [members = me.of->size, least = me.plan.chunk](std::uint64_t rest) {
    return std::max(least, (rest - 1) / members + 1);
  });
}

/// Chunks that get shorter by the same number of iterations each, from half of a member's part down to the shortest [Tzen and Ni,
/// "Trapezoid Self-Scheduling", IEEE TPDS 4(1), 1993]. The number of a chunk alone says where it begins.
template <class Member>
iterations take_trapezoidal(Member& me) {
  __extension__ typedef unsigned __int128 wide;  // sums pass the end of the loop before they are compared with it
  const std::uint64_t n = me.plan.trips, shortest = me.plan.chunk, parts = std::uint64_t{2} * me.of->size;
  if (n == 0) return {};
  const std::uint64_t longest = std::max(shortest, (n - 1) / parts + 1);
  const auto chunks = static_cast<std::uint64_t>((wide{2} * n + longest + shortest - 1) / (wide{longest} + shortest));
  const std::uint64_t less = chunks > 1 ? (longest - shortest) / (chunks - 1) : 0;
  const auto begin = [=](std::uint64_t chunk) {
    const std::uint64_t before = less == 0 ? (longest == shortest ? 0 : chunk) : std::min(chunk, (longest - shortest) / less + 1);
    return wide{before} * longest - wide{less} * before * (before == 0 ? 0 : before - 1) / 2 + wide{chunk - before} * shortest;
  };
  // relaxed: iterations are data that nobody writes; what they compute is published by the construct's end.
  const std::uint64_t chunk = me.in_loop->taken.fetch_add(1, std::memory_order_relaxed);
  const wide from = begin(chunk), to = begin(chunk + 1);
  if (from >= n) return {};
  return {static_cast<std::uint64_t>(from), to < n ? static_cast<std::uint64_t>(to) : n};
}

template <class Member>
iterations take_static(Member& me) {
  const std::uint64_t n = me.plan.trips, size = me.of->size, round = me.turn++;
  if (me.plan.chunk == 0) {
    if (round != 0) return {};
    return block_of(me.number, size, n);
  }
  // Chunks go round the members. A chunk whose number overflows 64 bits is beyond the end of the loop.
  std::uint64_t at;
  if (__builtin_mul_overflow(round * size + me.number, me.plan.chunk, &at) || at >= n) return {};
  return {at, n - at < me.plan.chunk ? n : at + me.plan.chunk};
}

/// Every member calls it with the same plan. In a divided loop there is nothing to set up, so a member that knows that all have
/// left the loop that used the slot before does not ask: else all would get the slot's line one after the other, and begin at
/// different times. It knows that after a barrier: `left_by_all` counts the loops before it. The newest of them may not be left,
/// because GCC's code has barriers of its own in loops.
template <class Kind, class Member>
void enter_loop(Member& me, const loop_plan& plan) {
  const std::uint32_t construct = me.loops++;
  auto& l = me.of->loops[construct % slots_in_turn];
  me.in_loop = &l;
  me.turn = 0;
  me.chunk = {};
  me.claimed = {};
  me.plan = plan;
  me.divided = divide(me);
  // Each member counts beyond the end at most once, so the count stays within 64 bits.
  me.counted = plan.kind == schedule_kind::dynamic && !me.divided && plan.trips < (std::uint64_t{1} << 63) &&
               plan.chunk < (std::uint64_t{1} << 40);
  const bool is_free = construct - me.left_by_all < slots_in_turn - 1;
  if (!me.divided || !is_free || !Kind::all_leave()) {
    l.template enter<Kind>(me, construct, [&] {
      // relaxed: published by the slot.
      l.taken.store(0, std::memory_order_relaxed);
      // A member that leaves a cancelled region has its turns passed over, by whoever waits for the one word.
      if (plan.ordered) l.ordered.begin(plan.trips, Kind::all_leave() ? me.of->size : 1);
    });
  }
  if (me.divided) begin_part(me);
}

/// The members of a large team count at the first member of their group, and the last one of each group at the loop: if all
/// counted in one word, they would get its line one after the other. A cancelled region may be left without leaving its loops
/// (`Kind::all_leave`): then one word tells who has.
template <class Kind, class Member>
void exit_loop(Member& me) {
  auto& l = *me.in_loop;
  me.in_loop = nullptr;
  constexpr unsigned few = 16;
  const std::uint32_t construct = me.loops - 1;
  const unsigned size = me.of->size;
  unsigned leaving = 1;
  if (size > few && Kind::all_leave()) [[unlikely]] {
    const unsigned width = 1u << (std::bit_width(size - 1) + 1) / 2;  // about as many members in a group as groups
    const unsigned first = me.number / width * width;
    leaving = std::min(width, size - first);
    auto& left = me.of->members[first].left[construct % slots_in_turn];
    // acq_rel: the last one of the group leaves after all others of it have.
    if (left.fetch_add(1, std::memory_order_acq_rel) + 1 != leaving) return;
    left.store(0, std::memory_order_relaxed);  // relaxed: published by the slot, which is free when all groups have left
  }
  l.template leave<Kind>(construct, size, leaving);
}

template <class Member>
iterations next_chunk_of_any(Member& me) {
  switch (me.plan.kind) {
    case schedule_kind::static_: return me.chunk = take_static(me);
    case schedule_kind::guided: return me.divided ? next_of_divided(me) : me.chunk = take_guided(me);
    case schedule_kind::trapezoidal: return me.divided ? next_of_divided(me) : me.chunk = take_trapezoidal(me);
    default: return me.divided ? next_of_divided(me) : me.chunk = take_dynamic(me);
  }
}

/// The member's next chunk, which becomes me.chunk; none if all are taken.
template <class Member>
[[gnu::always_inline]] inline iterations next_unordered_chunk(Member& me) {
  if (me.claimed) return first_claimed(me);
  if (!me.counted) return next_chunk_of_any(me);
  // Few instructions before the fetch-and-add, and no load of the word: the line is then transferred once, while the previous
  // chunk is still being computed. relaxed: iterations are data that nobody writes; what they compute is published by the
  // construct's end.
  const std::uint64_t at = me.in_loop->taken.fetch_add(me.plan.chunk, std::memory_order_relaxed), n = me.plan.trips;
  return me.chunk = at >= n ? iterations{} : iterations{at, n - at < me.plan.chunk ? n : at + me.plan.chunk};
}

/// Waits until it is the turn of the member's chunk. `wait(word, gate, ready)` waits for the loop's turn. `left_out(iteration)`:
/// will no member execute it? `end_of(iteration)` is then the end of its chunk. Both are asked only where there is one word.
template <class Member, class LeftOut, class EndOf, class Wait>
[[gnu::always_inline]] inline void wait_for_turn(const Member& me, LeftOut left_out, EndOf end_of, Wait wait) {
  auto& turns = me.in_loop->ordered;
  auto& turn = turns.of(me.chunk.begin);
  const auto is_mine = [before = turns.done_before(me.chunk.begin)](std::uint64_t now) { return now >= before; };
  const auto goes_on = [&](std::uint64_t now) { return is_mine(now) || left_out(now); };
  std::uint64_t now;
  while (now = turn.done.load(std::memory_order_acquire), !is_mine(now)) {
    if (!left_out(now)) {
      wait(turn.done, turn.passed, goes_on);
    } else if (turn.done.compare_exchange_strong(now, end_of(now), std::memory_order_acq_rel)) {
      // acq_rel: what was done in the turns before, for this member and for the next.
      turn.passed.open();
    }
  }
}

/// The member has executed its chunk.
template <class Member>
void pass_turn(Member& me) {
  auto& turns = me.in_loop->ordered;
  auto& next = turns.of(me.chunk.end);
  // release: what this chunk did in its ordered regions, for the next.
  next.done.store(turns.done_before(me.chunk.end), std::memory_order_release);
  next.passed.open();
}

}  // namespace weir::openmp
