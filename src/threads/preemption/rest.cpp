#include "threads/preemption/rest.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <unistd.h>

#include "system/clocks.hpp"
#include "system/filter.hpp"
#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "system/raw_call.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/support/native_threads.hpp"

namespace weir::threads {

namespace {

// One that no program can send. The C library ends threads by it, which no thread of Weir's is asked to do.
constexpr int rest_signal = 32;
constexpr signal_mask rest_signal_bit = signal_mask{1} << (rest_signal - 1);
constexpr std::uint64_t never = ~std::uint64_t{0}, between_looks = 1'000'000'000;

timespec as_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

// The number of the thread that sleeps so; 0: none. A monitor that ends, and the next one, do not wake each other.
WEIR_WRITTEN_BY_FORKS constinit std::atomic<pid_t> sleeper{0};

pid_t this_thread() { return static_cast<pid_t>(raw_call(SYS_gettid)); }

}  // namespace

bool rest::arm(std::uint64_t used) {
  if (is_refused_) return false;
  if (timer_ < 0) {
    exchange_mask(all_signals | rest_signal_bit);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = rest_signal;
    event._sigev_un._tid = this_thread();
    is_refused_ = filter::call<SYS_timer_create>(CLOCK_PROCESS_CPUTIME_ID, as_argument(&event), as_argument(&timer_)) != 0;
    if (is_refused_) return false;
  }
  const itimerspec at{{}, as_timespec(used + now_by(CLOCK_THREAD_CPUTIME_ID))};
  return filter::call<SYS_timer_settime>(timer_, TIMER_ABSTIME, as_argument(&at), 0) == 0;
}

void rest::disarm() const {
  const itimerspec at{};
  filter::call<SYS_timer_settime>(timer_, 0, as_argument(&at), 0);
}

void rest::begin() { sleeper.store(this_thread()); }

bool rest::await_signal(bool goes, std::uint64_t until) {
  long got = rest_signal;
  siginfo_t why{};
  if (goes) {
    const std::uint64_t now = now_by(CLOCK_MONOTONIC);
    const timespec most = as_timespec(until > now ? until - now : 0);
    got = filter::call<SYS_rt_sigtimedwait>(as_argument(&rest_signal_bit), as_argument(&why),
                                            until == never ? 0 : as_argument(&most), sizeof rest_signal_bit);
  }
  pid_t me = this_thread();
  sleeper.compare_exchange_strong(me, 0);
  const bool has_used = got == rest_signal && why.si_code == SI_TIMER;
  if (!has_used) disarm();
  if (goes && got < 0 && got != -EAGAIN && got != -EINTR) is_refused_ = true;  // a filter: from now on by the clock
  return !has_used && got != -EAGAIN;
}

bool rest::sleep_by_clock(const std::atomic<std::uint32_t>& word, std::uint64_t until) {
  return native_threads::sleep_while_until(word, 1, std::min(until, now_by(CLOCK_MONOTONIC) + between_looks));
}

// Refused where too many signals are pending already, of all the user's processes. The timer's is not.
void rest::wake() {
  constexpr unsigned tries = 1000;
  // seq_cst, with the store in begin(): the change of the word, which is relaxed, comes before the look at who sleeps.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const pid_t sleeping = sleeper.load();
  if (sleeping == 0) return;
  for (unsigned i = 0; i < tries && raw_call(SYS_tgkill, getpid(), sleeping, rest_signal) == -EAGAIN; ++i)
    raw_call(SYS_sched_yield);
}

rest::~rest() {
  if (timer_ >= 0) filter::call<SYS_timer_delete>(timer_);
}

WEIR_RUN_BY_FORKS void rest::forget() { make_so_in_child(sleeper, 0); }

}  // namespace weir::threads
