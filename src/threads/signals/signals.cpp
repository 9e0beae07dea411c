// Signals for one thread: what sender.hpp and summons.hpp need from the system.
#include "threads/signals/signals.hpp"

#include <csignal>
#include <utility>

#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/deadlines.hpp"
#include "threads/scheduling/sleepers.hpp"

namespace weir::threads {

std::optional<signal_queue::pending> body::summon(const siginfo_t& why) {
  const std::optional<signal_queue::pending> pending = queued_.add(why);
  if (pending) summon_for(signal_mask{1} << (why.si_signo - 1));
  return pending;
}
WEIR_RUN_BY_FORKS void body::forget_signals() {
  forget();
  queued_.take(0, [](const siginfo_t&) {});
  has_arrived_.store(true, std::memory_order_relaxed);  // relaxed: there is no other thread
}

namespace {

/// What the kernel says of signals for the process, a thread may say to itself only [rt_tgsigqueueinfo(2)]. To another thread
/// such a signal comes as if this process had sent it.
int send_to_thread(pid_t thread, const siginfo_t& why) {
  const bool with_why = why.si_code != SI_TKILL && (why.si_code < 0 || thread == raw_call(SYS_gettid));
  return static_cast<int>(-(with_why ? raw_call(SYS_rt_tgsigqueueinfo, getpid(), thread, why.si_signo, as_argument(&why))
                                     : raw_call(SYS_tgkill, getpid(), thread, why.si_signo)));
}

/// Counts the signal if the program handles it.
void count(body& to, int number) {
  struct sigaction action {};
  if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
  ++to.handled;
  if ((action.sa_flags & SA_RESTART) == 0) ++to.interrupted;
}

}  // namespace

void body::send_queued(signal_mask all_but) {
  const auto where_it_is = static_cast<pid_t>(raw_call(SYS_gettid));
  queued_.take(all_but, [this, where_it_is](const siginfo_t& why) {
    count(*this, why.si_signo);
    send_to_thread(where_it_is, why);
  });
}

void body::leave_interrupted() {
  if (kernel_mutexes_held == 0) deadline::forget(*this);
  const std::uint32_t holds = std::exchange(held_in_handlers_, 0);
  if (!is_adopted) return;  // in teams and crowds such jumps are not supported
  if (holds == 0 || held.load(std::memory_order_relaxed) != holds) return;  // relaxed, both: its own
  held.store(1, std::memory_order_relaxed);
  release();
}

void body::take_signals() {
  // If the body is in its own kernel thread, signals that it blocks may be pending there.
  const signal_mask kept = is_pinned || where() == nullptr ? 0 : mask();
  const auto handle_all_but = [this](signal_mask left) {
    // All signals are sent before the first is handled, because its handler may never return.
    exchange_mask(all_signals);
    send_queued(left);
    const std::uint32_t holds = held.load(std::memory_order_relaxed);  // relaxed, all: its own
    const std::uint32_t before = std::exchange(held_in_handlers_, holds);
    exchange_mask(mask());
    held_in_handlers_ = before;
    // A handler has jumped, but has come back here.
    if (held.load(std::memory_order_relaxed) != holds) [[unlikely]] {
      hold();
      held.store(holds, std::memory_order_relaxed);
    }
  };
  answer(kept, handle_all_but, pin, pin_for_a_while);
}

siginfo_t signal_of_mine(int number) {
  siginfo_t why{};
  why.si_signo = number;
  why.si_code = SI_TKILL;
  why.si_pid = getpid();
  why.si_uid = getuid();
  return why;
}

int native_bodies::send_to_thread(const body& to, const siginfo_t& why) { return threads::send_to_thread(to.id, why); }
bool native_bodies::has_processor(const body& b) { return claimant::has_processor(b); }
int native_bodies::send_to_processor(const processor& to, const siginfo_t& why) {
  return threads::send_to_thread(to.thread.load(std::memory_order_relaxed), why);
}
void native_bodies::wake(body& b) { wake_body(b); }

int send(claimant&, body& to, const siginfo_t& why, left_signal& left) {
  return basic_sender<native_bodies>::send(to, why, left);
}

}  // namespace weir::threads
