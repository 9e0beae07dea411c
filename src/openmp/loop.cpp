#include "loop.hpp"

#include <cstdlib>

namespace weir::openmp {

namespace {

bool take_dynamic(loop& l, member& me) {
  // relaxed: iterations are data that nobody writes; what they compute is published by the construct's end.
  const std::uint64_t n = l.plan.trips, chunk = l.plan.chunk;
  native::fetch_for_change(l.taken);
  // Each member asks in vain once, so what is taken stays within 64 bits. No look before: it would fetch the line twice.
  if (n < (std::uint64_t{1} << 63) && chunk < (std::uint64_t{1} << 40)) {
    const std::uint64_t at = l.taken.fetch_add(chunk, std::memory_order_relaxed);
    if (at >= n) return false;
    me.begin = at;
    me.end = n - at < chunk ? n : at + chunk;
    return true;
  }
  std::uint64_t at = l.taken.load(std::memory_order_relaxed);
  do {
    if (at >= n) return false;
    me.begin = at;
    me.end = n - at < chunk ? n : at + chunk;
  } while (!l.taken.compare_exchange_weak(at, me.end, std::memory_order_relaxed));
  return true;
}

bool take_guided(loop& l, member& me) {
  const std::uint64_t n = l.plan.trips, size = me.of->size;
  std::uint64_t at = l.taken.load(std::memory_order_relaxed);
  do {
    if (at >= n) return false;
    // An equal share of what is left [Polychronopoulos and Kuck 1987; OpenMP 5.2, 11.5.3].
    const std::uint64_t rest = n - at, share = std::max(l.plan.chunk, (rest - 1) / size + 1);
    me.begin = at;
    me.end = rest < share ? n : at + share;
  } while (!l.taken.compare_exchange_weak(at, me.end, std::memory_order_relaxed));
  return true;
}

bool take_static(const loop& l, member& me) {
  const std::uint64_t n = l.plan.trips, size = me.of->size;
  if (l.plan.chunk == 0) {
    if (me.turn++ != 0) return false;
    const std::uint64_t share = n / size, more = n % size;
    me.begin = me.number * share + std::min<std::uint64_t>(me.number, more);
    me.end = me.begin + share + (me.number < more ? 1 : 0);
    return me.begin < me.end;
  }
  // Rounds of chunks; one beyond 64 bits is beyond the loop as well.
  std::uint64_t at;
  if (__builtin_mul_overflow(me.turn++ * size + me.number, l.plan.chunk, &at) || at >= n) return false;
  me.begin = at;
  me.end = n - me.begin < l.plan.chunk ? n : me.begin + l.plan.chunk;
  return true;
}

}  // namespace

void begin_loop(member& me, const loop_plan& plan) {
  const std::uint32_t construct = me.loops++;
  loop& l = me.of->loops[construct % slots_in_turn];
  me.in_loop = &l;
  me.turn = 0;
  me.begin = me.end = 0;
  l.enter(construct, [&] {
    l.plan = plan;
    // relaxed: published by the slot.
    l.taken.store(0, std::memory_order_relaxed);
    l.turn.store(0, std::memory_order_relaxed);
  });
}

bool next_chunk(member& me, bool ordered) {
  loop& l = *me.in_loop;
  if (ordered && me.begin < me.end) {
    wait_for_turn(me);
    // release: what this chunk did in its ordered regions, for the next.
    l.turn.store(me.end, std::memory_order_release);
    l.turned.open();
  }
  bool found = false;
  switch (l.plan.kind) {
    case schedule_kind::static_: found = take_static(l, me); break;
    case schedule_kind::guided: found = take_guided(l, me); break;
    default: found = take_dynamic(l, me); break;
  }
  if (!found) me.begin = me.end = 0;
  return found;
}

void wait_for_turn(member& me) {
  loop& l = *me.in_loop;
  const auto mine = [&me](std::uint64_t now) { return now >= me.begin; };
  if (mine(l.turn.load(std::memory_order_acquire))) return;
  auto& learned = me.of->learned;
  const bool share = crowded(*me.of);
  if (!learned.poll(share, l.turn, mine)) learned.sleep(share, l.turn, l.turned, mine);
}

void* shared_memory(member& me, std::size_t bytes) {
  auto& memory = me.in_loop->memory;
  // acquire, release: the zeros.
  void* seen = memory.load(std::memory_order_acquire);
  if (seen != nullptr) return seen;
  void* const mine = std::calloc(1, bytes);
  if (mine == nullptr) std::abort();
  if (memory.compare_exchange_strong(seen, mine, std::memory_order_acq_rel)) return mine;
  std::free(mine);
  return seen;
}

void end_loop(member& me) {
  loop& l = *me.in_loop;
  me.in_loop = nullptr;
  // relaxed: nobody else is here any more.
  l.leave(me.loops - 1, me.of->size, [&l] { std::free(l.memory.exchange(nullptr, std::memory_order_relaxed)); });
}

}  // namespace weir::openmp
