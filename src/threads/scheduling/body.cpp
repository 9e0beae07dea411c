#include "threads/scheduling/body.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>

#include "machine/scheduling.hpp"
#include "system/detached_thread.hpp"
#include "system/fork_page.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/in_handler.hpp"
#include "threads/scheduling/kept_threads.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/rseq_areas.hpp"
#include "threads/support/floating_point.hpp"
#include "threads/support/mapped_memory.hpp"
#include "threads/support/valgrind.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

constinit thread_local body* this_body = nullptr;
constinit thread_local body* own_body = nullptr;
WEIR_WRITTEN_BY_FORKS constinit kept_threads threads_kept_in_kernel;
constinit thread_local std::uintptr_t stack_known_from = 0;

// The debugger reads bodies by their layout. offsetof() works for every type with the compilers of this project.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(body, on) == 0);  // for go_to()
extern "C" {
/// For debuggers (gdb.py): the offset of this_body from the thread pointer, and the offsets of the members of a body.
[[gnu::used]] constinit std::ptrdiff_t weir_for_debuggers[] = {0, offsetof(body, at), offsetof(body, on), offsetof(body, awaits),
                                                               offsetof(body, run)};
}
#pragma GCC diagnostic pop

namespace {

void add_to_bodies(body& b) {
  const std::lock_guard lock(pool_lock);
  pool->bodies.add(b);
  if (const auto found = std::ranges::find(pool->called_early, b.thread); found != pool->called_early.end()) {
    *found = {};
    b.ask_to_detach();
  }
}
/// Waits for claimants, so that none still reads the body: one may have found it on its last processor.
void remove_from_bodies(body& b, bool uses_processors) {
  const std::lock_guard lock(pool_lock);
  pool->bodies.remove(b);
  if (uses_processors) end_to_use_processors();
}

// A few looks of the monitor; and longer than most calls, and than all that wait for nobody, on a busy machine.
constexpr std::uint64_t patience_us = 1'000, patience_for_good_us = 1'000'000;

constexpr unsigned long least_frame = 51;  // AT_MINSIGSTKSZ

[[gnu::constructor]] void when_loaded() {
  weir_for_debuggers[0] = reinterpret_cast<char*>(&this_body) - static_cast<char*>(thread_pointer());
  if (!has_room_for_frame(getauxval(least_frame)))
    refuse_members("the frame of a signal is larger on this processor than the stack of a parked thread");
}

/// For the child of a fork. The kernel thread there has the spare area of the virtual processor's thread that has called fork
/// (rseq_areas.hpp). The C library takes the stack of that thread for unused. Once the stack is unmapped, the kernel can no
/// longer write to the area, and ends the process.
WEIR_RUN_BY_FORKS void begin_in_child() {
  const body* const caller = this_body;
  takes_area_back_in_child(caller != nullptr ? caller->where()->spare_area : spare_area());
  threads_kept_in_kernel.forget();
  // It ends as a thread of its own.
  if (own_body == nullptr) return;
  own_body->is_kept = false;
  if (caller == own_body) {
    this_body = nullptr;
    pthread_setcancelstate(own_body->cancel_state, nullptr);
  }
  own_body->on.store(nullptr, std::memory_order_relaxed);
  own_body->seat.store(nullptr, std::memory_order_relaxed);
  own_body->id = static_cast<pid_t>(raw_call(SYS_gettid));
  own_body->forget_signals();
}
[[gnu::constructor(102)]] void before_processors() {  // the handler of processors forgets the caller
  pthread_atfork(nullptr, nullptr, begin_in_child);
}

// Called when a detached body waits: the body returns to its seat.
// Not in a handler, whose mask the body would keep.
void return_to_seat() noexcept {
  if (waits_in_handler(*own_body)) return yield_to_kernel();
  go_to(own_body->home());
  if (own_body->where() == nullptr) yield_to_kernel();  // nobody drives that processor now
}
void sleep_in_seat(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  return_to_seat();
  if (scheduled_by == &by_processors)
    by_processors.sleep_while(word, value);
  else
    futex_wait(word, value);
}
constexpr scheduling by_return{return_to_seat, return_to_seat, sleep_in_seat};

/// Runs on the parking stack, where this_body is still null: to the processor, the body comes from another thread.
context park(void* given) {
  body& b = *static_cast<body*>(given);
  // Elsewhere the body's handlers run on the stack, and the C library's signal for setuid() comes here meanwhile.
  if (b.signal_stack.number != 0) set_alternate_stack({}, stack_for_ticks());
  run_queue::make_ready(b, nullptr);
  b.parked.await_end();
  if (b.signal_stack.number != 0) set_alternate_stack(b.signal_stack, stack_for_ticks());
  scheduled_by = b.home() != nullptr ? &by_return : nullptr;
  this_body = nullptr;
  return b.at;
}

/// Signals for the kernel thread would be pending there while the thread is parked. From now on such signals go to the body.
/// Signals that came before, and that the body does not block, are handled now. The others stay pending there.
void take_what_was_sent_to_thread(body& b) {
  {
    const claimant no_sender_meanwhile;
    b.departs();
    b.on.store(b.home(), std::memory_order_relaxed);
  }
  await_signals_for(b);
  signal_mask pending = 0;
  raw_call(SYS_rt_sigpending, as_argument(&pending), sizeof pending);
  b.left_in_thread = pending & b.mask();
  if ((pending & ~b.mask()) == 0) return;
  exchange_mask(b.mask());
  exchange_mask(all_signals);
}

/// The parked kernel thread must handle no signal in the body's name.
[[gnu::noinline]] void attach(body& b) {
  if (is_in_child()) return;  // of a bare system call
  close_own_processor();
  b.thread_pointer = thread_pointer();
  // A cancellation is a signal for the kernel thread that is parked, which would end the thread while its body runs.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &b.cancel_state);
  b.mask(exchange_mask(all_signals));
  b.signal_stack = alternate_stack_of_thread();
  take_what_was_sent_to_thread(b);
  native::displaced(false);
  processor::attach(b);
}

void forget_kept(const body& b) {
  if (b.is_kept) threads_kept_in_kernel.remove(b.id);
}

/// Also where pthread_exit() unwinds the body: the rest of a thread's end is for its own kernel thread.
struct end_of_body {
  ~end_of_body() {
    go_to(nullptr);
    forget_kept(*own_body);
    remove_from_bodies(*own_body, false);
    own_body = nullptr;
  }
};

[[gnu::noinline]] void run_body(void* given) {
  const std::unique_ptr<body> b(static_cast<body*>(given));
  alignas(16) std::byte parking[parking_bytes];
  asm volatile("" : : "r"(parking) : "memory");
  // Valgrind must not take it for a part of the body's own stack.
  const std::vector<std::byte, mapped_memory<std::byte>> apart(runs_on_valgrind() ? parking_bytes : 0);
  const known_stack while_parked(apart.data(), apart.data() + apart.size());
  b->parking = (apart.empty() ? parking : const_cast<std::byte*>(apart.data())) + parking_bytes;
  b->id = static_cast<pid_t>(raw_call(SYS_gettid));
  b->thread = pthread_self();
  own_body = b.get();
  add_to_bodies(*b);
  processor* const first = b->home();
  b->seat.store(nullptr, std::memory_order_relaxed);
  go_to(first);
  const end_of_body at_the_end;
  b->run(b->what);
}

/// Stacks begin at the same offset in a page, so the frames of different members would compete for the same few lines of the
/// first-level cache. Therefore the members begin at different offsets.
constexpr unsigned places = 16, place_bytes = 256;

constexpr std::size_t taken_bytes = parking_bytes + places * place_bytes;

void* begin(void* given) {
  static constinit std::atomic<unsigned> begun{0};
  // relaxed: a number of its own for each.
  const unsigned place = begun.fetch_add(1, std::memory_order_relaxed) % places;
  auto* const unused = static_cast<char*>(__builtin_alloca(place * place_bytes + 1));
  asm volatile("" : : "r"(unused) : "memory");
  run_body(given);
  return nullptr;
}
/// The calling body belongs to the kernel thread that drives its seat. That thread may be blocked in a call of another body, and
/// this call may wait for the calling body. So the calling body waits only for a while, and only once as long as this lasts.
/// False: it has waited in vain, or it has been asked to detach and pinned meanwhile.
bool waits_for_its_seat(bool& in_vain, std::uint64_t patience) {
  const processor& seat = *this_body->home();
  const std::uint64_t begun = native::ticks(), most = in_vain ? 0 : in_ticks(patience);
  while (this_body != nullptr && this_body->where() != &seat) {
    in_vain = native::ticks() - begun > most;
    if (in_vain) return false;
    by_processors.yield();
  }
  in_vain = false;
  return this_body != nullptr;
}
/// `for_good`: the body is about to change the state of its kernel thread. Otherwise it would only be faster there.
bool comes_to_its_seat(bool for_good) {
  constinit static thread_local bool in_vain = false, in_vain_for_good = false;
  const processor& seat = *this_body->home();
  if (this_body->where() == &seat) return true;
  if (!for_good) return !seat.is_stood_in_for() && waits_for_its_seat(in_vain, patience_us);
  return waits_for_its_seat(in_vain_for_good, patience_for_good_us);
}

}  // namespace

void native_bodies::lend(body& b) {
  this_body = nullptr;
  weir_lend(&b.at, b.parking, park, &b);
  if (b.where() == nullptr) return;
  this_body = &b;
  scheduled_by = &by_processors;
}

signal_mask exchange_mask(signal_mask to) {
  signal_mask before = 0;
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&to), as_argument(&before), sizeof before);
  return before;
}

signal_mask present_mask() {
  signal_mask now = 0;
  raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, as_argument(&now), sizeof now);
  return now;
}

// Not called on the parking stack, because pending signals are handled now.
void body::arrive_detached() {
  // While all signals are blocked: no handler keeps those waiting that send it more.
  if (is_summoned()) send_queued(0);
  has_arrived_.store(true, std::memory_order_release);  // release: the kernel has those that were queued
  exchange_mask(mask());
  pthread_setcancelstate(cancel_state, nullptr);  // a cancellation finds the thread in its kernel thread
  take_signals();
}

bool body::stays_pinned() {
  if (is_pinned && detached_until != 0 && native::ticks() >= detached_until) is_pinned = false;
  return is_pinned;
}

void adopt(body& b) {
  b.is_adopted = true;
  b.id = static_cast<pid_t>(raw_call(SYS_gettid));
  b.thread = pthread_self();
  own_body = &b;
  if (is_driving()) b.begin_call();  // until its region ends
  add_to_bodies(b);
}
bool use_processors(body& b, void* parking, bool only_if_others_do) {
  if (!begin_to_use_processors(only_if_others_do)) return false;
  b.parking = parking;
  return true;
}
void abandon(body& b) {
  go_to(nullptr);
  forget_kept(b);
  remove_from_bodies(b, b.parking != nullptr);
  own_body = nullptr;
}

bool is_as_started(std::uint64_t signals) {
  const body* const me = this_body;
  return me != nullptr && me == own_body && !me->is_adopted && me->home() != nullptr && !me->is_pinned && !me->is_summoned() &&
         ((me->mask() ^ signals) & all_signals) == 0 && me->cancel_state == PTHREAD_CANCEL_ENABLE;
}

bool is_started() { return own_body != nullptr && !own_body->is_adopted; }

void change_seat(processor* seat) {
  body& b = *own_body;
  if (seat == nullptr) native::displaced(false);
  if (b.stays_pinned()) return;
  // A thread in a region that has given its processor away: the members there, which others run, go on as bodies of that
  // processor.
  if (all_are_pinned() || is_driving()) [[unlikely]] seat = nullptr;
  if (seat != nullptr && b.where() == nullptr && !gives_up_area()) [[unlikely]] {
    b.is_pinned = true;
    b.detached_until = 0;
    seat = nullptr;
  }
  {
    const without_preemption to_the_end;
    b.seat.store(seat, std::memory_order_relaxed);
    if (processor* const on = b.where(); on != nullptr) {
      if (on == seat) return;
      const with_mask_of_handler as_it_is(b);
      on->leave(b);
      return;
    }
    if (seat == nullptr) {
      scheduled_by = nullptr;
      return;
    }
  }
  attach(b);
}

bool is_in_lent_thread() {
  const without_preemption where_it_is;
  if (this_body == nullptr) return false;
  processor& on = *this_body->where();
  return !on.is_helper.load(std::memory_order_relaxed) && on.current() != &on.own();  // relaxed: changed where nobody drives it
}

void block_in_own_thread() {
  body* const me = this_body;
  if (me == nullptr || me != own_body) return hand_off_to_block();
  if (me->held.load(std::memory_order_relaxed) != 0) return;  // relaxed: its own
  processor* const seat = me->home();
  change_seat(nullptr);
  if (this_body != nullptr) return;
  me->seat.store(seat, std::memory_order_relaxed);
  scheduled_by = &by_return;
}

namespace {

/// In ticks; 0: for good.
void pin_until(std::uint64_t time) {
  // A thread with a body of its own may drive a processor in the name of another one, in a region.
  body* const own = this_body == nullptr || this_body == own_body ? own_body : nullptr;
  body* const me = own != nullptr ? own : this_body;
  if (me == nullptr || me->is_pinned_for_good()) return;
  if (own == nullptr && own_processor == nullptr)
    return;  // a virtual processor's own thread, in Weir's code: an allocator's call
  const with_mask_of_handler as_it_is(*me);
  if (own != nullptr) {
    const bool had_seat = own->home() != nullptr;
    change_seat(nullptr);
    own->is_pinned = true;
    own->detached_until = time;
    if (time == 0) takes_area_back(), own->is_kept = true, threads_kept_in_kernel.add(own->id);
    native::displaced(had_seat);
  } else if (!me->is_pinned && comes_to_its_seat(time == 0)) {
    me->is_pinned = true;
    me->detached_until = time;
    give_away_own_processor();
    me->take_signals();
  }
}

}  // namespace

bool looks_for_child(std::uintptr_t stack) {
  if (is_in_child()) return true;
  stack_known_from = stack - stack_in_use;
  return false;
}

void pin() {
  if ((own_body != nullptr || this_body != nullptr) && !is_in_child()) pin_until(0);
}
void pin_for_a_while() {
  // There may be no body: the thread of the program is in no region, or its processor has been given away.
  if (body* const me = own_body != nullptr ? own_body : this_body) me->blocked.store(0, std::memory_order_relaxed);
  pin_for(while_us);
}
void pin_for(std::uint64_t us) { pin_until(native::ticks() + in_ticks(us)); }

void native_threads::go_on_in_own_thread(runnable& b) { static_cast<body&>(b).parked.end(); }

std::size_t usual_stack_bytes() {
  pthread_attr_t usual;
  std::size_t bytes = 0;
  pthread_attr_init(&usual);
  pthread_attr_getstacksize(&usual, &bytes);
  pthread_attr_destroy(&usual);
  return bytes;
}

int start(void (*run)(void*), void* what, processor* on, std::size_t stack_bytes) {
  auto b = std::make_unique<body>();
  b->run = run;
  b->what = what;
  b->seat.store(on, std::memory_order_relaxed);
  const int error = start_detached(begin, b.get(), (stack_bytes != 0 ? stack_bytes : usual_stack_bytes()) + taken_bytes);
  if (error == 0) b.release();
  return error;
}

}  // namespace weir::threads
