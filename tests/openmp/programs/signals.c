/* Signals that arrive while threads wait: no thread mistakes one for a release. On a busy machine several come as one. */
#include "check.h"
#include <omp.h>
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t came;

static void on_alarm(int number) {
  (void)number;
  ++came;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART: waits are interrupted */
  struct itimerval each = {{0, 500}, {0, 500}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &each, NULL);
  int phase = 0, sum = 0, guarded = 0, rounds = 0;
  double until = omp_get_wtime() + 0.4;
  for (; omp_get_wtime() < until || (came <= 10 && omp_get_wtime() < until + 20); ++rounds) {
    phase = 0;
#pragma omp parallel
    {
      int team = omp_get_num_threads();
      for (int i = 1; i <= 5; ++i) {
        add(&phase, 1);
#pragma omp barrier
        CHECK(__atomic_load_n(&phase, __ATOMIC_RELAXED) == i * team);
#pragma omp barrier
      }
#pragma omp critical
      ++guarded;
#pragma omp for reduction(+ : sum) schedule(dynamic)
      for (int i = 0; i < 8; ++i) sum += i;
#pragma omp single
      {
#pragma omp task
        add(&sum, 2);
#pragma omp taskwait
      }
    }
  }
  each.it_interval.tv_usec = each.it_value.tv_usec = 0;
  setitimer(ITIMER_REAL, &each, NULL);
  CHECK(came > 10);
  CHECK(sum == 30 * rounds && guarded == rounds * asked());
  return verdict();
}
