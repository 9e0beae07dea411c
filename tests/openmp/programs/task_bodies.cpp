// Bodies of tasks: they throw and catch exceptions, begin regions and set their own control variables. No thread waits explicitly
// for some of the tasks.
#include <omp.h>
#include <stdexcept>
#include <string>

#include "check.h"

namespace {

void throws_and_catches() {
  int caught = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task shared(caught) firstprivate(i)
    try {
      if (i % 2 == 0) throw std::runtime_error(std::to_string(i));
    } catch (const std::runtime_error& e) {
      CHECK(e.what() == std::to_string(i));
      add(&caught, 1);
    }
  }
  CHECK(caught == 10);
}

void opens_a_region() {
  int members = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; ++i) {
#pragma omp task shared(members)
    {
      const int level = omp_get_level();
#pragma omp parallel num_threads(2)
      {
        CHECK(omp_get_level() == level + 1);
#pragma omp single
        add(&members, omp_get_num_threads());
      }
      CHECK(omp_get_level() == level);
    }
  }
  CHECK(members >= 5 && members <= 10);
}

void what_it_sets_is_its_own() {
#pragma omp parallel
  {
    omp_set_num_threads(3);
#pragma omp task
    {
      omp_set_num_threads(5);
      CHECK(omp_get_max_threads() == 5);
#pragma omp task
      CHECK(omp_get_max_threads() == 5);
    }
#pragma omp taskwait
    CHECK(omp_get_max_threads() == 3);
  }
}

void nobody_waits() {
  int done = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < 30; ++i) {
#pragma omp task shared(done)
      add(&done, 1);
    }
  }
  CHECK(done == 30);
}

struct witness {
  explicit witness(int* alive) : alive_(alive) { add(alive_, 1); }
  witness(const witness& other) : alive_(other.alive_) { add(alive_, 1); }
  ~witness() { add(alive_, -1); }
  int* alive_;
};

void copies_end() {
  int alive = 0;
  {
    const witness one(&alive);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task firstprivate(one) if (i % 3 != 0)
      CHECK(__atomic_load_n(one.alive_, __ATOMIC_RELAXED) >= 2);
#pragma omp task firstprivate(one) untied final(i % 2 == 0)
      CHECK(__atomic_load_n(one.alive_, __ATOMIC_RELAXED) >= 2);
    }
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

}  // namespace

int main() {
  for (int i = 0; i < 10; ++i) {
    throws_and_catches();
    opens_a_region();
    what_it_sets_is_its_own();
    nobody_waits();
    copies_end();
  }
  return verdict();
}
