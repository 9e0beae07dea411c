#include "threads/scheduling/processor.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

#include <weir/machine/native.hpp>
#include <weir/waiting_automatic.hpp>

#include "system/clocks.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/in_handler.hpp"
#include "threads/scheduling/kept_threads.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/stealing.hpp"
#include "threads/support/floating_point.hpp"

namespace weir::threads {

namespace {

// An idle processor looks for arrivals for about as long as a sleep and a wake-up in the kernel take. If it gave up earlier, two
// processors whose bodies wake each other could go on putting each other to sleep: while one wakes up, the other gives up.
constexpr std::uint64_t most_idle_ns = 50'000;
// Bodies yield while they wait. If no body runs for more than a few microseconds, during the time for which a waiter with a
// processor to itself polls before it yields (waiting_automatic.hpp), other threads of the system may have the processor: the
// bodies may be waiting for these threads.
constexpr std::uint64_t worked_us = 3;
// To read the clock takes as long as a quarter of a switch. Where bodies do nothing but yield, in less than this time, three
// yields of four leave it out: those four together take less than worked_us.
constexpr std::uint64_t only_yielded_ns = 500;
constexpr unsigned yields_without_look = 3;
constexpr auto between_system_yields_us = static_cast<std::uint64_t>(waiting::automatic_constants::between_yields);
// The same where a program yields: a thread of the kernel that polls in vain does so for some ten microseconds before it yields.
constexpr std::uint64_t between_programs_yields_us = 100;
// A claim interrupts all processors. One that has found nothing but bodies that poll is repeated after this time.
constexpr std::uint64_t between_claims_us = 200;
// A processor that has not switched for this time does not get round to its bodies. A fence everywhere costs a few microseconds.
constexpr double patience_us = 8;
// A body that was found blocked this many times becomes a kernel thread for a while.
constexpr unsigned blocks_often = 3;

// The stack of the idle context has room for handlers of the program's signals, and a guard page below.
constexpr std::size_t idle_bytes = 65536, idle_guard = 4096;

// The caller has asked who schedules it, and may have been detached since, in the last of several switches. From the first line
// on it cannot be detached.
void yield_body() noexcept {
  const without_preemption to_the_end;
  body* const me = this_body;
  if (me == nullptr || waits_in_handler(*me)) {
    yield_to_kernel();
    return;
  }
  me->where()->let_others_run(*me);
  me->where()->yield(*me);
}
void switch_body() noexcept {
  const without_preemption to_the_end;
  if (body* const me = this_body; me != nullptr && !waits_in_handler(*me))
    me->where()->yield(*me);
  else
    yield_to_kernel();
}
void sleep_body_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  {
    const without_preemption to_the_end;
    if (this_body != nullptr && !waits_in_handler(*this_body)) return sleep_while(word, value);
  }
  sleep_in_kernel_while(word, value);  // it is detached by now, or in a handler, and keeps its kernel thread
}

}  // namespace

constinit const scheduling by_processors{yield_body, switch_body, sleep_body_while};

// ---- for its own thread

// A body that blocks again and again becomes a kernel thread, until a later region begins: each time that it is found blocked,
// the other bodies of its processor have waited for a look.
inline bool processor::stays_detached(body& me) {
  if (me.blocked.load(std::memory_order_relaxed) < blocks_often || me.parking == nullptr) return false;
  pin_for_a_while();
  return true;
}

void processor::yield_in_loop(body& me) {
  let_others_run(me, waits_by::program);
  me.yields_in_loop = true;
  me.where()->yield(me);
  me.yields_in_loop = false;
}

void processor::yield_beside_kept() {
  const without_preemption to_the_end;
  body* const me = this_body;
  if (me == nullptr || waits_in_handler(*me)) return yield_to_kernel();
  me->where()->let_others_run(*me, waits_by::programs_yield);
  me->where()->yield(*me);
}

// The program has fewer processors now than this helper's number, and its threads share the others.
bool processor::is_left() const { return steals() && number >= seats_now(); }

// A thread of the program that waits where none may be any more goes to the others, however long it waits. OpenMP's members have
// seats that the runtime has divided.
inline void processor::may_move(body& me) const {
  if (!me.is_adopted || me.home() != this || !is_left()) return;
  const floating_point_kept of_body;
  if (processor* const to = helper_in_use(number)) me.seat.store(to, std::memory_order_relaxed);  // nobody wakes it now
}

// `me` is held.
void processor::look_and_let_others_run(body& me, waits_by whose) {
  const std::uint64_t now = native::ticks();
  may_move(me);
  if (has_ready() || me.home() != this) {
    const std::uint64_t since_look = now - last_look_;
    looks_left_out_ = since_look < in_ticks(1) * only_yielded_ns / 1000 ? yields_without_look : 0;
    if (since_look > in_ticks(worked_us) && whose != waits_by::programs_yield) idle_since_ = now;
    last_look_ = now;
    const auto between_us = whose == waits_by::programs_yield ? between_programs_yields_us : between_system_yields_us;
    if (now - idle_since_ < in_ticks(between_us)) return;
  }
  const floating_point_kept of_body;
  if (!steals() || !steal_for(*this)) yield_to_others(me, whose);
  last_look_ = idle_since_ = native::ticks();
}

// A thread of the program waits by the program's code whatever it calls.
inline void processor::yield_to_others(const body& me, waits_by whose) {
  if (whose == waits_by::weir && !me.is_adopted) return yield_and_learn();
  const std::uint64_t from = now_by(CLOCK_MONOTONIC);
  if (!lost_.may_yield(from)) return;
  const bool suspects = lost_.suspects(from);
  const std::uint64_t had = suspects ? now_by(CLOCK_PROCESS_CPUTIME_ID) : 0;
  const std::uint64_t kept_had = suspects ? threads_kept_in_kernel.processor_time() : 0;
  yield_and_learn();
  const std::uint64_t to = now_by(CLOCK_MONOTONIC);
  if (to - from <= lost_slices::slice) return;
  const bool kept_ran = suspects && threads_kept_in_kernel.processor_time() != kept_had;
  lost_.yielded(from, to, now_by(CLOCK_PROCESS_CPUTIME_ID) - had, std::max(processors_for_all, 1u), kept_ran);
}

context processor::idle_main(void* given) {
  processor& p = *static_cast<processor*>(given);
  weir_switch(&p.idle_.at, p.making_idle_, p.own_.thread_pointer);
  for (;;) p.drive_next();
}

void processor::make_idle_context() {
  idle_stack_ = mmap(nullptr, idle_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (idle_stack_ == MAP_FAILED) std::abort();
  mprotect(idle_stack_, idle_guard, PROT_NONE);
  known_idle_stack_ = known_stack(idle_stack_, static_cast<char*>(idle_stack_) + idle_bytes);
  idle_.thread_pointer = own_.thread_pointer;
  weir_lend(&making_idle_, static_cast<char*>(idle_stack_) + idle_bytes, idle_main, this);
}

void processor::begin_driving() {
  if (idle_stack_ == nullptr) make_idle_context();
  own().signal_stack = alternate_stack_of_thread();
  signal_stack_ = own().signal_stack.number;
  without_signal_stack_ = stack_for_ticks();
  basic_driver::begin_driving();
}

inline bool processor::finds_bodies() {
  if (!stands_in) {
    if (steals() && steal_for(*this)) return true;  // the first time it only looks
    const double ns = static_cast<double>(std::min(price_of_sleep_ns(), most_idle_ns));
    const std::uint64_t begun = native::ticks();
    const double idle = ns * native::ticks_per_microsecond() / 1e3;
    const unsigned looks = 2 * others.rounds();
    for (unsigned look = 1; look < looks; ++look) {
      while (static_cast<double>(native::ticks() - begun) < idle * look / (looks - 1)) {
        if (has_ready()) return true;
        native::pause();
      }
      if (steals() && steal_for(*this)) return true;
    }
  }
  return false;
}

// The idle context has the thread's own thread pointer.
void processor::leaves_thread() {
  thread.store(-1, std::memory_order_relaxed);  // the number may be another thread's next
  known_idle_stack_ = known_stack();
  if (idle_stack_ != nullptr) munmap(std::exchange(idle_stack_, nullptr), idle_bytes);
}

void processor::close() {
  if (is_closed()) return;
  leaves_thread();
  run_queue::close();
}

// ---- for the thread of another one. The caller is the only claimant, by a lock.

bool processor::steal(processor& other) {
  const std::uint64_t now = native::ticks();
  const std::uint32_t switches = other.switches();
  if (other.switches_seen_ != switches) {
    other.switches_seen_ = switches;
    other.seen_at_ = now;
    return false;
  }
  const double waited = static_cast<double>(now - other.seen_at_);
  if (waited < patience_us * native::ticks_per_microsecond() || !other.has_ready()) return false;
  if (other.in_vain_at_ == switches && now - other.in_vain_since_ < in_ticks(between_claims_us)) return false;
  if (!may_steal_from(other, switches)) return false;
  // A body that polls may still wait. If it does not, the second claim takes it.
  const bool is_second = other.in_vain_at_ == switches;
  const bool some = steal_claimed(other, [left = is_left(), is_second](const runnable& b) {
    const body& ready = static_cast<const body&>(b);
    return !(left && ready.is_adopted) && (is_second || !ready.yields_in_loop);
  });
  if (!some) {
    other.in_vain_at_ = switches;
    other.in_vain_since_ = now;
  }
  return some;
}

template class basic_driver<native_bodies>;

}  // namespace weir::threads
