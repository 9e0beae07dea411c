// A signal comes to a thread that is just being woken, and the thread then calls nothing until the signal has been handled. A
// round is such a signal.
#include "crew.hpp"

#include <csignal>

namespace {
volatile sig_atomic_t handled;
sem_t go, done, others;
}  // namespace

int main(int n, char** words) {
  const asked arguments(n, words);
  dice chance(arguments.seed);
  sem_init(&go, 0, 0), sem_init(&done, 0, 0), sem_init(&others, 0, 0);
  struct sigaction how {};
  how.sa_handler = [](int) { handled = 1; };
  how.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &how, nullptr);
  std::vector<std::thread> wait;
  for (int i = 0; i < 6; ++i) wait.emplace_back([] { sem_wait(&others); });
  std::thread woken([&arguments] {
    notes_as = 1;
    for (long round = 0; round < arguments.rounds; ++round) {
      note("semaphore");
      while (sem_wait(&go) != 0) {
      }
      note("until the signal is handled");
      while (handled == 0) {
      }
      handled = 0;
      sem_post(&done);
    }
  });
  for (long round = 0; round < arguments.rounds; ++round) {
    note_round(round);
    sem_post(&go);
    for (unsigned i = chance.below(chance.once_in(2) ? 300 : 20000); i > 0; --i) asm volatile("");
    pthread_kill(woken.native_handle(), SIGUSR1);
    while (sem_wait(&done) != 0) {
    }
  }
  woken.join();
  for (std::size_t i = 0; i < wait.size(); ++i) sem_post(&others);
  for (std::thread& each : wait) each.join();
  std::puts("ok");
}
