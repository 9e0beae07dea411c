#include "threads/signals/process_signals.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <utility>

#include <sys/prctl.h>

#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "system/raw_call.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/scheduling/service_thread.hpp"
#include "threads/signals/signals.hpp"
#include "threads/support/library_signals.hpp"

namespace weir::threads {

WEIR_WRITTEN_BY_FORKS constinit std::atomic<signal_mask> not_awaited{0};

namespace {

// One that no program can send, for the signal thread alone, which blocks it: it ends that thread's wait. The C library asks for
// the other one of its own, 33, in all threads.
constexpr int wake_signal = 32;
constexpr signal_mask bit_of(int number) { return signal_mask{1} << (number - 1); }

void* take(void* given);
WEIR_WRITTEN_BY_FORKS constinit service_thread its_thread(take);
// Changed by claimants. seq_cst: the signal thread tells its number, and then looks for what it shall wait for; others change
// that first.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<pid_t> signal_thread{0};

void end_its_wait() {
  siginfo_t why{};
  why.si_signo = wake_signal;
  why.si_code = SI_QUEUE;
  if (const pid_t thread = signal_thread.load(); thread != 0)
    raw_call(SYS_rt_tgsigqueueinfo, getpid(), thread, wake_signal, as_argument(&why));
}

bool has_handler(int number) {
  const kernel_sigaction action = handled_by(number);
  return action.is_handler() && !is_message_handler(action.code());
}

/// What the kernel does with a signal that has no handler, it does in this thread, too.
void take_effect(const siginfo_t& why) {
  const auto me = raw_call(SYS_gettid);
  raw_call(SYS_rt_tgsigqueueinfo, getpid(), me, why.si_signo, as_argument(&why));
  const signal_mask usual = exchange_mask(all_signals & ~bit_of(why.si_signo));
  exchange_mask(usual);
}

/// Nobody handles the signal now. It stays pending for the process, as the kernel would keep it.
void put_back(const siginfo_t& why) {
  if (why.si_code < 0)
    raw_call(SYS_rt_sigqueueinfo, getpid(), why.si_signo, as_argument(&why));
  else
    raw_call(SYS_kill, getpid(), why.si_signo);  // the kernel lets a thread say the rest to itself only
}

/// The number of the member that is to handle the signal, the first thread if it does not block the signal; 0: all block it.
pid_t one_that_handles(int number) {
  struct {
    const signal_mask bit;
    const pid_t first = getpid();
    pid_t found = 0;
  } search{bit_of(number)};
  const claimant no_end_meanwhile;
  claimant::for_each_body([&search](const body& b) {
    // One that is in its own kernel thread gets signals from the kernel, and its mask is not known here.
    if (!b.is_adopted || b.where() == nullptr || (b.mask() & search.bit) != 0) return;
    if (search.found == 0 || b.id == search.first) search.found = b.id;
  });
  return search.found;
}

/// As many signals as there is room for wait for a member that has not got a processor yet.
void wait_for_room() {
  constexpr timespec some{0, 100'000};
  raw_call(SYS_nanosleep, as_argument(&some), 0);
}

void pass_on(const siginfo_t& why) {
  const int number = why.si_signo;
  if (!has_handler(number)) return take_effect(why);
  pid_t to = one_that_handles(number);
  for (left_signal left; to != 0;) {
    int result = send_again;
    {
      claimant by;
      body* const receiver = claimant::receiver_of(to);
      if (receiver == nullptr && left) return;  // it has taken the signal, and ended since
      if (receiver == nullptr)
        to = 0;
      else
        result = send(by, *receiver, why, left);
    }
    if (result != send_again && result != EAGAIN) return;
    // The kernel keeps what comes meanwhile.
    if (result == EAGAIN) wait_for_room();
    if (result == EAGAIN || to == 0)
      to = one_that_handles(number);
    else
      yield_to_kernel();
  }
  not_awaited.fetch_or(bit_of(number));
  // A member may have unblocked it meanwhile, and found that the signal thread waits for it.
  if (one_that_handles(number) != 0) not_awaited.fetch_and(~bit_of(number));
  put_back(why);
}

/// Those that have come to an idle processor.
void pass_on_all() {
  constexpr std::size_t most = 64;
  for (;;) {
    siginfo_t signals[most];
    std::size_t found = 0;
    {
      claimant c;
      c.for_each([&](processor& p) {
        if (found == 0) p.came_while_idle.take(0, [&](const siginfo_t& why) { signals[found++] = why; });
      });
    }
    if (found == 0) return;
    for (std::size_t i = 0; i < found; ++i) pass_on(signals[i]);
  }
}

void* take(void* given) {
  const unsigned number = service_thread::number_of(given);
  prctl(PR_SET_NAME, "weir-signals");
  exchange_mask(all_signals | bit_of(wake_signal));
  {
    const claimant no_end_meanwhile;
    if (its_thread.is_present(number)) signal_thread.store(static_cast<pid_t>(raw_call(SYS_gettid)));
  }
  while (its_thread.is_present(number)) {
    const signal_mask signals = (all_signals & ~not_awaited.load()) | bit_of(wake_signal);
    siginfo_t why{};
    const long got = raw_call(SYS_rt_sigtimedwait, as_argument(&signals), as_argument(&why), 0, sizeof signals);
    if (got == wake_signal)
      pass_on_all();
    else if (got > 0)
      pass_on(why);
    else if (got != -EINTR && got != -EAGAIN)
      break;  // a filter refuses it: such signals stay pending until a member that handles them runs
  }
  return nullptr;
}

}  // namespace

void await_also(signal_mask signals) {
  not_awaited.fetch_and(~signals);
  end_its_wait();
}

bool gives_to_signal_thread(processor& idle, const siginfo_t& why) {
  if (signal_thread.load() == 0 || !idle.came_while_idle.add(why)) return false;
  end_its_wait();
  return true;
}

void start_signal_thread() {
  its_thread.start([] { not_awaited.store(all_signals); });
  if (its_thread.is_refused()) not_awaited.store(0);
}

bool signal_thread_is_there() { return its_thread.is_there() || its_thread.is_refused(); }

void stop_signal_thread() {
  if (!its_thread.is_there()) return;
  its_thread.stop();
  not_awaited.store(0);
  end_its_wait();
  signal_thread.store(0);
}

WEIR_RUN_BY_FORKS void forget_signal_thread() {
  its_thread.forget();
  make_so_in_child(not_awaited, signal_mask{0});
  make_so_in_child(signal_thread, pid_t{0});
}

bool signals_are_awaited() { return !its_thread.is_refused(); }

}  // namespace weir::threads
