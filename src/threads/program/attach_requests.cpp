#include "threads/program/attach_requests.hpp"

#include <algorithm>
#include <utility>

#include "system/clocks.hpp"
#include "system/errno_kept.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/polling/polling.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/preemption/trampoline_entry.hpp"
#include "threads/program/census.hpp"
#include "threads/program/polling_evidence.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/interrupted.hpp"
#include "threads/scheduling/maker.hpp"
#include "threads/support/code.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

namespace {

// A thread that was asked to attach was polling. relaxed: a hint.
constinit std::atomic<bool> some_poll{false};
// For seats that are not open yet.
constinit polling_evidence polling_seen;

// A thread that ends sooner is not worth a seat: a seat costs about as much as a thread. A program may be as short as its
// threads, so the first requests come sooner: together they cost less than a thread that spins for a slice of the kernel's.
constexpr std::uint64_t soonest_ns = 200'000, first_ns = 2'000'000, longest_between_ns = 128'000'000;
// Whether a thread has run is one system call, and where it is, three. Meanwhile no thread begins or ends, so only this number is
// asked together.
constexpr std::size_t asked_together = detached_recipients::most;
constexpr std::uint64_t used_at_least_ns = 50'000, longest_between_parts_ns = 8'000'000;
// How long a thread that begins now may run. relaxed: a hint.
constinit std::atomic<std::uint64_t> until_asked_ns{soonest_ns};
// The monitor asks whenever it looks and finds that it is time.
constinit next_request request;

}  // namespace

void want_requests() {
  if (request.is_to_come()) return;
  const std::uint64_t at = now_by(CLOCK_MONOTONIC) + until_asked_ns.load(std::memory_order_relaxed);
  if (request.want_at(at)) wake_monitor_at(at);
}
void request_at_once() { request.is_at(0); }
bool some_have_polled() { return some_poll.load(std::memory_order_relaxed); }

void note_running_thread(bool polls) {
  if (all_are_members() || !polling_seen.add(polls) || seats_are_open.exchange(true, std::memory_order_relaxed)) return;
  request_at_once();
  wake_monitor_at(0);
}

std::uint64_t attach_running_threads(std::uint64_t now) {
  static std::uint64_t distance = 0;   // 0: there was none yet
  static bool asks_to_attach = false;  // false: it only asks who polls
  const auto next_at = [](std::uint64_t time) { return request.is_at(time), time; };
  constexpr std::uint64_t never = next_request::never;
  if (!all_may_become_members()) return never;
  if (!are_too_many()) {
    distance = 0;
    if (request.forget([] { return are_too_many(); })) return never;
  }
  if (!asks_to_attach && all_are_members()) {
    asks_to_attach = true;
    want_helpers_for_all();
    until_asked_ns.store(soonest_ns, std::memory_order_relaxed);
    distance = 0;
    return next_at(now + soonest_ns);
  }
  const std::uint64_t until_first = until_asked_ns.load(std::memory_order_relaxed), next = request.at();
  if (next == never) return next_at(now + until_first);
  if (now < next) return next;
  if (asks_to_attach) want_helpers_for_all();  // again: the system may have refused a thread
  if (distance == 0) distance = until_first;
  until_asked_ns.store(std::min(2 * until_first, first_ns), std::memory_order_relaxed);
  bool some = false;
  const message_sender sender;
  if (!sender) return next_at(now + longest_between_ns);  // the program handles the signal, perhaps not for ever
  static std::size_t place = 0;
  detached_recipients running;
  const bool are_all_asked = claimant::for_some_bodies(place, asked_together, [&](body& b) {
    if (!b.is_adopted || b.where() != nullptr || b.is_pinned || b.blocks(message_signal)) return;
    some = true;
    // The first time also one that has not got a processor yet: the signal waits for it.
    const bool is_known = b.had != 0;
    const std::uint64_t had = processor_time(b.id), used = had - std::exchange(b.had, had);
    if (is_known && used < used_at_least_ns) return;
    if (!asks_to_attach && b.waits_lately() >= waits_often)
      note_running_thread(true);
    else
      running.add(b);
  });
  sender.ask(asks_to_attach ? message::attach_request : message::poll_question, running.get());
  const std::uint64_t longest = are_all_asked ? longest_between_ns : longest_between_parts_ns;
  distance = some || !are_all_asked ? std::min(2 * distance, longest) : longest;
  return next_at(now + distance);
}

// No lock is held where the thread runs code that is neither Weir's, nor the C library's, nor an allocator's, unless a handler
// has interrupted that: then the mask is another one than the thread's.
void answer_attach_request(ucontext_t& in) {
  body* const me = body_that_may_attach();
  if (me == nullptr || !are_too_many() || is_in_child()) return;
  if (kernel_mutexes_held != 0) return;  // it holds one, in an allocator that is not the C library's
  if (!is_plain(*me, in) || is_base_code(code_of(in))) return;
  const errno_kept around;
  // If this thread polls here, others soon will: with a trampoline they take their seats without a signal.
  if (polling loop; loop.is_found_in(in)) {
    some_poll.store(true, std::memory_order_relaxed);
    if (want_trampoline(loop, trampoline_entry())) wake_monitor_at(0);
  }
  let_signals_in(in);
  take_seat(true);
  return_with_present_stack(in);
}

// A thread that gets its processor back may find that its wait has just ended: then its loop polls no more, but it is still at
// its `pause`, or in a loop that is known.
void answer_poll_question(const ucontext_t& in) {
  static constinit polling_loops known;
  body* const own = own_body_of_thread();
  if (own == nullptr) return;
  const std::uintptr_t code = code_of(in);
  polling loop;
  const bool is_in_loop = loop.is_found_in(in);
  if (is_in_loop) known.add(loop.first(), loop.last());
  const bool polls = is_in_loop || pause_at(code) != 0 || known.has(code);
  if (polls) own->count_waits(waits_often);
  if (!is_own_code(code)) note_running_thread(polls);
}

}  // namespace weir::threads
