#include "threads/quantum.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <sys/syscall.h>
#include <unistd.h>

#include "threads/processor.hpp"

namespace weir::threads {

namespace {

constexpr int signal_number = SIGURG;
constinit long longest_ns = 1'000'000;
constexpr long shortest_ns = 50'000;

void handle(int, siginfo_t* why, void*) {
  if (why->si_code != SI_TIMER) return;  // data out of band, of a socket of the program's
  const int before = errno;
  static_cast<processor*>(why->si_value.sival_ptr)->end_quantum();
  errno = before;
}

/// In its handler the signal is not blocked: another body may run on this kernel thread before the handler returns. Threads that
/// install it at the same time install the same.
bool install() {
  struct sigaction now {}, ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  if (sigaction(signal_number, nullptr, &now) != 0) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle) return true;
  return (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) && sigaction(signal_number, &ours, nullptr) == 0;
}

}  // namespace

const char* why_no_quanta() {
  enum answer : char { unknown, none, handled };
  static constinit std::atomic<answer> known{unknown};
  // relaxed: all threads would find the same.
  answer its = known.load(std::memory_order_relaxed);
  if (its == unknown) [[unlikely]] known.store(its = install() ? none : handled, std::memory_order_relaxed);
  return its == none ? nullptr : "the program handles SIGURG, which is to end a member's quantum";
}

void set_quantum(unsigned microseconds) { longest_ns = 1000l * microseconds; }

bool quantum::make(processor& its) {
  if (made_.load(std::memory_order_relaxed)) return true;  // relaxed: by this thread
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number;
  event.sigev_value.sival_ptr = &its;
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
  event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return false;
  made_.store(true, std::memory_order_release);  // release: which timer it is
  return true;
}

void quantum::end() {
  // A thread that starts it in this moment gets an error from the system, which it ignores. relaxed: by the thread that has
  // made it.
  if (made_.exchange(false, std::memory_order_relaxed)) timer_delete(timer_);
}

void quantum::set_going() {
  // Only one of those that find it stopped; relaxed: nothing goes with it.
  if (made_.load(std::memory_order_acquire) && stopped_.exchange(false, std::memory_order_relaxed)) set_timer();
}

void quantum::set_timer() {
  const long ns = std::min(length_ns_.load(std::memory_order_relaxed), longest_ns);
  const timespec length{ns / 1'000'000'000, ns % 1'000'000'000};
  const itimerspec each{length, length};
  timer_settime(timer_, 0, &each, nullptr);
}

// relaxed, both: a number with which nothing else goes.
void quantum::shorten() {
  const long now = std::min(length_ns_.load(std::memory_order_relaxed), longest_ns), next = std::max(now / 2, shortest_ns);
  if (next >= now) return;
  length_ns_.store(next, std::memory_order_relaxed);
  set_timer();
}

void quantum::lengthen() {
  const long now = length_ns_.load(std::memory_order_relaxed);
  if (now >= longest_ns) return;
  length_ns_.store(2 * now, std::memory_order_relaxed);
  set_timer();
}

void quantum::stop() {
  constexpr itimerspec never{};
  timer_settime(timer_, 0, &never, nullptr);
  stopped_.store(true, std::memory_order_relaxed);
  // seq_cst: either the sender of a body sees that the timer has stopped, or the caller sees the body.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace weir::threads
