#include "openmp/placing/seats.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <weir/machine/native.hpp>

#include "openmp/placing/on_node.hpp"
#include "openmp/settings/initial.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

constinit bool all_have_seats = false;

namespace {
constexpr unsigned seats_elsewhere = ~0u;  // as if for a number of processors that never occurs, so that members move

// relaxed: no other data goes with this number. Waiters of such teams wait as if only the members that sat on their processors at
// first sat there now.
constinit std::atomic<unsigned> teams_that_have_moved{0};

// relaxed: set before the threads that it concerns have begun.
constinit std::atomic<bool> shared_seats{false};

[[gnu::constructor]] void when_loaded() { 
  all_have_seats = initial_settings().threads == threads_of::user || shares_node();
}
}  // namespace

unsigned share_within(const team& outer) { return std::max(outer.share / outer.size, 1u); }

unsigned seats_of_new_team(const member& me, unsigned size) {
  if (size == 1) return 0;
  // Members of a team that is nested in a team with seats share these seats.
  const team& outer = *me.of;
  if (!outer.seats.empty()) return static_cast<unsigned>(outer.seats.size());
  const unsigned share = outer.parent == nullptr ? share_of_processors() : share_within(outer);
  return (!all_have_seats && size <= share) || !threads::may_drive() ? 0 : std::min(share, size);
}

void take_seats(team& t) {
  await_turn();
  threads::processor& own = threads::seat();
  const team& outer = *t.parent->of;
  const bool has_moved = forget_moves(t);
  if (!t.seats.empty() && t.seats.front() == &own && t.seats_of_outer == outer.seats && !has_moved) return;
  t.seats_of_outer = outer.seats;
  t.seats = outer.seats;
  if (!outer.seats.empty()) {
    shared_seats.store(true, std::memory_order_relaxed);
    if (std::ranges::find(t.seats, &own) == t.seats.end()) t.seats.push_back(&own);  // a member that has moved
    std::ranges::rotate(t.seats, std::ranges::find(t.seats, &own));
    t.seats.resize(t.processors);
  } else {
    t.seats.push_back(&own);
    // Teams that each have a part of the processors begin with different helpers.
    const unsigned wanted = t.processors - 1, first = t.parent->number * wanted;
    const unsigned helpers = std::max(static_cast<unsigned>(initial_settings().processors) - 1, wanted);
    for (unsigned i = 0; i < wanted; ++i)
      if (threads::processor* const p = threads::helper_beside(own, (first + i) % helpers)) t.seats.push_back(p);
  }
  const unsigned share = share_of_processors();  // it may have changed since this team was chosen
  // Members take seats in turn, so that a member that waits for the one before it overlaps with it (ordered loops, pipelines).
  // Loops whose members share lines only with their neighbours pay for this. The members of a virtual processor meet first, and
  // one of them then meets those of the other virtual processors.
  std::vector<int> seat_of(t.size);
  for (unsigned m = 0; m < t.size; ++m) {
    seat_of[m] = static_cast<int>(m % t.seats.size());
    t.members[m].seat = t.seats[m % t.seats.size()];
    t.members[m].seated_for = outer.parent != nullptr ? 0 : t.processors <= share ? share : seats_elsewhere;
    t.members[m].sits_among = static_cast<unsigned>(t.seats.size());
  }
  t.place_barrier(seat_of);
}

bool sleeps(const team& t, unsigned seat) { return threads::sleeps(*t.seats[seat]); }
void wake_seat(team& t, unsigned seat) { threads::wake_up(*t.seats[seat]); }

namespace {
void count_as_moved(team& t, bool so) {
  if (t.counts_as_moved.load(std::memory_order_relaxed) == so || t.counts_as_moved.exchange(so, std::memory_order_relaxed) == so)
    return;
  if (so) {
    teams_that_have_moved.fetch_add(1, std::memory_order_relaxed);
    native::crowded(true);
  } else if (teams_that_have_moved.fetch_sub(1, std::memory_order_relaxed) == 1) {
    native::crowded(false);
  }
}

// Returns whether the member sits there. One that was found blocked too often stays in its kernel thread for a while.
bool sit_among(member& me, unsigned processors, threads::processor* first) {
  if (std::exchange(me.sits_among, processors) != processors) {
    threads::processor* to = nullptr;
    if (processors != 0) {
      if (threads::passes_on_own_state()) return true;  // it stays in its own kernel thread
      const unsigned which = me.number % processors;
      to = which == 0 ? first : threads::helper_beside(*first, which - 1);
      if (to == nullptr) return true;  // the system refuses a thread
    }
    team& t = *me.of;
    if (to == me.seat) return true;
    if (me.seat == nullptr) t.with_seats.fetch_add(1, std::memory_order_relaxed);
    me.seat = to;
    t.has_moved.store(true, std::memory_order_relaxed);
    // relaxed, both: a member that has counted itself out, and is still on a processor that closes, goes on in its own kernel
    // thread.
    if (to == nullptr) t.with_seats.fetch_sub(1, std::memory_order_relaxed);
  }
  threads::go_to(me.seat);
  return me.seat == nullptr || threads::is_on_processor();
}
}  // namespace

bool sit_within(member& me, unsigned share) {
  team& t = *me.of;
  const auto seats = share == t.share ? static_cast<unsigned>(t.seats.size()) : t.size;
  if (share != t.share) count_as_moved(t, true);
  return sit_among(me, std::min(share, seats), t.seats.front());
}

bool sit_as_decided(member& me) {
  team& t = *me.of;
  const unsigned chosen = t.computes_on.load(std::memory_order_acquire);  // acquire: the first seat
  return sit_among(me, chosen, chosen == 0 ? nullptr : t.first_seat);
}

void compute_on(team& t, unsigned processors) {
  count_as_moved(t, processors != 0);
  if (processors != 0) shared_seats.store(true, std::memory_order_relaxed);  // by the crews of members that have come there
  t.computes_on.store(processors, std::memory_order_release);  // release: the first seat
}

void forget_seats(team& t) {
  if (!forget_moves(t)) return;
  for (unsigned m = 1; m < t.size; ++m) {
    t.members[m].seat = nullptr;
    t.members[m].sits_among = 0;
  }
  t.with_seats.store(0, std::memory_order_relaxed);  // relaxed: published by the next release
}

bool forget_moves(team& t) {
  count_as_moved(t, false);
  // relaxed, both: the primary thread has waited for all members.
  if (!t.has_moved.load(std::memory_order_relaxed)) return false;
  t.has_moved.store(false, std::memory_order_relaxed);
  return true;
}

bool seats_have_been_shared() { return shared_seats.load(std::memory_order_relaxed); }

}  // namespace weir::openmp
