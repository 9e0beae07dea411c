#include "threads/program/program_threads.hpp"

#include <limits>
#include <utility>

#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/preemption/tick.hpp"
#include "threads/program/called_in.hpp"
#include "threads/program/left_alone.hpp"
#include "threads/program/seats.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/own_state.hpp"
#include "threads/support/code.hpp"
#include "threads/support/floating_point.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

constinit teller tell_those_who_join = nullptr;
constinit bool begin_in_kernel = false;
constinit std::atomic<void (*)()> tell_of_first_thread{nullptr};
constinit std::atomic<const told_of_starts*> tell_of_starts{nullptr};
constinit std::atomic<void (*)()> tell_of_early_end{nullptr};

namespace {

// The first thread, and those that the program has created and that have not ended. relaxed: a hint.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<unsigned> living{1};
// For the program's end. relaxed, all: numbers with which no other data goes.
constinit std::atomic<unsigned> created{0}, most_living{1}, left_alone{0};
// Do the threads take fewer processors where other programs run (deprivation.hpp)? Written when the library is loaded.
constinit bool adapts_to_others = false;
// A thread has begun to watch, and not ended yet. relaxed: who sees it late watches, too, or not.
constinit std::atomic<bool> is_watched{false};

// A thread that begins so long after its creation had to wait for others: where a processor is free, that takes some ten
// microseconds. Where threads poll, they do so for this very thread, a slice of the kernel's each.
constexpr std::uint64_t late_us = 100;

WEIR_RUN_BY_FORKS void begin_in_child() {
  make_so_in_child(living, 1u);
  make_so_in_child(processors_used_now, 0u);
  // The child has one thread, and its processors are gone.
  if (processors_for_all != 0) processors_for_all = 0;
  make_so_in_child(seats_are_open, false);
}
[[gnu::constructor]] void when_loaded() { pthread_atfork(nullptr, nullptr, begin_in_child); }

}  // namespace

void make_all_members(unsigned processors, bool adapts, seats_for which) {
  know_system_code();
  processors_for_all = processors;
  adapts_to_others = adapts && processors > 1;
  seats_are_open.store(which == seats_for::all_that_wait, std::memory_order_relaxed);
}
bool program_threads_are_members() { return all_are_members(); }
void let_members_have(unsigned processors) {
  processors_used_now.store(processors, std::memory_order_relaxed);
  if (all_may_become_members() && are_too_many()) ask_for_call();  // threads that poll may be in the kernel all this time
}

bool are_watched() { return adapts_to_others && all_are_members() && is_watched.load(std::memory_order_relaxed); }
unsigned program_threads_now() { return living.load(std::memory_order_relaxed); }
void take_processors(unsigned processors) {
  const bool fewer = processors != 0;
  processors_used_now.store(processors, std::memory_order_relaxed);
  if (fewer && are_too_many()) call_at_once();
}

known_thread* expect_thread(beginning does) {
  known_thread* const its = new_known_thread();
  if (its == nullptr) return nullptr;
  its->does = does;
  its->created_at = native::ticks();
  // Now, since the thread may begin late.
  const unsigned now = living.fetch_add(1, std::memory_order_relaxed) + 1;
  created.fetch_add(1, std::memory_order_relaxed);
  for (unsigned most = most_living.load(std::memory_order_relaxed);
       most < now && !most_living.compare_exchange_weak(most, now, std::memory_order_relaxed);) {}
  return its;
}
void forget_thread(known_thread& its) {
  forget_known_thread(its);
  created.fetch_sub(1, std::memory_order_relaxed);
  living.fetch_sub(1, std::memory_order_relaxed);
}
beginning beginning_of(const known_thread& its) { return its.does; }

program_thread::program_thread(known_thread& its) {
  if (!all_may_become_members() || !may_be_adopted()) {
    forget_known_thread(its);
    return;
  }
  const bool is_late = native::ticks() - its.created_at > in_ticks(late_us) && some_have_polled();
  adopt_this_thread(its);
  if (!are_too_many()) return;
  // Without processors nobody would call the thread in.
  if (all_are_members() && (is_late || !are_processors_used()) && !begin_in_kernel)
    take_seat();
  else
    ask_for_call();
}
program_thread::~program_thread() {
  end_program_thread();
  living.fetch_sub(1, std::memory_order_relaxed);
}

namespace {
// The monitor runs for another thread from now on: while seats are not open, nobody else would see that the others poll. False:
// for none.
bool passes_on_watch() {
  if (all_are_members()) return false;
  const claimant no_end_meanwhile;
  body* other = nullptr;
  std::size_t place = 0;
  claimant::for_some_bodies(place, std::numeric_limits<std::size_t>::max(), [&](body& b) {
    if (b.is_adopted) other = &b;
  });
  if (other != nullptr) other->watches = true;
  return other != nullptr;
}
}  // namespace

void end_program_thread() {
  stays_in_kernel = true;
  if (mine == nullptr) return;
  known_thread& ended = *std::exchange(mine, nullptr);
  give_up_seat(ended);
  if (ended.its.watches && !passes_on_watch()) {
    is_watched.store(false, std::memory_order_relaxed);
    end_to_watch();
  }
  give_back_stack_for_ticks();
  forget_known_thread(ended);
  if (tell_those_who_join != nullptr) tell_those_who_join();
}

void expect_another() {
  if (mine == nullptr && !stays_in_kernel && is_first_thread() && !is_in_child()) adopt_this_thread();
  if (mine == nullptr) return;
  const unsigned then = living.load(std::memory_order_relaxed) + 1;
  const bool too_many = then > seats_now();
  // Not a thread with a state of its own, which they would inherit: the first that takes a seat makes them.
  if (mine->its.parking == nullptr && too_many && all_are_members() && is_as_others()) find_seat(false);
  // Where there are fewer, most may have a processor whatever others do.
  const bool others_may_matter = adapts_to_others && 2 * then > processors_for_all;
  if ((all_are_members() ? others_may_matter : too_many) && !gives_own_state &&
      !is_watched.exchange(true, std::memory_order_relaxed)) {
    mine->its.watches = true;
    begin_to_watch();
    wake_monitor_at(0);
  }
}

history_of_threads program_threads_so_far() {
  history_of_threads its;
  if (!all_may_become_members()) return its;
  its.await_polling = !all_are_members();
  its.processors = processors_for_all;
  its.most_at_once = most_living.load(std::memory_order_relaxed);
  its.all = created.load(std::memory_order_relaxed) + 1;
  its.members = have_been_members.load(std::memory_order_relaxed);
  its.left_alone = left_alone.load(std::memory_order_relaxed);
  its.fewest = fewest_taken.load(std::memory_order_relaxed);
  its.seconds_with_fewer = 1e-9 * static_cast<double>(time_with_fewer.load(std::memory_order_relaxed));
  its.why_none = has_own_scheduler() ? "another runtime in the process schedules threads itself" : why_no_processors();
  return its;
}

void note_left_alone() { left_alone.fetch_add(1, std::memory_order_relaxed); }

void keep_in_kernel() { stays_in_kernel = true; }

bool others_are_there() { return created.load(std::memory_order_relaxed) != 0 || last_processor() != nullptr; }

// Not by body_of(): a thread that has opened regions has a processor, which it gives back after those that join it have been
// told.
bool is_program_thread(pthread_t thread) {
  const claimant no_end_meanwhile;
  return claimant::has_body_of(thread);
}

}  // namespace weir::threads
