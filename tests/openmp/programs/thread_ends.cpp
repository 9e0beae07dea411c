// The end of threads: destructors of their objects call the runtime, or begin regions, after the runtime has destroyed its own
// state of the thread.
#include "check.h"

#include <atomic>
#include <omp.h>
#include <pthread.h>

namespace {

std::atomic<int> made{0}, gone{0};

struct asks {
  const int* told = nullptr;  // set after the region by the thread that began it
  asks() { ++made; }
  ~asks() {
    CHECK(told != nullptr && *told == 1 && omp_get_level() == 0 && omp_get_thread_num() == 0 && omp_get_num_threads() == 1 &&
          !omp_in_parallel());
    ++gone;
  }
};

thread_local asks at_end;
pthread_key_t key;  // its destructor runs after those of thread_local objects

void opens_a_region(void*) {
  int members = 0;
#pragma omp parallel
  add(&members, 1);
  CHECK(members == asked());
  ++gone;
}

void* run_team(void* its_word) {
  auto* const told = static_cast<int*>(its_word);
  CHECK(pthread_setspecific(key, &key) == 0);
#pragma omp parallel
  at_end.told = told;
  *told = 1;
  return nullptr;
}

}  // namespace

int main() {
  const int rounds = episodes(100);
  static int told[100];
  CHECK(pthread_key_create(&key, opens_a_region) == 0);
  for (int i = 0; i < rounds; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, run_team, &told[i]) == 0);
    CHECK(pthread_join(thread, nullptr) == 0);
  }
  CHECK(made >= rounds && gone >= 2 * rounds);
  return verdict();
}
