#include "threads/scheduling/hand_off.hpp"

#include <algorithm>
#include <mutex>

#include <weir/machine/native.hpp>

#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/maker.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/support/floating_point.hpp"

namespace weir::threads {

namespace {

struct choice {
  processor* stand_in;
  bool is_late;  // there is none, though the maker was asked for one long ago
};
/// A stand-in that has nothing to do. While another one has nothing to do either, no more are made.
choice free_stand_in() {
  processor* found = nullptr;
  for (processor* const p : pool->stand_ins) {
    if (!p->is_free()) continue;
    if (found != nullptr) return {found, false};
    found = p;
  }
  const bool is_late = want_stand_in();
  return {found, found == nullptr && is_late};
}

/// A body blocks. If many bodies have been found blocked lately, the others soon will be, and each costs the bodies of its
/// processor the time until the next look.
void note_blocked(body& found) {
  const std::uint64_t now = native::ticks();
  const auto lately = in_ticks(while_us);
  const auto times_of_late = [&](const body& b) {
    return now - b.blocked_at.load(std::memory_order_relaxed) < lately ? b.blocked.load(std::memory_order_relaxed) : 0;
  };
  found.blocked.store(times_of_late(found) + 1, std::memory_order_relaxed);
  found.blocked_at.store(now, std::memory_order_relaxed);
  std::size_t attached = 0, block = 0;
  const auto for_each = [](auto what) {
    pool->bodies.for_each([&what](body& b) {
      if (b.where() != nullptr) what(b);
    });
    for (processor* const p : pool->processors)
      if (p->own().may(moves::to_stand_in)) what(p->own());
  };
  for_each([&](const body& b) {
    ++attached;
    block += times_of_late(b) >= 2 ? 1 : 0;
  });
  if (block >= 2 && 4 * block >= attached) for_each([](body& b) { b.ask_to_detach_for_a_while(); });
}

}  // namespace

bool claimant::hand_off(processor& from, std::uint32_t switched, bool blocked) {
  // If there is none, the maker creates one. If that takes long, the system refuses it, or the maker waits for a lock of the C
  // library, which a body that is ready here may hold.
  const auto [other, is_late] = free_stand_in();
  if (other == nullptr && !is_late) return false;
  if (!from.claim(switched)) return false;
  if (blocked) note_blocked(*from.current());
  if (other != nullptr) {
    from.run_queue::hand_off(*other);
  } else {
    from.detach_all();
    from.unclaim();
    wake_maker();  // after a refusal it tries again
  }
  return true;
}

namespace {

/// Calls `found` with the processor on which the calling body is about to block, while no tick stops the body. Null: there is
/// none, or a stand-in has the processor's bodies already.
template <class Found>
processor* where_it_blocks(Found found) {
  // Held: a handler has interrupted a change of the queue.
  if (this_body == nullptr || this_body->held.load(std::memory_order_relaxed) != 0 || is_in_child()) return nullptr;
  const without_preemption to_the_end;
  if (this_body == nullptr) return nullptr;
  processor& at = *this_body->where();
  return at.is_stood_in_for() ? nullptr : found(at);
}

/// False: there is no stand-in, but there will be one when the monitor looks.
bool hand_off_ready(processor& from) {
  const std::lock_guard lock(pool_lock);
  processor* const other = free_stand_in().stand_in;
  if (other == nullptr) return false;
  note_blocked(*this_body);
  from.seen.blocked = true;
  from.run_queue::hand_off(*other);
  return true;
}

}  // namespace

void hand_off_to_block() {
  where_it_blocks([](processor& from) {
    if (from.has_ready()) hand_off_ready(from);
    return &from;
  });
}

processor* blocking_call::begin() {
  return where_it_blocks([](processor& from) -> processor* {
    if (from.blocks_alone()) return &from;
    if (hand_off_ready(from)) return nullptr;
    from.asks_for_stand_in();
    native_threads::wants_stand_in();
    return &from;
  });
}
void blocking_call::end(processor& at) { at.no_longer_blocks(); }

void give_away_own_processor() {
  processor& driven = *own_processor;
  {
    const without_preemption to_the_end;
    driven.own().may_move.store(static_cast<std::uint32_t>(moves::nowhere), std::memory_order_relaxed);
    std::unique_lock lock(pool_lock);
    processor* other;
    while ((other = free_stand_in().stand_in) == nullptr) {
      driven.detach_all();                // one of them may hold what the maker waits for
      if (!await_stand_in(lock)) return;  // the monitor then looks at it as at any other
    }
    driven.seen.blocked = true;
    driven.hand_off(*other);
    scheduled_by = nullptr;
    native::displaced(true);
  }
  this_body = nullptr;
}

}  // namespace weir::threads
