// A handler that waits has its signal mask to itself: other members of the processor do not block the signal meanwhile, nor does
// the member afterwards. Nor do others have the mask of a member that leaves by a jump.
#include "../../openmp/driving_thread.h"
#include "threads.hpp"

#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
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
/// Another one is in it for so long that the runtime lets this one sleep.
void enters_critical_section() {
#pragma omp critical
  for (const double until = now_s() + 0.0004; now_s() < until;) {
  }
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

#if defined(__x86_64__)
long bare_call(long call, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long fourth asm("r10") = d;
  asm volatile("syscall" : "+a"(call) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
  return call;
}
/// Of the thread that runs this.
std::uint64_t mask_of_kernel(int how = SIG_BLOCK, std::uint64_t set = 0) {
  std::uint64_t value = 0;
  bare_call(SYS_rt_sigprocmask, how, reinterpret_cast<long>(&set), reinterpret_cast<long>(&value), sizeof value);
  return value;
}
#endif
std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

/// As the C library says, and as the kernel does of the thread that runs this.
bool is_blocked(bool wanted) {
  sigset_t now;
  CHECK(pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0);
  bool by_kernel = wanted;
#if defined(__x86_64__)
  by_kernel = (mask_of_kernel() & bit_of(SIGUSR1)) != 0;
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
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  CHECK(pthread_sigmask(how, &signals, nullptr) == 0);
}
/// A handler unblocks a signal that waits in the member's own kernel thread: the member goes there, for a while. It stays there
/// until the handler ends, however long the handler waits.
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

/// A handler returns to a mask that lets in a signal which waits in the member's own kernel thread: it comes before the code goes
/// on.
void lets_in_by_return() {
  for (const int each : {SIGUSR1, SIGUSR2}) {
    struct sigaction how {};
    how.sa_sigaction = [](int which, siginfo_t*, void* context) {
      ++handled;
      if (which == SIGUSR1) sigdelset(&static_cast<ucontext_t*>(context)->uc_sigmask, SIGUSR2);
    };
    how.sa_flags = SA_RESTART | SA_SIGINFO;
    CHECK(sigaction(each, &how, nullptr) == 0);
  }
  team([](int) {
    handled = 0;
    for (int i = 0; i < 20; ++i) {
      change(SIG_BLOCK, SIGUSR2);
      poll(nullptr, 0, 1);  // in its own kernel thread
      CHECK(pthread_kill(pthread_self(), SIGUSR2) == 0);
      yields();
      CHECK(raise(SIGUSR1) == 0);
      CHECK(handled == 2 * i + 2 && is_blocked(false));
    }
  });
}

/// The jump lets in a signal that waits in the member's own kernel thread: the member goes there before the jump changes the
/// mask.
void leaves_by_jump() {
  static std::atomic<bool> is_over{false};
  struct sigaction how {};
  how.sa_handler = [](int) { ++handled; };
  how.sa_flags = SA_RESTART;
  CHECK(sigaction(SIGUSR1, &how, nullptr) == 0);
  team([](int me) {
    handled = 0;
    while (me != 0 && !is_over) {
      sched_yield();
      CHECK(is_blocked(false));
    }
    for (static std::atomic<int> i{0}; me == 0 && i < 20; ++i) {
      static sigjmp_buf back;
      if (sigsetjmp(back, 1) == 0) {
        change(SIG_BLOCK, SIGUSR1);
        poll(nullptr, 0, 1);  // in its own kernel thread
        CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0);
        yields();
        CHECK(is_blocked(true) && handled == i);
        siglongjmp(back, 1);
      }
      CHECK(is_blocked(false) && handled == i + 1);
    }
    if (me == 0) is_over = true;
  });
}

#if defined(__x86_64__)
/// A signal that comes together with a tick interrupts the tick's handler, which blocks the C library's signal for cancellations.
/// What the program's handler executes would inherit that.
void comes_with_tick() {
  constexpr int of_cancellations = 32;
  static const int number = SIGRTMIN + 1;
  struct sigaction how {};
  how.sa_handler = [](int) {
    if ((mask_of_kernel() & bit_of(of_cancellations)) == 0) ++handled;
  };
  how.sa_flags = SA_RESTART;
  CHECK(sigaction(number, &how, nullptr) == 0);
  team([](int) {
    handled = 0;
    for (int i = 0; i < rounds; ++i) {
      sched_yield();
      const std::uint64_t both = bit_of(SIGURG) | bit_of(number);
      mask_of_kernel(SIG_BLOCK, both);
      siginfo_t tick{};
      tick.si_code = SI_QUEUE;
      bare_call(SYS_rt_tgsigqueueinfo, getpid(), driving_thread(), SIGURG, reinterpret_cast<long>(&tick));
      bare_call(SYS_tgkill, getpid(), driving_thread(), number);
      mask_of_kernel(SIG_UNBLOCK, both);
      for (volatile int n = 0; n < 1000;) n = n + 1;
    }
    CHECK(handled == rounds);
  });
}
#endif

const subject subjects[] = {{"yields", wait_in_handlers<yields>},
                            {"sleeps", wait_in_handlers<sleeps>},
                            {"reads", wait_in_handlers<reads, fill>},
                            {"takes a semaphore", wait_in_handlers<takes_semaphore>},
                            {"enters a critical section", wait_in_handlers<enters_critical_section>},
                            {"changes its thread", wait_in_handlers<changes_its_thread>},
                            {"leaves in a handler", leaves_in_handler},
                            #if defined(__x86_64__)
                            {"comes with a tick", comes_with_tick},
                            #endif
                            {"lets in by return", lets_in_by_return},
                            {"leaves by a jump", leaves_by_jump}};

}  // namespace

int main() { return run_all(subjects); }
