// The monitor's looks whether other programs keep the program's threads from their processors (deprivation.hpp).
#include "threads/program/deprivation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "system/clocks.hpp"
#include "threads/preemption/above.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/preemption/monitor.hpp"
#include "threads/program/attach_requests.hpp"
#include "threads/program/census.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/maker.hpp"

namespace weir::threads {

namespace {

// A look asks the kernel for the times of about this number of threads, some 4 us each.
constexpr std::size_t most_asked = 8;
// A thread that has run for less between two looks says nothing.
constexpr std::uint64_t ran_at_least_ns = 500'000;

/// Adds what is new of a kernel thread. True: it has run.
bool add(lately_seen& to, pid_t thread, run_times& before) {
  const auto now = times_of(thread);
  if (!now) return false;
  const run_times was = std::exchange(before, *now);
  // The first time, or it is another kernel thread.
  if (was.ran == 0 || now->ran < was.ran || now->delayed < was.delayed) return false;
  const std::uint64_t ran = now->ran - was.ran;
  to.ran += ran;
  to.delayed += now->delayed - was.delayed;
  return ran >= ran_at_least_ns;
}

lately_seen look_at_threads(bool asks) {
  static std::size_t place = 0;
  lately_seen lately;
  detached_recipients running;
  std::optional<message_sender> sender;
  if (asks) sender.emplace();
  claimant::for_some_bodies(place, most_asked, [&](body& b) {
    const std::uint32_t waited = b.waits_lately();
    if (!b.is_adopted || b.where() != nullptr || b.is_pinned || !add(lately, b.id, b.times)) return;
    ++lately.running;
    if (waited >= waits_often) ++lately.waiting;
    if (!b.blocks(message_signal)) running.add(b);
  });
  if (sender) sender->ask(message::poll_question, running.get());
  return lately;
}

std::uint32_t since(std::uint32_t now, std::uint32_t& before) { return now - std::exchange(before, now); }

// A member that is alone on its processor is not found by the monitor's other looks: a tick asks whether it polls. One whose loop
// has a trampoline may yield to the kernel each time that it polls (lost_slices.hpp), and beside others it hardly runs then.
void look_at_processors(claimant& c, lately_seen& lately, bool asks) {
  processor* alone[most_asked];
  std::size_t looked_at = 0, to_ask = 0;
  c.for_each([&](processor& p) {
    observation& seen = p.seen;
    const std::uint32_t jumped = since(p.jumped.load(std::memory_order_relaxed), seen.found_to_jump);
    const std::uint32_t spun = since(p.spins.load(std::memory_order_relaxed), seen.found_to_spin);
    const std::uint32_t switched = since(p.switches(), seen.switched) + jumped;
    if (!p.is_helper.load(std::memory_order_relaxed) || (p.sleeps() && switched == 0) || looked_at == most_asked) return;
    ++looked_at;
    const bool ran = add(lately, p.thread.load(std::memory_order_relaxed), seen.times), only_polled = !ran && jumped != 0;
    if (!ran && !only_polled) return;
    ++lately.running;
    if (switched >= waits_often || spun != 0 || only_polled) ++lately.waiting;
    if (asks && !p.has_ready()) alone[to_ask++] = &p;
  });
  if (to_ask != 0) message_sender().tick({alone, to_ask});
}

}  // namespace

std::uint64_t look_for_deprivation(claimant& c, std::uint64_t now) {
  constexpr std::uint64_t never = ~std::uint64_t{0};
  static deprivation policy;
  static std::uint64_t next = 0, looked_at = 0, had_then = 0;
  static unsigned taken = 0;
  if (!are_monitored()) {
    // The thread for which the monitor ran has ended. Nobody would try whether the others may have all again.
    if (std::exchange(taken, 0) != 0) take_processors(0);
    policy = {};
    return never;
  }
  if (now < next) return next;
  const unsigned most = std::min(processors_for_all, program_threads_now());
  if (most < 2 && taken == 0) return next = now + deprivation::between_idle_looks;
  const bool asks = policy.asks_who_waits();
  lately_seen lately = look_at_threads(asks);
  look_at_processors(c, lately, asks);
  const std::uint64_t had = now_by(CLOCK_PROCESS_CPUTIME_ID);
  lately.wall = now - std::exchange(looked_at, now);
  lately.process = had - std::exchange(had_then, had);
  const unsigned use = policy.look(lately, most, now);
  if (policy.asks_who_waits()) want_helpers_for_all();
  const unsigned takes = use < most ? use : 0;
  if (taken != 0) count_time_with_fewer(lately.wall);
  if (takes != taken) take_processors(taken = takes);
  return next = policy.next(now);
}

}  // namespace weir::threads
