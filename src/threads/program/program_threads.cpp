#include "threads/program/program_threads.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <signal.h>

#include "machine/clocks.hpp"
#include "machine/errno_kept.hpp"
#include "machine/kernel_mutex.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/preemption/questions.hpp"
#include "threads/preemption/tick.hpp"
#include "threads/program/absences.hpp"
#include "threads/program/left_alone.hpp"
#include "threads/program/next_call.hpp"
#include "threads/program/polling_evidence.hpp"
#include "threads/program/recycled.hpp"
#include "threads/program/seats_taken.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/in_handler.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/own_state.hpp"
#include "threads/signals/process_signals.hpp"
#include "threads/support/code.hpp"
#include "threads/support/floating_point.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

constinit teller tell_those_who_join = nullptr;
constinit std::atomic<void (*)()> tell_of_first_thread{nullptr};
constinit std::atomic<const told_of_starts*> tell_of_starts{nullptr};

namespace {

// The first thread, and those that the program has created and that have not ended. relaxed: a hint.
constinit std::atomic<unsigned> living{1};
// For the program's end. relaxed, all: numbers with which no other data goes.
constinit std::atomic<unsigned> created{0}, most_living{1}, have_been_members{0}, left_alone{0};
// A thread that was called in was polling. relaxed: a hint.
constinit std::atomic<bool> some_poll{false};
// Do the threads take fewer processors where other programs run (deprivation.hpp)? Written when the library is loaded.
constinit bool adapts_to_others = false;
// A thread has begun to watch, and not ended yet. relaxed: who sees it late watches, too, or not.
constinit std::atomic<bool> is_watched{false};
// For seats that are not open yet.
constinit polling_evidence polling_seen;
constinit seats_taken seats;

}  // namespace

struct known_thread {
  beginning does{};
  std::uint64_t created_at = 0;  // in ticks
  body its;
  processor* seat = nullptr;
  unsigned number = 0, among = 0;  // of the seat, among so many; 0: it has none
  unsigned waits_before_seat = 0;
  absences seat_left;
  bool has_been_member = false;
};

namespace {

constinit recycled<known_thread> known;
constinit parking_places parking;

constinit thread_local known_thread* mine = nullptr;
constinit thread_local bool stays_in_kernel = false;
pthread_key_t end_of_thread;

// A thread that ends sooner is not worth a seat: a seat costs about as much as a thread. A program may be as short as its threads, so
// the first calls come sooner: together they cost less than a thread that spins for a slice of the kernel's.
constexpr std::uint64_t soonest_call_ns = 200'000, first_call_ns = 2'000'000, longest_between_calls_ns = 128'000'000;
// Whether a thread has run is one system call, and where it is, three. Meanwhile no thread begins or ends, so so many are asked together.
constexpr std::size_t asked_together = questions::most;
constexpr std::uint64_t used_at_least_ns = 50'000, longest_between_parts_ns = 8'000'000;
// How long a thread that begins now may run. relaxed: a hint.
constinit std::atomic<std::uint64_t> until_called_ns{soonest_call_ns};
// The monitor calls whenever it looks and finds that it is time.
constinit next_call call_in;
// A thread that begins so long after its creation had to wait for others: where a processor is free, that takes some ten microseconds.
// Where threads poll, they do so for this very thread, a slice of the kernel's each.
constexpr std::uint64_t late_us = 100;
// How often a thread waits in the kernel before it takes a seat, which costs as much as two or three such waits: most threads that are
// made for one thing wait for its begin, or for its end, and for nothing else.
constexpr unsigned waits_in_kernel = 2;

/// Once, until the monitor has found that the threads are not too many: it decides about the next calls.
void ask_for_call() {
  if (call_in.is_to_come()) return;
  const std::uint64_t at = now_by(CLOCK_MONOTONIC) + until_called_ns.load(std::memory_order_relaxed);
  if (call_in.ask_for(at)) wake_monitor_at(at);
}

bool are_too_many() { return living.load(std::memory_order_relaxed) > seats_now(); }

bool is_first_thread() { return raw_call(SYS_gettid) == getpid(); }

void give_seat_back(const known_thread& its) {
  if (its.among != 0) seats.give_back(its.number);
}
void choose_seat() {
  give_seat_back(*mine);
  mine->among = seats_now();
  mine->number = seats.take(mine->among);
  mine->seat = helper_that_is_there(mine->number);
}
/// The virtual processor has given the thread another seat: it was crowded, and the other one idle.
void note_move(processor* to) {
  if (mine->among == 0 || to == nullptr || !to->is_helper.load(std::memory_order_relaxed) || to->stands_in) return;
  seats.move(mine->number, to->number);
  mine->number = to->number;
  mine->seat = to;
}
/// Its processor may be another program's now, or this program may have more.
void choose_seat_again() {
  if (mine->seat != nullptr && mine->among != seats_now()) [[unlikely]] choose_seat();
}

bool may_be_adopted() {
  return !stays_in_kernel && own_body_of_thread() == nullptr && !own_scheduler_is_known() && why_no_processors() == nullptr;
}
/// The calling thread may be given a seat from now on.
void adopt_this_thread(known_thread& its) {
  mine = &its;
  mine->its.mask(present_mask());
  adopt(mine->its);
  pthread_setspecific(end_of_thread, mine);
}
bool adopt_this_thread() {
  known_thread* const its = may_be_adopted() ? known.take() : nullptr;
  if (its != nullptr) adopt_this_thread(*its);
  return its != nullptr;
}

/// It needs a place to park and a processor, for the first time. In a handler only processors that are there already will do.
bool find_seat(bool is_in_handler) {
  void* const place = parking.take();
  if (place == nullptr) return false;
  if (!use_processors(mine->its, place, is_in_handler)) return parking.give_back(place), false;
  // The processors come all at once: a thread that is called in cannot make any.
  if (!is_in_handler) helper(processors_for_all - 1);
  if (why_no_processors() != nullptr || (!signals_are_awaited() && is_first_thread())) return true;
  choose_seat();
  return true;
}

bool take_seat(bool is_in_handler = false) {
  if (!all_are_members()) return false;
  if (mine == nullptr && (is_in_child() || !adopt_this_thread())) return false;
  // Another thread has asked it to stay in the kernel.
  if (mine->its.is_asked_to_detach()) [[unlikely]] pin();
  if (mine->its.is_pinned_for_good()) return false;
  if (mine->its.parking == nullptr && !is_as_others()) [[unlikely]] {
    note_left_alone();
    pin();
    return false;
  }
  if (mine->its.parking == nullptr && !find_seat(is_in_handler)) return false;
  choose_seat_again();
  if (mine->seat != nullptr) change_seat(mine->seat);
  if (this_body != nullptr && !std::exchange(mine->has_been_member, true)) have_been_members.fetch_add(1, std::memory_order_relaxed);
  return this_body != nullptr;
}

[[gnu::constructor]] void when_loaded() {
  pthread_key_create(&end_of_thread, [](void*) { end_program_thread(); });
  pthread_atfork(nullptr, nullptr, [] {
    parking.forget();
    known.forget();
    seats.forget();
    if (mine != nullptr) mine->among = 0;
    living.store(1, std::memory_order_relaxed);
    processors_used_now.store(0, std::memory_order_relaxed);
    // The child has one thread, and its processors are gone.
    processors_for_all = 0;
    seats_are_open.store(false, std::memory_order_relaxed);
  });
}

}  // namespace

void make_all_members(unsigned processors, bool adapts, seats_for which) {
  know_base_code();
  processors_for_all = processors;
  adapts_to_others = adapts && processors > 1;
  seats_are_open.store(which == seats_for::all_that_wait, std::memory_order_relaxed);
}
bool program_threads_are_members() { return all_are_members(); }
void let_members_have(unsigned processors) {
  processors_used_now.store(processors, std::memory_order_relaxed);
  if (all_may_become_members() && are_too_many()) ask_for_call();  // threads that poll may be in the kernel all this time
}

namespace {
void waits_in_seat() {
  mine->seat_left.waits();
  if (this_body != &mine->its) return;
  const bool has_moved = this_body->home() != mine->seat;
  // Not in a handler that has interrupted a switch.
  if ((!has_moved && mine->among == seats_now()) || this_body->held.load(std::memory_order_relaxed) != 0) return;
  if (has_moved) note_move(this_body->home());
  choose_seat_again();
  if (mine->seat != nullptr) go_to(mine->seat);
}
}  // namespace

bool attach_to_wait() {
  if (kernel_mutexes_held != 0) [[unlikely]] return false;  // a lock of Weir's: another allocator waits there
  if (const body* const me = this_body != nullptr ? this_body : own_body_of_thread(); me != nullptr && waits_in_handler(*me)) return false;
  if (this_body != nullptr) {
    if (mine != nullptr) waits_in_seat();
    return this_body != nullptr;
  }
  if (const body* const own = own_body_of_thread(); own != nullptr && own->home() != nullptr) {
    go_to(own->home());
    return this_body != nullptr;
  }
  return are_too_many() && take_seat();
}

bool are_watched() { return adapts_to_others && all_are_members() && is_watched.load(std::memory_order_relaxed); }
unsigned program_threads_now() { return living.load(std::memory_order_relaxed); }
void take_processors(unsigned processors) {
  const bool fewer = processors != 0;
  processors_used_now.store(processors, std::memory_order_relaxed);
  if (fewer && are_too_many()) call_in.is_at(0);
}

bool comes_to_sleep() {
  if (this_body == nullptr && mine != nullptr && mine->its.parking == nullptr && mine->waits_before_seat++ < waits_in_kernel) return false;
  return attach_to_wait();
}

bool detach_to_block() {
  if (mine == nullptr || this_body != &mine->its || !are_too_many()) return false;
  // A handler that has interrupted a switch.
  if (this_body->held.load(std::memory_order_relaxed) != 0 || waits_in_handler(*this_body)) return false;
  if (const std::uint64_t away_us = mine->seat_left.leaves(); away_us != 0)
    pin_for(away_us);
  else
    change_seat(nullptr);
  return this_body == nullptr;
}

known_thread* expect_thread(beginning does) {
  known_thread* const its = known.take();
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
  known.give_back(its);
  created.fetch_sub(1, std::memory_order_relaxed);
  living.fetch_sub(1, std::memory_order_relaxed);
}
beginning beginning_of(const known_thread& its) { return its.does; }

program_thread::program_thread(known_thread& its) {
  if (!all_may_become_members() || !may_be_adopted()) {
    known.give_back(its);
    return;
  }
  const bool is_late = native::ticks() - its.created_at > in_ticks(late_us) && some_poll.load(std::memory_order_relaxed);
  adopt_this_thread(its);
  if (!are_too_many()) return;
  // Without processors nobody would call the thread in.
  if (all_are_members() && (is_late || !are_processors_used()))
    take_seat();
  else
    ask_for_call();
}
program_thread::~program_thread() {
  end_program_thread();
  living.fetch_sub(1, std::memory_order_relaxed);
}

namespace {
// The monitor runs for another thread from now on: while seats are not open, nobody else would see that the others poll. False: for none.
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
  pthread_setspecific(end_of_thread, nullptr);
  void* const place = ended.its.parking;
  abandon(ended.its);
  if (ended.its.watches && !passes_on_watch()) {
    is_watched.store(false, std::memory_order_relaxed);
    end_to_watch();
  }
  give_seat_back(ended);
  if (place != nullptr) parking.give_back(place);
  known.give_back(ended);
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
  if ((all_are_members() ? others_may_matter : too_many) && !gives_own_state && !is_watched.exchange(true, std::memory_order_relaxed)) {
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

// ---- threads that run for long without a call

const char attach_request = 0;

void note_running_thread(bool polls) {
  if (all_are_members() || !polling_seen.add(polls) || seats_are_open.exchange(true, std::memory_order_relaxed)) return;
  call_in.is_at(0);
  wake_monitor_at(0);
}

std::uint64_t attach_running_threads(std::uint64_t now) {
  static std::uint64_t distance = 0;  // 0: there was none yet
  static bool calls = false;          // false: it only asks who polls
  const auto next_at = [](std::uint64_t time) { return call_in.is_at(time), time; };
  constexpr std::uint64_t never = next_call::never;
  if (!all_may_become_members()) return never;
  if (!are_too_many()) {
    distance = 0;
    if (call_in.forget(are_too_many)) return never;
  }
  if (!calls && all_are_members()) {
    calls = true;
    want_helpers();
    until_called_ns.store(soonest_call_ns, std::memory_order_relaxed);
    distance = 0;
    return next_at(now + soonest_call_ns);
  }
  const std::uint64_t until_first = until_called_ns.load(std::memory_order_relaxed), next = call_in.at();
  if (next == never) return next_at(now + until_first);
  if (now < next) return next;
  if (calls) want_helpers();  // again: who was about to go to sleep has not heard it
  if (distance == 0) distance = until_first;
  until_called_ns.store(std::min(2 * until_first, first_call_ns), std::memory_order_relaxed);
  bool some = false;
  if (!hold_ticks()) return next_at(now + longest_between_calls_ns);  // the program handles the signal, perhaps not for ever
  static std::size_t place = 0;
  questions running;
  const bool all = claimant::for_some_bodies(place, asked_together, [&](body& b) {
    if (!b.is_adopted || b.where() != nullptr || b.is_pinned || blocks_ticks(b)) return;
    some = true;
    // The first time also one that has not got a processor yet: the signal waits for it.
    const bool is_known = b.had != 0;
    const std::uint64_t had = processor_time(b.id), used = had - std::exchange(b.had, had);
    if (is_known && used < used_at_least_ns) return;
    if (!calls && b.waits_lately() >= waits_often)
      note_running_thread(true);
    else
      running.add(b);
  });
  running.ask(calls ? &attach_request : &poll_question);
  release_ticks();
  const std::uint64_t longest = all ? longest_between_calls_ns : longest_between_parts_ns;
  distance = some || !all ? std::min(2 * distance, longest) : longest;
  return next_at(now + distance);
}

// No lock is held where the thread runs code that is neither Weir's, nor the C library's, nor an allocator's, unless a handler has
// interrupted that: then the mask is another one than the thread's.
void answer_attach_request(ucontext_t& in) {
  if (mine == nullptr || this_body != nullptr || stays_in_kernel || !are_too_many() || is_in_child()) return;
  if (kernel_mutexes_held != 0) return;  // it holds one, in an allocator that is not the C library's
  if (!is_plain(mine->its, in) || is_base_code(code_of(in))) return;
  const errno_kept around;
  // If this thread polls here, others soon will: with a trampoline they take their seats without a signal.
  if (polling its; its.begin(in)) {
    some_poll.store(true, std::memory_order_relaxed);
    if (want_trampoline(its)) wake_monitor_at(0);
  }
  let_cancellation_in();
  take_seat(true);
  return_with_present_stack(in);
}

// Not by body_of(): a thread that has opened regions has a processor, which it gives back after those that join it have been told.
bool is_program_thread(pthread_t thread) {
  const claimant no_end_meanwhile;
  return claimant::has_body_of(thread);
}

}  // namespace weir::threads
