// A handler that waits has its signal mask to itself: other members of the processor do not block the signal meanwhile, nor does the member
// afterwards.
#include "../../openmp/driving_thread.h"
#include "threads.hpp"

#include <poll.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace {

constexpr int rounds = 200, between_signals = 4;

thread_local int handled = 0, number = -1;
pthread_barrier_t all_are_there;
sem_t one;

void yields() {
  for (int i = 0; i < 3; ++i) sched_yield();
}
void sleeps() {
  constexpr timespec a_while{0, 50'000};
  nanosleep(&a_while, nullptr);
}
/// For each other.
void takes_semaphore() {
  while (sem_wait(&one) != 0) {
  }
  yields();
  sem_post(&one);
}
/// One member does so for good, by which it leaves the processor.
void changes_its_thread() {
  if (number == 0) CHECK(prctl(PR_SET_TIMERSLACK, 60'000UL) == 0);
  else sleeps();
}

/// From a pipe that another thread fills afterwards. The handler keeps the kernel thread, which has its mask.
int filled[2];
std::atomic<int> asked{0};
void reads() {
  const long before = driving_thread();
  ++asked;
  for (char got; read(filled[0], &got, 1) != 1;) {
  }
  CHECK(driving_thread() == before);
}
void fill() {
  CHECK(pipe(filled) == 0);
  std::thread([] {
    for (;; sleep_for(0.0001)) {
      for (; asked > 0; --asked) CHECK(write(filled[1], "x", 1) == 1);
    }
  }).detach();
}

/// As the C library says, and as the kernel does of the thread that runs this.
bool is_blocked(bool wanted) {
  sigset_t now;
  CHECK(pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0);
  bool by_kernel = wanted;
#if defined(__x86_64__)
  std::uint64_t its = 0;
  long result = SYS_rt_sigprocmask;
  register long bytes asm("r10") = sizeof its;
  asm volatile("syscall" : "+a"(result) : "D"(SIG_BLOCK), "S"(nullptr), "d"(&its), "r"(bytes) : "rcx", "r11", "memory");
  by_kernel = (its >> (SIGUSR1 - 1) & 1) != 0;
#endif
  return (sigismember(&now, SIGUSR1) == 1) == wanted && by_kernel == wanted;
}

template <void (*wait)(), void (*prepare)() = nullptr>
void wait_in_handlers() {
  if (prepare != nullptr) prepare();
  struct sigaction how {};
  how.sa_handler = [](int) {
    const int before = errno;
    wait();
    if (is_blocked(true)) ++handled;  // as in any handler
    errno = before;
  };
  how.sa_flags = SA_RESTART;
  CHECK(sigaction(SIGUSR1, &how, nullptr) == 0);
  CHECK(sem_init(&one, 0, 1) == 0);
  pthread_barrier_init(&all_are_there, nullptr, static_cast<unsigned>(members));
  team([](int me) {
    number = me;
    handled = 0;
    for (int i = 0; i < rounds; ++i) {
      pthread_barrier_wait(&all_are_there);
      if (i % between_signals == 0) CHECK(raise(SIGUSR1) == 0);
      CHECK(is_blocked(false));
    }
    CHECK(handled == rounds / between_signals);
  });
}

void change(int how, int signal) {
  sigset_t its;
  sigemptyset(&its);
  sigaddset(&its, signal);
  CHECK(pthread_sigmask(how, &its, nullptr) == 0);
}
/// A handler unblocks a signal that waits in the member's own kernel thread: the member goes there, for a while. It stays there until the
/// handler ends, however long the handler waits.
void leaves_in_handler() {
  for (const int each : {SIGUSR1, SIGUSR2}) {
    struct sigaction how {};
    how.sa_handler = [](int) { ++handled; };
    if (each == SIGUSR1)
      how.sa_handler = [](int) {
        change(SIG_UNBLOCK, SIGUSR2);
        const long before = driving_thread();
        sleep_for(0.15);
        yields();
        CHECK(driving_thread() == before);
        if (is_blocked(true)) ++handled;
      };
    how.sa_flags = SA_RESTART;
    CHECK(sigaction(each, &how, nullptr) == 0);
  }
  team([](int) {
    handled = 0;
    change(SIG_BLOCK, SIGUSR2);
    poll(nullptr, 0, 1);  // in its own kernel thread
    CHECK(pthread_kill(pthread_self(), SIGUSR2) == 0);
    yields();
    CHECK(raise(SIGUSR1) == 0);
    CHECK(handled == 2 && is_blocked(false));
    change(SIG_UNBLOCK, SIGUSR2);
  });
}

const subject all[] = {{"yields", wait_in_handlers<yields>},
                       {"sleeps", wait_in_handlers<sleeps>},
                       {"reads", wait_in_handlers<reads, fill>},
                       {"takes a semaphore", wait_in_handlers<takes_semaphore>},
                       {"changes its thread", wait_in_handlers<changes_its_thread>},
                       {"leaves in a handler", leaves_in_handler}};

}  // namespace

int main() { return run_all(all); }
