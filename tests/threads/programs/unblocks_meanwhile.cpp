// A signal for the process comes while all members block it, and one unblocks it and goes to sleep just when Weir's thread has
// found that nobody handles it: the member does. Prints "ok".
//
// The linker puts a function in front of the destructor of claimant, by which that thread has looked.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/raw_call.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/threads.hpp"

using namespace weir::threads;

namespace {

constexpr unsigned processors = 2, threads = 4;
std::atomic<unsigned> members{0}, asleep{0};
std::atomic<bool> armed{false}, may_unblock{false}, is_unblocked{false}, handled{false};
pthread_barrier_t all_are_there;
sem_t comes, ends;

void sleep_ms(unsigned ms) {
  const timespec some{0, static_cast<long>(ms) * 1'000'000};
  weir::raw_call(SYS_nanosleep, weir::as_argument(&some), 0);
}
void change(int how) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(how, &signals, nullptr);
}
void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0) {
  }
}

void run(program_thread* thread, unsigned me) {
  const life_of_thread of_program(*thread);
  change(SIG_UNBLOCK);  // Weir's thread waits for the signal from now on
  for (bool is_counted = false, ends_here = false; !ends_here; pthread_barrier_wait(&all_are_there)) {
    if (!is_counted && this_body != nullptr) is_counted = true, ++members;
    pthread_barrier_wait(&all_are_there);
    ends_here = members == threads;  // all see the same number
  }
  change(SIG_BLOCK);
  ++asleep;
  if (me != 0) return wait_for(ends);
  while (!may_unblock) sched_yield();
  change(SIG_UNBLOCK);
  is_unblocked = true;
  wait_for(comes);
}

bool is_thread_of_signals() {
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return std::strcmp(name, "weir-signals") == 0;
}

}  // namespace

// Of weir::threads::claimant::~claimant().
#define NAME "_ZN4weir7threads8claimantD1Ev"
extern "C" void really_end(claimant*) asm("__real_" NAME);
extern "C" void end_and_unblock(claimant*) asm("__wrap_" NAME);
void end_and_unblock(claimant* thread) {
  really_end(thread);
  if (!armed || !is_thread_of_signals() || !armed.exchange(false)) return;
  may_unblock = true;
  while (!is_unblocked) sleep_ms(1);
  sleep_ms(20);  // the member goes to sleep
}

int main() {
  std::signal(SIGUSR1, [](int) {
    handled = true;
    sem_post(&comes);
  });
  change(SIG_BLOCK);
  sem_init(&comes, 0, 0);
  sem_init(&ends, 0, 0);
  pthread_barrier_init(&all_are_there, nullptr, threads);
  make_all_members(processors, false);
  std::vector<std::thread> started;
  for (unsigned me = 0; me < threads; ++me) {
    expect_another();
    started.emplace_back(run, expect_thread({}), me);
  }
  while (asleep < threads) sleep_ms(1);
  sleep_ms(20);
  armed = true;
  kill(getpid(), SIGUSR1);
  for (unsigned ms = 0; !handled && ms < 60'000; ++ms) sleep_ms(1);
  std::puts(handled && !armed ? "ok" : !armed ? "the signal is lost" : "Weir's thread has not looked");
  std::fflush(stdout);
  if (!handled) _exit(1);
  for (unsigned i = 1; i < threads; ++i) sem_post(&ends);
  for (std::thread& each : started) each.join();
}
