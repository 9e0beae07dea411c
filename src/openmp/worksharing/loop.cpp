#include "openmp/worksharing/loop.hpp"

#include <algorithm>
#include <cstdlib>

#include "openmp/core/waiting.hpp"
#include "openmp/support/annotation.hpp"

namespace weir::openmp {

namespace {

/// The next chunk; `length` gives its size from the number of iterations left.
template <class Length>
iterations take(loop& l, Length length) {
  const std::uint64_t n = l.plan.trips;
  // relaxed: iterations are data that nobody writes; what they compute is published by the construct's end.
  std::uint64_t at = l.taken.load(std::memory_order_relaxed), end;
  do {
    if (at >= n) return {};
    const std::uint64_t most = length(n - at);
    end = n - at < most ? n : at + most;
  } while (!l.taken.compare_exchange_weak(at, end, std::memory_order_relaxed));
  return {at, end};
}

iterations take_dynamic(loop& l) {
  return take(l, [chunk = l.plan.chunk](std::uint64_t) { return chunk; });
}

/// An equal part of the iterations left [Polychronopoulos and Kuck 1987; OpenMP 5.2, 11.5.3].
iterations take_guided(loop& l, std::uint64_t members) {
  return take(l, [=, least = l.plan.chunk](std::uint64_t rest) { return std::max(least, (rest - 1) / members + 1); });
}

iterations take_static(const loop& l, member& me) {
  const std::uint64_t n = l.plan.trips, size = me.of->size, round = me.turn++;
  if (l.plan.chunk == 0) {
    if (round != 0) return {};
    return block_of(me.number, size, n);
  }
  // Chunks go round the members. A chunk whose number overflows 64 bits is beyond the end of the loop.
  std::uint64_t at;
  if (__builtin_mul_overflow(round * size + me.number, l.plan.chunk, &at) || at >= n) return {};
  return {at, n - at < l.plan.chunk ? n : at + l.plan.chunk};
}

/// In a static loop: the chunk that has this iteration, and the member that executes the chunk.
struct assignment {
  iterations chunk;
  unsigned member;
};
assignment assignment_of(const loop_plan& plan, unsigned size, std::uint64_t iteration) {
  const std::uint64_t n = plan.trips;
  if (plan.chunk != 0) {
    const std::uint64_t number = iteration / plan.chunk, begin = number * plan.chunk;
    return {{begin, n - begin < plan.chunk ? n : begin + plan.chunk}, static_cast<unsigned>(number % size)};
  }
  unsigned member = 0;
  while (block_of(member, size, n).end <= iteration) ++member;
  return {block_of(member, size, n), member};
}

void wait_for_turn(loop& l, const member& me) {
  const auto is_mine = [&me](std::uint64_t now) { return now >= me.chunk.begin; };
  const auto goes_on = [&](std::uint64_t now) { return is_mine(now) || is_left_out(me, now); };
  std::uint64_t now;
  while (now = l.turn.load(std::memory_order_acquire), !is_mine(now)) {
    if (!is_left_out(me, now)) {
      noted_wait wait(me, waits::ordered);
      me.of->learned.await(oversubscribed(*me.of), l.turn, l.turned, goes_on, wait);
    } else if (const std::uint64_t end = assignment_of(l.plan, me.of->size, now).chunk.end;
               // acq_rel: what was done in the turns before, for this member and for the next.
               l.turn.compare_exchange_strong(now, end, std::memory_order_acq_rel)) {
      l.turned.open();
    }
  }
}

struct kind_of_slot {
  static bool abandoned(const member& me, std::uint32_t construct, unsigned left) {
    return is_abandoned(*me.of, &member::loops, construct, left);
  }
  static void clear_away(slot& its) {
    loop& l = static_cast<loop&>(its);
    // relaxed: all other members have left.
    void* const memory = l.memory.exchange(nullptr, std::memory_order_relaxed);
    if (memory == nullptr) return;  // without it, the end of a loop orders nothing
    happens_after(&l.memory);
    std::free(memory);
  }
};

}  // namespace

loop_plan plan_of(schedule_kind kind, std::uint64_t chunk, std::uint64_t trips, order in) {
  if (kind != schedule_kind::static_ && chunk == 0) chunk = 1;
  if (kind == schedule_kind::auto_) return {schedule_kind::static_, trips, 0};
  return {kind, trips, chunk, in == order::monotonic};
}

loop_plan plan_at_run_time(std::uint64_t trips, order in, std::uint64_t width) {
  const member& me = self();
  const schedule s = me.icv.run_schedule;
  loop_plan plan = plan_of(s.kind, static_cast<std::uint64_t>(s.chunk), trips, s.monotonic ? order::monotonic : in);
  if (width > 1) {
    if (plan.chunk == 0 && trips > 0) plan.chunk = (trips - 1) / me.of->size + 1;  // else members have blocks of their own
    plan.chunk = (plan.chunk + width - 1) / width * width;
  }
  return plan;
}

bool is_left_out(const member& me, std::uint64_t iteration) {
  if (!cancellation_in_force()) return false;
  const loop_plan& plan = me.in_loop->plan;
  if (plan.kind != schedule_kind::static_ || iteration >= plan.trips) return false;
  // acquire: the turns that the member has passed on, if it has been in this loop.
  return me.of->members[assignment_of(plan, me.of->size, iteration).member].has_left.load(std::memory_order_acquire);
}

void begin_loop(member& me, const loop_plan& plan) {
  if (!may_share(me)) [[unlikely]] check_worksharing(me);
  me.forbids = member::worksharing;
  const std::uint32_t construct = me.loops++;
  loop& l = me.of->loops[construct % slots_in_turn];
  me.in_loop = &l;
  me.turn = 0;
  me.chunk = {};
  me.claimed = {};
  l.enter<kind_of_slot>(me, construct, [&] {
    l.plan = plan;
    divide(l, me.of->size);
    // Each member counts beyond the end at most once, so the count stays within 64 bits.
    l.counted = plan.kind == schedule_kind::dynamic && !l.divided && plan.trips < (std::uint64_t{1} << 63) &&
                plan.chunk < (std::uint64_t{1} << 40);
    // relaxed: published by the slot.
    l.taken.store(0, std::memory_order_relaxed);
    l.turn.store(0, std::memory_order_relaxed);
  });
  if (l.divided) begin_part(me);
}

iterations next_chunk_of_any(member& me) {
  loop& l = *me.in_loop;
  switch (l.plan.kind) {
    case schedule_kind::static_: return me.chunk = take_static(l, me);
    case schedule_kind::guided: return l.divided ? next_of_divided(me) : me.chunk = take_guided(l, me.of->size);
    default: return l.divided ? next_of_divided(me) : me.chunk = take_dynamic(l);
  }
}

iterations next_ordered_chunk(member& me) {
  if (me.chunk) {
    loop& l = *me.in_loop;
    wait_for_turn(l, me);
    // release: what this chunk did in its ordered regions, for the next.
    l.turn.store(me.chunk.end, std::memory_order_release);
    l.turned.open();
  }
  const iterations its = next_chunk(me);
  me.ordered_after = its.begin;
  return its;
}

void begin_ordered(member& me) {
  if (me.ordered_after == 0) return;
  wait_for_turn(*me.in_loop, me);
  happens_after(&me.in_loop->turn);
}

// The turn is passed on at the end of the chunk, in next_ordered_chunk(); only the ordered region ends here.
void end_ordered(member& me) {
  if (annotated() && me.in_loop != nullptr) [[unlikely]] happens_before(&me.in_loop->turn);
}

void* common_memory(member& me, std::size_t bytes) {
  auto& memory = me.in_loop->memory;
  // acquire, release: the zeros.
  void* seen = memory.load(std::memory_order_acquire);
  if (seen == nullptr) {
    void* const mine = std::calloc(1, bytes);
    if (mine == nullptr) std::abort();
    happens_before(&memory);
    if (memory.compare_exchange_strong(seen, mine, std::memory_order_acq_rel)) return mine;
    std::free(mine);
  }
  happens_after(&memory);
  return seen;
}

void end_loop(member& me) {
  loop& l = *me.in_loop;
  me.in_loop = nullptr;
  me.forbids = 0;
  happens_before(&l.memory);
  l.leave<kind_of_slot>(me.loops - 1, me.of->size);
}

}  // namespace weir::openmp
