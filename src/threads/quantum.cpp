#include "threads/quantum.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/syscall.h>
#include <unistd.h>

#include "threads/processor.hpp"

namespace weir::threads {

namespace {

constexpr int signal_number = SIGURG;
constinit long length_ns = 1'000'000;

void handle(int, siginfo_t* why, void*) {
  if (why->si_code != SI_TIMER) return;  // data out of band, of a socket of the program's
  const int before = errno;
  static_cast<processor*>(why->si_value.sival_ptr)->end_quantum();
  errno = before;
}

/// In its handler the signal is not blocked: another body may run on this kernel thread before the handler returns.
const char* install() {
  struct sigaction now {};
  if (sigaction(signal_number, nullptr, &now) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN))
    return "the program handles SIGURG, which ends a member's quantum";
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  return sigaction(signal_number, &ours, nullptr) == 0 ? nullptr : "the system refuses a handler of SIGURG";
}

}  // namespace

const char* why_no_quanta() {
  static const char* const answer = install();
  return answer;
}

void set_quantum(unsigned microseconds) { length_ns = 1000l * microseconds; }

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

void quantum::set_going() {
  // Only one of those that find it stopped; relaxed: nothing goes with it.
  if (!made_.load(std::memory_order_acquire) || !stopped_.exchange(false, std::memory_order_relaxed)) return;
  const itimerspec each{{length_ns / 1'000'000'000, length_ns % 1'000'000'000}, {length_ns / 1'000'000'000, length_ns % 1'000'000'000}};
  timer_settime(timer_, 0, &each, nullptr);
}

void quantum::stop() {
  constexpr itimerspec never{};
  timer_settime(timer_, 0, &never, nullptr);
  stopped_.store(true, std::memory_order_relaxed);
  // seq_cst: either the sender of a body sees that the timer has stopped, or the caller sees the body.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace weir::threads
