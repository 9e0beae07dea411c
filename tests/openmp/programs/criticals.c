/* critical: one thread at a time for each name, and each thread reads what the previous one wrote. */
#include "check.h"
#include <omp.h>

int main(void) {
  int rounds = episodes(5000), unnamed = 0, red = 0, blue = 0, hinted = 0, inside = 0;
#pragma omp parallel
  for (int i = 0; i < rounds; ++i) {
#pragma omp critical
    {
      CHECK(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
      ++unnamed;
      __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    }
#pragma omp critical(red)
    {
      ++red;
#pragma omp critical(blue) /* another name is another lock */
      ++blue;
    }
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
    ++hinted;
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
    ++hinted;
  }
  int expected = rounds * asked();
  CHECK(unnamed == expected && red == expected && blue == expected && hinted == 2 * expected);
  return verdict();
}
