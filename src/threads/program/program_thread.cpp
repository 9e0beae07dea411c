#include "threads/program/program_thread.hpp"

#include <atomic>
#include <utility>

#include "machine/scheduling.hpp"
#include "system/end_of_thread.hpp"
#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/program/attach_requests.hpp"
#include "threads/program/census.hpp"
#include "threads/program/left_alone.hpp"
#include "threads/program/recycled.hpp"
#include "threads/program/seats.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/in_handler.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/own_state.hpp"
#include "threads/scheduling/rseq_areas.hpp"
#include "threads/signals/process_signals.hpp"
#include "threads/support/floating_point.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

/// In memory that later threads use again: a thread that allocates for the first time pays for an arena of the C library's, which
/// costs more than the thread.
class program_thread {
 public:
  /// The calling thread may be given a seat from now on.
  void adopt();
  /// It needs a place to park and a processor, for the first time. In a handler only processors that are there already will do.
  bool find_seat(bool is_in_handler);
  bool go_to_seat(bool is_in_handler);
  /// Moves to another seat if there is reason to.
  void wait_in_seat();
  /// Is it in a seat that it may leave? Not in a handler that has interrupted a switch.
  bool may_leave_seat() const;
  void leave_seat_to_block();
  /// Before the calling thread ends: nobody drives it any more, and it has no seat.
  void give_up_seat();
  bool has_had_seat() const { return own.parking != nullptr; }
  /// In the child of a fork, where all seats are free.
  void forget_seat() {
    if (among_ != 0) among_ = 0;
  }

  beginning does{};
  std::uint64_t created_at = 0;  // in ticks
  body own;
  unsigned waits_before_seat = 0;

 private:
  void choose_seat();
  bool choose_seat_again();
  void give_seat_back() const;
  void note_move(processor* to);

  processor* seat_ = nullptr;
  unsigned number_ = 0, among_ = 0;  // the seat's number, of how many; 0: it has none
  absences absences_;
  bool has_been_member_ = false;
};

constinit teller tell_those_who_join = nullptr;
constinit bool begin_in_kernel = false;

namespace {

struct calling_thread {
  program_thread* known = nullptr;  // null: it may not be given a seat, or nobody has asked yet
  bool stays_in_kernel = false;
};
constinit thread_local calling_thread caller;

constinit recycled<program_thread> unused_threads;
constinit parking_places parking;
// None are taken where it is zero.
struct alignas(alignment_to_be_wiped) wiped_seats : seats_taken {};
WEIR_WIPED_IN_CHILDREN constinit wiped_seats seats[1];

// How often a thread waits in the kernel before it takes a seat, which costs as much as two or three such waits: most threads
// that are made for one thing wait for its begin, or for its end, and for nothing else.
constexpr unsigned waits_in_kernel = 2;
// A thread that begins so long after its creation had to wait for others: where a processor is free, that takes some ten
// microseconds. Where threads poll, they do so for this very thread, a slice of the kernel's each.
constexpr std::uint64_t late_us = 100;

constinit bool are_wiped = false;
WEIR_RUN_BY_FORKS void begin_in_child() {
  begin_census_in_child();
  parking.forget();
  unused_threads.forget();
  if (!are_wiped) seats[0].forget();
  if (caller.known != nullptr) caller.known->forget_seat();
}
[[gnu::constructor]] void when_loaded() {
  are_wiped = is_wiped_in_child(seats);
  pthread_atfork(nullptr, nullptr, begin_in_child);
}

bool is_first_thread() { return raw_call(SYS_gettid) == getpid(); }
bool may_be_adopted() {
  return !caller.stays_in_kernel && own_body_of_thread() == nullptr && !own_scheduler_is_known() &&
         why_no_processors() == nullptr;
}
bool adopt_this_thread() {
  program_thread* const thread = may_be_adopted() ? unused_threads.take() : nullptr;
  if (thread != nullptr) thread->adopt();
  return thread != nullptr;
}

}  // namespace

// ---- it begins and ends

void expect_another() {
  if (caller.known == nullptr && !caller.stays_in_kernel && is_first_thread() && !is_in_child()) adopt_this_thread();
  program_thread* const me = caller.known;
  if (me == nullptr) return;
  // Not a thread with a state of its own, which they would inherit: the first that takes a seat makes them.
  if (!me->has_had_seat() && are_too_many(1) && all_are_members() && is_as_others()) me->find_seat(false);
  begin_monitoring_by(me->own);
}

program_thread* expect_thread(beginning does) {
  program_thread* const thread = unused_threads.take();
  if (thread == nullptr) return nullptr;
  thread->does = does;
  thread->created_at = native::ticks();
  count_thread();  // now, since the thread may begin late
  return thread;
}
void forget_thread(program_thread& refused) {
  unused_threads.give_back(refused);
  count_end(false);
}
beginning beginning_of(const program_thread& thread) { return thread.does; }

void program_thread::adopt() {
  caller.known = this;
  take_stack_for_ticks(is_first_thread() ? whose::first_thread : whose::other_thread, does.stack_bytes);
  own.mask(present_mask());
  threads::adopt(own);
  at_end_of_thread(ending::program_thread, [](void*) { end_program_thread(); }, this);
}

life_of_thread::life_of_thread(program_thread& thread) {
  if (!all_may_become_members() || !may_be_adopted()) {
    unused_threads.give_back(thread);
    return;
  }
  const bool is_late = native::ticks() - thread.created_at > in_ticks(late_us) && some_have_polled();
  thread.adopt();
  if (!are_too_many()) return;
  // Without processors nobody would ask the thread to attach.
  if (all_are_members() && (is_late || !are_processors_used()) && !begin_in_kernel)
    take_seat();
  else
    want_requests();
}
life_of_thread::~life_of_thread() {
  end_program_thread();
  count_end();
}

void program_thread::give_up_seat() {
  at_end_of_thread(ending::program_thread, nullptr, nullptr);
  void* const place = own.parking;
  abandon(own);
  give_seat_back();
  if (place != nullptr) parking.give_back(place);
}
void end_program_thread() {
  caller.stays_in_kernel = true;
  program_thread* const ended = std::exchange(caller.known, nullptr);
  if (ended == nullptr) return;
  ended->give_up_seat();
  end_monitoring_by(ended->own);
  give_back_stack_for_ticks();
  unused_threads.give_back(*ended);
  if (tell_those_who_join != nullptr) tell_those_who_join();
}

void keep_in_kernel() { caller.stays_in_kernel = true; }

// Not by body_of(): a thread that has opened regions has a processor, which it gives back after those that join it have been
// told.
bool is_program_thread(pthread_t thread) {
  const claimant no_end_meanwhile;
  return claimant::has_body_of(thread);
}

// ---- which seat it has

void program_thread::give_seat_back() const {
  if (among_ != 0) seats[0].give_back(number_);
}
void program_thread::choose_seat() {
  give_seat_back();
  among_ = seats_now();
  number_ = seats[0].take(among_);
  seat_ = helper_that_is_there(number_);
}
/// A helper that the program may not use any more has given its threads the seats of others.
void program_thread::note_move(processor* to) {
  if (to == seat_ || among_ == 0 || to == nullptr || !to->is_helper.load(std::memory_order_relaxed) || to->stands_in) return;
  seats[0].move(number_, to->number);
  number_ = to->number;
  seat_ = to;
}
/// Its processor may be another program's now, or this program may have more.
bool program_thread::choose_seat_again() {
  if (seat_ == nullptr || among_ == seats_now()) [[likely]]
    return false;
  choose_seat();
  return true;
}

bool program_thread::find_seat(bool is_in_handler) {
  void* const place = parking.take();
  if (place == nullptr) return false;
  if (!use_processors(own, place, is_in_handler)) return parking.give_back(place), false;
  // The processors come all at once: a thread that is asked by a signal cannot make any.
  if (!is_in_handler) helper(processors_for_all - 1);
  if (why_no_processors() != nullptr || (!signals_are_awaited() && is_first_thread())) return true;
  choose_seat();
  return true;
}

// ---- it takes its seat, and leaves it

bool program_thread::go_to_seat(bool is_in_handler) {
  // Another thread has asked it to stay in the kernel.
  if (own.is_asked_to_detach()) [[unlikely]]
    pin();
  if (own.is_pinned_for_good()) return false;
  if (!has_had_seat() && !is_as_others()) [[unlikely]] {
    note_left_alone();
    pin();
    return false;
  }
  if (!gives_up_area()) [[unlikely]] {
    pin();
    return false;
  }
  if (!has_had_seat() && !find_seat(is_in_handler)) return false;
  choose_seat_again();
  if (seat_ != nullptr) change_seat(seat_);
  if (this_body != nullptr && !std::exchange(has_been_member_, true)) count_member();
  return this_body != nullptr;
}
bool take_seat(bool is_in_handler) {
  if (!all_are_members()) return false;
  if (caller.known != nullptr && caller.known->own.is_pinned_for_good()) return false;
  if (is_in_child() || (caller.known == nullptr && !adopt_this_thread())) return false;
  return caller.known->go_to_seat(is_in_handler);
}
body* body_that_may_attach() {
  const bool may =
      caller.known != nullptr && !caller.known->own.is_pinned_for_good() && this_body == nullptr && !caller.stays_in_kernel;
  return may ? &caller.known->own : nullptr;
}

void program_thread::wait_in_seat() {
  absences_.waits();
  if (this_body != &own || (own.home() == seat_ && among_ == seats_now())) return;
  // Not in a handler that has interrupted a switch.
  if (own.held.load(std::memory_order_relaxed) != 0) return;
  note_move(own.home());
  if (choose_seat_again() && seat_ != nullptr) go_to(seat_);
}

bool attach_to_wait() {
  if (kernel_mutexes_held != 0) [[unlikely]]
    return false;  // a lock of Weir's: another allocator waits there
  if (const body* const me = this_body != nullptr ? this_body : own_body_of_thread(); me != nullptr && waits_in_handler(*me))
    return false;
  if (this_body != nullptr) {
    if (is_in_child_on_other_stack()) [[unlikely]]
      return false;
    if (caller.known != nullptr) caller.known->wait_in_seat();
    return this_body != nullptr;
  }
  if (const body* const own = own_body_of_thread(); own != nullptr && own->home() != nullptr) {
    if (is_in_child()) return false;
    go_to(own->home());
    return this_body != nullptr;
  }
  return are_too_many() && take_seat();
}
bool comes_to_sleep() {
  program_thread* const me = caller.known;
  if (this_body == nullptr && me != nullptr && !me->has_had_seat() && me->waits_before_seat++ < waits_in_kernel) return false;
  return attach_to_wait();
}

bool program_thread::may_leave_seat() const {
  return this_body == &own && own.held.load(std::memory_order_relaxed) == 0 && !waits_in_handler(own) && !is_in_child();
}
void program_thread::leave_seat_to_block() {
  if (const std::uint64_t away_us = absences_.leaves(); away_us != 0)
    pin_for(away_us);
  else
    change_seat(nullptr);
}
bool detach_to_block() {
  if (caller.known == nullptr || !caller.known->may_leave_seat() || !are_too_many()) return false;
  caller.known->leave_seat_to_block();
  return this_body == nullptr;
}
void detach_to_make_child() {
  if (caller.known != nullptr && caller.known->may_leave_seat()) change_seat(nullptr);
}

// ---- it makes a child process without the C library's handlers of forks

// Signals of Weir's that come meanwhile find no body, and are lost, as ticks may be.
standing set_aside(bool waits) {
  detach_to_make_child();
  processor* const blocks = waits && this_body != nullptr && !detach_to_block() ? blocking_call::begin() : nullptr;
  const standing before{std::exchange(this_body, nullptr),
                        std::exchange(own_body, nullptr),
                        std::exchange(own_processor, nullptr),
                        std::exchange(caller.known, nullptr),
                        std::exchange(scheduled_by, nullptr),
                        std::exchange(caller.stays_in_kernel, true),
                        blocks};
  std::atomic_signal_fence(std::memory_order_seq_cst);  // seq_cst: before the system call, also to handlers
  return before;
}
void restore(const standing& before) {
  std::atomic_signal_fence(std::memory_order_seq_cst);  // seq_cst: behind the system call, also to handlers
  caller.stays_in_kernel = before.stays_in_kernel;
  caller.known = before.known;
  own_processor = before.drives;
  own_body = before.own;
  this_body = before.attached;
  scheduled_by = before.by;
  if (before.blocks != nullptr) blocking_call::end(*before.blocks);
}

void begin_as_copy() {
  processors_for_all = 0;
  seats_are_open.store(false, std::memory_order_relaxed);
}

void leave_for_good() {
  if (is_in_child() || (this_body != nullptr && this_body->held.load(std::memory_order_relaxed) != 0)) return;
  end_program_thread();
  pin();
}

}  // namespace weir::threads
