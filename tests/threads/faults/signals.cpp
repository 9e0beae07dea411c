// Signals for the process and for its threads while these are in any state. Handlers with and without SA_RESTART; signals with a
// value are counted, and none may be lost. A round is a signal.
#include "crew.hpp"

#include <csignal>

namespace {

std::atomic<long> handled{0}, valued{0}, sent_valued{0}, sum{0}, sent_sum{0};
sem_t posted;

void handle(int, siginfo_t* why, void*) {
  const int before = errno;
  if (why->si_code == SI_QUEUE) {
    ++valued;
    sum += why->si_value.sival_int;
  }
  ++handled;
  sem_post(&posted);
  errno = before;
}

const int plain_signals[] = {SIGUSR1, SIGUSR2, SIGHUP, SIGALRM};

void raise_sometimes(unsigned, dice& chance) {
  if (chance.once_in(30)) {
    const long before = handled;
    raise(plain_signals[chance.below(4)]);
    expect(handled > before, "a raised signal was not handled");
  }
  if (chance.once_in(50)) {
    sigset_t some, now;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigaddset(&some, SIGRTMIN + 1);
    pthread_sigmask(SIG_BLOCK, &some, nullptr);
    sched_yield();
    pthread_sigmask(SIG_UNBLOCK, &some, &now);
    expect(sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGUSR2) == 0, "another thread's mask");
  }
}

}  // namespace

int main(int n, char** words) {
  const asked arguments(n, words);
  sem_init(&posted, 0, 0);
  struct sigaction how {};
  how.sa_sigaction = handle;
  for (const int each : {SIGUSR1, SIGUSR2, SIGHUP, SIGALRM, SIGRTMIN + 1, SIGRTMIN + 2}) {
    how.sa_flags = SA_SIGINFO | (each == SIGUSR1 || each == SIGHUP || each == SIGRTMIN + 1 ? SA_RESTART : 0);
    sigaction(each, &how, nullptr);
  }
  dice chance(arguments.seed);
  crew crew_of_four(4, arguments.seed, raise_sometimes);
  std::atomic<bool> ends{false};
  std::thread waits([&] {
    notes_as = 10;
    note("semaphore of handlers");
    while (!ends)
      while (sem_wait(&posted) != 0) expect(errno == EINTR, "sem_wait", errno, EINTR);
  });
  sigset_t most;
  sigfillset(&most);
  for (long round = 0; round < arguments.rounds; ++round) {
    note_round(round);
    note("sends");
    // Others take what comes for the process.
    if (round % 64 == 0) pthread_sigmask(chance.once_in(2) ? SIG_BLOCK : SIG_UNBLOCK, &most, nullptr);
    const int which = plain_signals[chance.below(4)];
    const pthread_t to = crew_of_four.thread(chance.below(crew_of_four.size()));
    switch (chance.below(4)) {
      case 0: kill(getpid(), which); break;
      case 1: pthread_kill(to, which); break;
      default: {
        const int value = static_cast<int>(chance.below(1000));
        const int number = SIGRTMIN + 1 + static_cast<int>(chance.below(2));
        if (chance.once_in(2) ? pthread_sigqueue(to, number, sigval{value}) == 0
                              : sigqueue(getpid(), number, sigval{value}) == 0) {
          ++sent_valued;
          sent_sum += value;
        }
      }
    }
    if (chance.once_in(2)) pause_below(chance, 300);
  }
  pthread_sigmask(SIG_UNBLOCK, &most, nullptr);
  note("waits for signals to come");
  while (valued != sent_valued) usleep(100);
  expect(sum == sent_sum, "values of signals", sum, sent_sum);
  note("ends its threads");
  crew_of_four.end();
  expect(valued == sent_valued, "signals with values", valued, sent_valued);
  ends = true;
  sem_post(&posted);
  waits.join();
  std::puts("ok");
}
