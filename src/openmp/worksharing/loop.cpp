#include "openmp/worksharing/loop.hpp"

#include <cstdlib>

#include "openmp/support/annotation.hpp"
#include "openmp/teams/waiting.hpp"

namespace weir::openmp {

namespace {

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

void wait_for_turn(const member& me) {
  const auto wait = [&](const auto& done, gate& passed, auto ready) {
    noted_wait noted(me, waits::ordered);
    me.of->learned.await(oversubscribed(*me.of), done, passed, ready, noted);
  };
  wait_for_turn(
      me, [&](std::uint64_t now) { return is_left_out(me, now); },
      [&](std::uint64_t now) { return assignment_of(me.plan, me.of->size, now).chunk.end; }, wait);
}

struct kind_of_slot : waits_for_slot {
  static bool abandoned(const member& me, std::uint32_t construct, unsigned left) {
    return is_abandoned(*me.of, &member::loops, construct, left);
  }
  static bool all_leave() { return !cancellation_in_force(); }
  static void clear_away(slot<native>& cleared) {
    loop& l = static_cast<loop&>(cleared);
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
  const loop_plan& plan = me.plan;
  if (plan.kind != schedule_kind::static_ || iteration >= plan.trips) return false;
  // acquire: the turns that the member has passed on, if it has been in this loop.
  return me.of->members[assignment_of(plan, me.of->size, iteration).member].has_left.load(std::memory_order_acquire);
}

void begin_loop(member& me, const loop_plan& plan) {
  if (!may_share(me)) [[unlikely]] check_worksharing(me);
  me.forbids = member::worksharing;
  enter_loop<kind_of_slot>(me, plan);
}

template void begin_part(member& me);
template iterations next_of_divided(member& me);
template iterations next_chunk_of_any(member& me);

iterations next_ordered_chunk(member& me) {
  if (me.chunk) {
    wait_for_turn(me);
    pass_turn(me);
  }
  const iterations chunk = next_chunk(me);
  me.ordered_after = chunk.begin;
  return chunk;
}

void begin_ordered(member& me) {
  if (me.ordered_after == 0) return;
  wait_for_turn(me);
  happens_after(&me.in_loop->ordered);
}

// The turn is passed on at the end of the chunk, in next_ordered_chunk(); only the ordered region ends here.
void end_ordered(member& me) {
  if (annotated() && me.in_loop != nullptr) [[unlikely]] happens_before(&me.in_loop->ordered);
}

void* common_memory(member& me, std::size_t bytes) {
  auto& memory = me.in_loop->memory;
  // acquire, release: the zeros.
  void* seen = memory.load(std::memory_order_acquire);
  if (seen == nullptr) {
    void* const zeros = std::calloc(1, bytes);
    if (zeros == nullptr) std::abort();
    happens_before(&memory);
    if (memory.compare_exchange_strong(seen, zeros, std::memory_order_acq_rel)) return zeros;
    std::free(zeros);
  }
  happens_after(&memory);
  return seen;
}

void end_loop(member& me) {
  me.forbids = 0;
  happens_before(&me.in_loop->memory);
  exit_loop<kind_of_slot>(me);
}

}  // namespace weir::openmp
