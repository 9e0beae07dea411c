/* KMP_DETERMINISTIC_REDUCTION=true: a reduction of floating-point numbers depends on the team's size alone. GCC's code combines
   the values itself, in the order in which members come. Settings are read from the environment, so the program executes itself.
 */
#include "check.h"
#include <omp.h>
#include <unistd.h>

static double once(int late) {
  double sum = 0.1;
#pragma omp parallel reduction(+ : sum)
  {
    const int me = omp_get_thread_num();
    /* Each in its turn is late, so that the members come in many orders. */
    for (volatile int i = 0; me == late && i < 3000; ++i) {
    }
    sum += 1.0 / (3 + me) * (me % 2 == 0 ? 1e6 : 1e-6);
  }
  return sum;
}

int main(int count, char **arguments) {
  (void)count;
  if (getenv("KMP_DETERMINISTIC_REDUCTION") == NULL) {
    setenv("KMP_DETERMINISTIC_REDUCTION", "true", 1);
    execv("/proc/self/exe", arguments);
    perror("exec");
    return 2;
  }
  const double first = once(0);
  for (int round = 0; round < episodes(500); ++round) {
    const double again = once(round % asked());
#ifdef __clang__
    CHECK(again == first);
#else
    CHECK(again > first - 1e-3 && again < first + 1e-3);
#endif
  }
  return verdict();
}
