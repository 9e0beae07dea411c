/* parallel with very many shared variables: each is passed correctly. */
#include "check.h"
#include <omp.h>

#define TEN(what, n) what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define ALL(what) TEN(what, 1) TEN(what, 2) TEN(what, 3) TEN(what, 4) TEN(what, 5) TEN(what, 6) TEN(what, 7)
#define MAKE(n) int v##n = n, w##n = -n;
#define USE(n) add(&v##n, 1), add(&w##n, -1);
#define LOOK(n) CHECK(v##n == n + asked() && w##n == -n - asked());

int main(void) {
  ALL(MAKE)
#pragma omp parallel
  {
    ALL(USE)
  }
  ALL(LOOK)
  return verdict();
}
