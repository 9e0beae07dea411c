// threadprivate objects of threads that the program starts itself: they are constructed from their initializers, whatever the
// first thread has assigned to its own objects, and destroyed when the thread ends.
#include "check.h"

#include <atomic>
#include <omp.h>
#include <thread>

static std::atomic<int> made{0}, gone{0};

struct thing {
  int number;
  thing(int n) : number(n) { ++made; }
  thing(const thing& other) : number(other.number) { ++made; }
  thing& operator=(const thing&) = default;
  ~thing() { ++gone; }
};

extern thing one, row[3];
extern int plain;
extern double vector[100];
#pragma omp threadprivate(one, row, plain, vector)
thing one(7), row[3] = {1, 2, 3};
int plain = 5;
double vector[100] = {0.5};

static int calls() {
  static int count = 10;
#pragma omp threadprivate(count)
  return ++count;
}

static void beside() {
  CHECK(one.number == 7 && row[2].number == 3 && plain == 5 && vector[0] == 0.5 && vector[99] == 0);
  CHECK(calls() == 11 && calls() == 12);
  one.number = 20;
  row[1].number = 30;
  plain = 40;
  vector[99] = 50;
#pragma omp parallel num_threads(3)
  {
    const bool opened_it = omp_get_thread_num() == 0;
    CHECK(one.number == (opened_it ? 20 : 7) && row[1].number == (opened_it ? 30 : 2));
    CHECK(plain == (opened_it ? 40 : 5) && vector[99] == (opened_it ? 50 : 0));
    if (opened_it) CHECK(calls() == 13);  // the other members may have been in another thread's team before
  }
}

int main() {
  omp_set_dynamic(0);
  one.number = row[2].number = plain = -1;
  vector[0] = vector[99] = -1;
  calls();
#pragma omp parallel
  CHECK(plain == (omp_get_thread_num() == 0 ? -1 : 5));
  for (int i = 0; i < 10; ++i) {
    const int before = gone;
    std::thread(beside).join();
    CHECK(gone - before >= 4);
  }
  CHECK(one.number == -1 && row[2].number == -1 && plain == -1 && vector[99] == -1);
  CHECK(calls() == 12 && gone <= made);
  return verdict();
}
