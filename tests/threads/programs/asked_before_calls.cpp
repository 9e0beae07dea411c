// A thread is asked whether it polls, just when it is about to sleep: the signal must not end its sleep. Nor is it sent once the
// thread blocks it, since sigwait() would take it. Prints "ok".
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

#include <weir/machine/native.hpp>

#include "threads/preemption/above.hpp"
#include "threads/preemption/messages.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/threads.hpp"

using namespace weir::threads;

namespace {

constexpr unsigned sleeps_asked_at = 1'500;
std::atomic<bool> stop{false};
std::atomic<unsigned> slept{0}, ended_early{0};
std::atomic<bool> shall_block{false}, blocks{false}, was_asked{false}, is_pending{false};

// A thread in the system is not asked, so it computes for about as long as a question takes.
void sleep_again_and_again() {
  constexpr timespec short_time{0, 1'000};
  prctl(PR_SET_TIMERSLACK, 1);
  const life_of_thread me(*expect_thread({}));
  while (!stop) {
    for (int i = 0; i < 1000; ++i) weir::native::pause();
    if (nanosleep(&short_time, nullptr) != 0) ++ended_early;
    ++slept;
  }
}

/// Blocks the signal when it is told, and looks whether it has come all the same.
void compute_and_block() {
  const life_of_thread me(*expect_thread({}));
  sigset_t signals, found;
  sigemptyset(&signals);
  sigaddset(&signals, message_signal);
  while (!shall_block) weir::native::pause();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  blocks = true;
  while (!was_asked) weir::native::pause();
  sigpending(&found);
  is_pending = sigismember(&found, message_signal) == 1;
}

/// Of the other thread.
detached_recipients for_other(body** found = nullptr) {
  std::size_t place = 0;
  detached_recipients asked;
  claimant::for_some_bodies(place, detached_recipients::most, [&](body& b) {
    if (!b.is_adopted || b.where() != nullptr || pthread_equal(b.thread, pthread_self()) != 0) return;
    asked.add(b);
    if (found != nullptr) *found = &b;
  });
  return asked;
}

void ask() {
  const claimant by;
  message_sender().ask(message::poll_question, for_other().get());
}

/// While a question may be on its way, no sleep begins.
bool waits_for_question() {
  const claimant by;  // the monitor asks nobody meanwhile
  body* found = nullptr;
  for_other(&found);
  found->is_asked.store(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const unsigned then = slept;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const bool waits = slept == then;
  found->is_asked.store(0);
  return waits;
}

/// The other thread blocks the signal when it has been found, and before it is asked.
bool asks_who_blocks() {
  expect_another();
  std::thread other(compute_and_block);
  body* found = nullptr;
  detached_recipients pending;
  while (found == nullptr) {
    const claimant by;
    pending = for_other(&found);
  }
  shall_block = true;
  while (!blocks) std::this_thread::yield();
  for (bool asked = false; !asked;) {
    const claimant by;
    const message_sender sender;
    asked = bool{sender};
    sender.ask(message::poll_question, pending.get());
  }
  was_asked = true;
  other.join();
  return is_pending;
}

}  // namespace

int main() {
  make_all_members(2, true);  // two threads: the monitor runs, and nobody takes a seat
  expect_another();
  std::thread sleeper(sleep_again_and_again);
  while (slept == 0) std::this_thread::yield();
  const bool waits = waits_for_question();
  while (slept < sleeps_asked_at) {
    ask();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  stop = true;
  sleeper.join();
  if (asks_who_blocks())
    std::puts("the signal is pending for a thread that blocks it");
  else if (!waits)
    std::puts("a sleep has begun while a question was on its way");
  else if (ended_early != 0)
    std::printf("%u of %u sleeps have ended early\n", ended_early.load(), slept.load());
  else
    std::puts("ok");
}
