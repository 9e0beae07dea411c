#include "threads/program/seats.hpp"

#include <utility>

#include <pthread.h>

#include "system/end_of_thread.hpp"
#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/program/left_alone.hpp"
#include "threads/program/recycled.hpp"
#include "threads/program/seats_taken.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/in_handler.hpp"
#include "threads/scheduling/own_state.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/rseq_areas.hpp"
#include "threads/signals/process_signals.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

constinit thread_local known_thread* mine = nullptr;
constinit thread_local bool stays_in_kernel = false;
constinit std::atomic<unsigned> have_been_members{0};

namespace {

constinit recycled<known_thread> known;
constinit parking_places parking;
// None are taken where it is zero.
struct alignas(alignment_to_be_wiped) wiped_seats : seats_taken {};
WEIR_WIPED_IN_CHILDREN constinit wiped_seats seats[1];

// How often a thread waits in the kernel before it takes a seat, which costs as much as two or three such waits: most threads
// that are made for one thing wait for its begin, or for its end, and for nothing else.
constexpr unsigned waits_in_kernel = 2;

constinit bool are_wiped = false;
WEIR_RUN_BY_FORKS void begin_in_child() {
  parking.forget();
  known.forget();
  if (!are_wiped) seats[0].forget();
  if (mine != nullptr && mine->among != 0) mine->among = 0;
}
[[gnu::constructor]] void when_loaded() {
  are_wiped = is_wiped_in_child(seats);
  pthread_atfork(nullptr, nullptr, begin_in_child);
}

}  // namespace

bool are_too_many() { return program_threads_now() > seats_now(); }
bool is_first_thread() { return raw_call(SYS_gettid) == getpid(); }

namespace {
void give_seat_back(const known_thread& its) {
  if (its.among != 0) seats[0].give_back(its.number);
}
void choose_seat() {
  give_seat_back(*mine);
  mine->among = seats_now();
  mine->number = seats[0].take(mine->among);
  mine->seat = helper_that_is_there(mine->number);
}
/// A virtual processor that was crowded gives a thread the seat of one that is idle.
void note_move(processor* to) {
  if (to == mine->seat || mine->among == 0 || to == nullptr || !to->is_helper.load(std::memory_order_relaxed) || to->stands_in)
    return;
  seats[0].move(mine->number, to->number);
  mine->number = to->number;
  mine->seat = to;
}
/// Its processor may be another program's now, or this program may have more.
bool choose_seat_again() {
  if (mine->seat == nullptr || mine->among == seats_now()) [[likely]] return false;
  choose_seat();
  return true;
}

}  // namespace

bool may_be_adopted() {
  return !stays_in_kernel && own_body_of_thread() == nullptr && !own_scheduler_is_known() && why_no_processors() == nullptr;
}
void adopt_this_thread(known_thread& its) {
  mine = &its;
  take_stack_for_ticks(is_first_thread() ? whose::first_thread : whose::other_thread, its.does.stack_bytes);
  mine->its.mask(present_mask());
  adopt(mine->its);
  at_end_of_thread(ending::program_thread, [](void*) { end_program_thread(); }, mine);
}
bool adopt_this_thread() {
  known_thread* const its = may_be_adopted() ? known.take() : nullptr;
  if (its != nullptr) adopt_this_thread(*its);
  return its != nullptr;
}

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

bool take_seat(bool is_in_handler) {
  if (!all_are_members()) return false;
  if (mine != nullptr && mine->its.is_pinned_for_good()) return false;
  if (is_in_child() || (mine == nullptr && !adopt_this_thread())) return false;
  // Another thread has asked it to stay in the kernel.
  if (mine->its.is_asked_to_detach()) [[unlikely]] pin();
  if (mine->its.is_pinned_for_good()) return false;
  if (mine->its.parking == nullptr && !is_as_others()) [[unlikely]] {
    note_left_alone();
    pin();
    return false;
  }
  if (!gives_up_area()) [[unlikely]] {
    pin();
    return false;
  }
  if (mine->its.parking == nullptr && !find_seat(is_in_handler)) return false;
  choose_seat_again();
  if (mine->seat != nullptr) change_seat(mine->seat);
  if (this_body != nullptr && !std::exchange(mine->has_been_member, true))
    have_been_members.fetch_add(1, std::memory_order_relaxed);
  return this_body != nullptr;
}

namespace {
void waits_in_seat() {
  mine->seat_left.waits();
  if (this_body != &mine->its || (this_body->home() == mine->seat && mine->among == seats_now())) return;
  // Not in a handler that has interrupted a switch.
  if (this_body->held.load(std::memory_order_relaxed) != 0) return;
  note_move(this_body->home());
  if (choose_seat_again() && mine->seat != nullptr) go_to(mine->seat);
}
}  // namespace

bool attach_to_wait() {
  if (kernel_mutexes_held != 0) [[unlikely]] return false;  // a lock of Weir's: another allocator waits there
  if (const body* const me = this_body != nullptr ? this_body : own_body_of_thread(); me != nullptr && waits_in_handler(*me))
    return false;
  if (this_body != nullptr) {
    if (is_in_child_on_other_stack()) [[unlikely]] return false;
    if (mine != nullptr) waits_in_seat();
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
  if (this_body == nullptr && mine != nullptr && mine->its.parking == nullptr && mine->waits_before_seat++ < waits_in_kernel)
    return false;
  return attach_to_wait();
}

namespace {
/// Has the thread a seat that it may leave? Not in a handler that has interrupted a switch.
bool may_leave_seat() {
  return mine != nullptr && this_body == &mine->its && this_body->held.load(std::memory_order_relaxed) == 0 &&
         !waits_in_handler(*this_body) && !is_in_child();
}
}  // namespace

bool detach_to_block() {
  if (!may_leave_seat() || !are_too_many()) return false;
  if (const std::uint64_t away_us = mine->seat_left.leaves(); away_us != 0)
    pin_for(away_us);
  else
    change_seat(nullptr);
  return this_body == nullptr;
}

void detach_to_make_child() {
  if (may_leave_seat()) change_seat(nullptr);
}

known_thread* new_known_thread() { return known.take(); }
void forget_known_thread(known_thread& its) { known.give_back(its); }

void give_up_seat(known_thread& its) {
  at_end_of_thread(ending::program_thread, nullptr, nullptr);
  void* const place = its.its.parking;
  abandon(its.its);
  give_seat_back(its);
  if (place != nullptr) parking.give_back(place);
}

}  // namespace weir::threads
