#include "threads/program/census.hpp"

#include <limits>

#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "threads/program/attach_requests.hpp"
#include "threads/program/left_alone.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/support/code.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

constinit std::atomic<void (*)()> tell_of_first_thread{nullptr};
constinit std::atomic<const told_of_starts*> tell_of_starts{nullptr};
constinit std::atomic<void (*)()> tell_of_early_end{nullptr};

namespace {

// The first thread, and those that the program has created and that have not ended. relaxed: a hint.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<unsigned> living{1};
// For the program's end. relaxed, all: numbers with which no other data goes.
constinit std::atomic<unsigned> created{0}, most_living{1}, left_alone{0}, have_been_members{0};
// How few processors they have had beside other programs, and for how long, in nanoseconds.
constinit std::atomic<unsigned> fewest_taken{0};
constinit std::atomic<std::uint64_t> time_with_fewer{0};
// Do the threads take fewer processors where other programs run (deprivation.hpp)? Written when the library is loaded.
constinit bool adapts_to_others = false;
// The monitor runs for a thread that has not ended yet. relaxed: where a thread sees it late, it runs for that one, too, or not.
constinit std::atomic<bool> is_monitored{false};

}  // namespace

WEIR_RUN_BY_FORKS void begin_census_in_child() {
  make_so_in_child(living, 1u);
  make_so_in_child(processors_used_now, 0u);
  // The child has one thread, and its processors are gone.
  if (processors_for_all != 0) processors_for_all = 0;
  make_so_in_child(seats_are_open, false);
}

namespace {

/// The monitor runs for another thread from now on: while seats are not open, nobody else would see that the others poll. False:
/// for none.
bool passes_on_monitor() {
  if (all_are_members()) return false;
  const claimant no_end_meanwhile;
  body* other = nullptr;
  std::size_t place = 0;
  claimant::for_some_bodies(place, std::numeric_limits<std::size_t>::max(), [&](body& b) {
    if (b.is_adopted) other = &b;
  });
  if (other != nullptr) other->keeps_monitor = true;
  return other != nullptr;
}

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
  if (all_may_become_members() && are_too_many()) want_requests();  // threads that poll may be in the kernel all this time
}

void count_thread() {
  const unsigned now = living.fetch_add(1, std::memory_order_relaxed) + 1;
  created.fetch_add(1, std::memory_order_relaxed);
  for (unsigned most = most_living.load(std::memory_order_relaxed);
       most < now && !most_living.compare_exchange_weak(most, now, std::memory_order_relaxed);) {
  }
}
void count_end(bool was_created) {
  if (!was_created) created.fetch_sub(1, std::memory_order_relaxed);
  living.fetch_sub(1, std::memory_order_relaxed);
}
void count_member() { have_been_members.fetch_add(1, std::memory_order_relaxed); }
void note_left_alone() { left_alone.fetch_add(1, std::memory_order_relaxed); }
unsigned program_threads_now() { return living.load(std::memory_order_relaxed); }
bool are_too_many(unsigned to_come) { return program_threads_now() + to_come > seats_now(); }
bool others_are_there() { return created.load(std::memory_order_relaxed) != 0 || last_processor() != nullptr; }

// Where there are fewer, most may have a processor whatever others do.
void begin_monitoring_by(body& creator) {
  const bool may_matter =
      all_are_members() ? adapts_to_others && 2 * (program_threads_now() + 1) > processors_for_all : are_too_many(1);
  if (!may_matter || gives_own_state || is_monitored.exchange(true, std::memory_order_relaxed)) return;
  creator.keeps_monitor = true;
  begin_to_monitor();
  wake_monitor_at(0);
}
void end_monitoring_by(body& ended) {
  if (!ended.keeps_monitor || passes_on_monitor()) return;
  is_monitored.store(false, std::memory_order_relaxed);
  end_to_monitor();
}
bool are_monitored() { return adapts_to_others && all_are_members() && is_monitored.load(std::memory_order_relaxed); }

void take_processors(unsigned processors) {
  const bool fewer = processors != 0;
  processors_used_now.store(processors, std::memory_order_relaxed);
  if (const unsigned before = fewest_taken.load(std::memory_order_relaxed); fewer && (before == 0 || processors < before))
    fewest_taken.store(processors, std::memory_order_relaxed);
  if (fewer && are_too_many()) request_at_once();
}
// By the monitor alone.
void count_time_with_fewer(std::uint64_t ns) {
  time_with_fewer.store(time_with_fewer.load(std::memory_order_relaxed) + ns, std::memory_order_relaxed);
}

history_of_threads program_threads_so_far() {
  history_of_threads past;
  if (!all_may_become_members()) return past;
  past.await_polling = !all_are_members();
  past.processors = processors_for_all;
  past.most_at_once = most_living.load(std::memory_order_relaxed);
  past.threads = created.load(std::memory_order_relaxed) + 1;
  past.members = have_been_members.load(std::memory_order_relaxed);
  past.left_alone = left_alone.load(std::memory_order_relaxed);
  past.fewest = fewest_taken.load(std::memory_order_relaxed);
  past.seconds_with_fewer = 1e-9 * static_cast<double>(time_with_fewer.load(std::memory_order_relaxed));
  past.why_none = has_own_scheduler() ? "another runtime in the process schedules threads itself" : why_no_processors();
  return past;
}

}  // namespace weir::threads
