#include "loop.hpp"

#include <cstdlib>

namespace weir::openmp {

namespace {

enum phase : std::uint64_t { free_ = 0, being_set = 1, ready = 2 };
constexpr std::uint64_t state_of(std::uint32_t construct, phase p) { return static_cast<std::uint64_t>(construct) << 2 | p; }

waiting::experience<native>& learned() {
  static waiting::experience<native> e;
  return e;
}

template <class Word, class Ready>
void wait_until(const Word& word, Ready is_ready) {
  // Rare and short: the slot of eight loops ago, or somebody who is setting this one.
  while (!learned().poll(true, word, is_ready)) native::yield();
}

bool take_dynamic(loop& l, member& me) {
  // relaxed: iterations are data that nobody writes; what they compute is published by the construct's end.
  const std::uint64_t n = l.plan.trips, chunk = l.plan.chunk;
  std::uint64_t at = l.taken.load(std::memory_order_relaxed);
  if (n < (std::uint64_t{1} << 63) && chunk < (std::uint64_t{1} << 40)) {
    if (at >= n) return false;
    at = l.taken.fetch_add(chunk, std::memory_order_relaxed);
    if (at >= n) return false;
    me.begin = at;
    me.end = n - at < chunk ? n : at + chunk;
    return true;
  }
  do {
    if (at >= n) return false;
    me.begin = at;
    me.end = n - at < chunk ? n : at + chunk;
  } while (!l.taken.compare_exchange_weak(at, me.end, std::memory_order_relaxed));
  return true;
}

bool take_guided(loop& l, member& me) {
  const std::uint64_t n = l.plan.trips, share = 2 * static_cast<std::uint64_t>(me.of->size);
  std::uint64_t at = l.taken.load(std::memory_order_relaxed);
  do {
    if (at >= n) return false;
    // Half of an equal share of what is left, so that who comes last finds little [OpenMP 5.2, 11.5.3].
    const std::uint64_t rest = n - at, size = std::max(l.plan.chunk, rest / share);
    me.begin = at;
    me.end = rest < size ? n : at + size;
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

void loop::free_for(std::uint32_t construct) { state.store(state_of(construct, free_), std::memory_order_relaxed); }

void begin_loop(member& me, const loop_plan& plan) {
  team& t = *me.of;
  const std::uint32_t construct = me.loops++;
  loop& l = t.loops[construct % loops_at_once];
  me.in_loop = &l;
  me.turn = 0;
  me.begin = me.end = 0;
  const std::uint64_t before = state_of(construct, free_), set = state_of(construct, ready);
  for (;;) {
    // acquire: with the release below, what the first has set.
    std::uint64_t now = l.state.load(std::memory_order_acquire);
    if (now == set) return;
    if (now == before && l.state.compare_exchange_strong(now, state_of(construct, being_set), std::memory_order_acquire)) break;
    if (now != before) wait_until(l.state, [=](std::uint64_t s) { return s == set || s == before; });
  }
  l.plan = plan;
  // relaxed: all published by the state.
  l.taken.store(0, std::memory_order_relaxed);
  l.turn.store(0, std::memory_order_relaxed);
  l.done.store(0, std::memory_order_relaxed);
  l.state.store(set, std::memory_order_release);
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
  auto& e = learned();
  if (!e.poll(me.of->size > 2, l.turn, mine)) e.sleep(me.of->size > 2, l.turn, l.turned, mine);
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
  team& t = *me.of;
  me.in_loop = nullptr;
  // acq_rel: the last one frees it after all others have read it.
  if (l.done.fetch_add(1, std::memory_order_acq_rel) + 1 != t.size) return;
  std::free(l.memory.exchange(nullptr, std::memory_order_relaxed));  // relaxed: nobody else is here any more
  l.state.store(state_of(me.loops - 1 + loops_at_once, free_), std::memory_order_release);
}

}  // namespace weir::openmp
