#include "threads/scheduling/hand_off.hpp"

#include <algorithm>
#include <mutex>

#include <weir/machine/native.hpp>

#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/own_state.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/support/floating_point.hpp"

namespace weir::threads {

namespace {

// The monitor cannot create stand-ins, which would inherit its file descriptors. Each stand-in that is put to work creates the
// next one. relaxed: asked again.
constinit std::atomic<bool> stand_in_is_wanted{false}, helpers_are_wanted{false};

void wake_one_that_sleeps() {
  const auto asleep =
      std::ranges::find_if(pool->all, [](const processor* p) { return p->is_helper.load(std::memory_order_relaxed) && p->sleeps(); });
  if (asleep != pool->all.end()) (*asleep)->wake_up();
}

/// A stand-in that has nothing to do; null: there will be one soon.
processor* free_stand_in() {
  processor* found = nullptr;
  for (processor* const p : pool->stand_ins) {
    if (!p->is_free()) continue;
    if (found != nullptr) return found;
    found = p;
  }
  stand_in_is_wanted.store(true, std::memory_order_relaxed);
  if (found != nullptr) return found;
  // Stand-ins that sleep act for threads that are still blocked; one of these stand-ins can create another.
  wake_one_that_sleeps();
  return nullptr;
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
    for (processor* const p : pool->all)
      if (p->own().may(moves::to_stand_in)) what(p->own());
  };
  for_each([&](const body& b) {
    ++attached;
    block += times_of_late(b) >= 2 ? 1 : 0;
  });
  if (block >= 2 && 4 * block >= attached) for_each([](body& b) { b.ask_to_detach_for_a_while(); });
}

}  // namespace

void make_stand_in() {
  stand_in_is_wanted.store(false, std::memory_order_relaxed);
  const std::lock_guard lock(pool_lock);
  // The last thread may have ended meanwhile, and with it all helpers: nobody would end this one.
  if (pool->threads_with_bodies != 0 && std::ranges::none_of(pool->stand_ins, &processor::is_free)) new_processor(pool->stand_ins);
}
void make_wanted_stand_in() {
  if (passes_on_own_state()) [[unlikely]] return;
  if (stand_in_is_wanted.load(std::memory_order_relaxed)) [[unlikely]] make_stand_in();
  if (helpers_are_wanted.load(std::memory_order_relaxed)) [[unlikely]] {
    helpers_are_wanted.store(false, std::memory_order_relaxed);
    make_helpers_for_all();
  }
}
void want_helpers() {
  if (pool->helpers.size() >= processors_for_all) return;
  helpers_are_wanted.store(true, std::memory_order_relaxed);
  wake_one_that_sleeps();
}

bool claimant::hand_off(processor& from, std::uint32_t switched, bool blocked) {
  // If there is none the first time, the stand-in that was taken last creates one, unless the system refuses.
  const bool asked = stand_in_is_wanted.load(std::memory_order_relaxed);
  processor* const other = free_stand_in();
  if (other == nullptr && !asked) return false;
  if (!from.claim(switched)) return false;
  if (blocked) note_blocked(*from.current());
  if (other != nullptr) {
    from.run_queue::hand_off(*other);
  } else {
    from.detach_all();
    from.unclaim();
  }
  return true;
}

namespace {

/// Calls `found` with the processor on which the calling body is about to block, while no tick stops the body. Null: there is none,
/// or a stand-in has the processor's bodies already.
template <class Found>
processor* where_it_blocks(Found found) {
  // Held: a handler has interrupted a change of the queue.
  if (this_body == nullptr || this_body->held.load(std::memory_order_relaxed) != 0) return nullptr;
  const without_preemption to_the_end;
  if (this_body == nullptr) return nullptr;
  processor& at = *this_body->where();
  return at.is_stood_in_for() ? nullptr : found(at);
}

/// False: there is no stand-in, but there will be one when the monitor looks.
bool hand_off_ready(processor& from) {
  const std::lock_guard lock(pool_lock);
  processor* const other = free_stand_in();
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
  processor& mine = *own_processor;
  {
    const without_preemption to_the_end;
    mine.own().may_move.store(static_cast<std::uint32_t>(moves::nowhere), std::memory_order_relaxed);
    const std::lock_guard lock(pool_lock);
    processor* other;
    while ((other = free_stand_in()) == nullptr)
      if (new_processor(pool->stand_ins) == nullptr) return;  // the monitor then watches it like any other
    mine.seen.blocked = true;
    mine.hand_off(*other);
    scheduled_by = nullptr;
    native::displaced(true);
  }
  this_body = nullptr;
}

}  // namespace weir::threads
