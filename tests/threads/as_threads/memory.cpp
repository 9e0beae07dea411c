// A thread that has had a team and ends leaves nothing behind.
#include "team.hpp"

#include <malloc.h>
#include <sys/mman.h>

namespace {

void* opens_a_region(void*) {
#if defined(_OPENMP)
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
  }
#elif defined(WEIR_TEST_THREADS)
  pthread_barrier_t both;
  pthread_barrier_init(&both, nullptr, 2);
  pthread_t other;
  const auto meets = [](void* where) -> void* { return pthread_barrier_wait(static_cast<pthread_barrier_t*>(where)), nullptr; };
  CHECK(pthread_create(&other, nullptr, meets, &both) == 0);
  meets(&both);
  pthread_join(other, nullptr);
  pthread_barrier_destroy(&both);
#else
  weir::team_barrier<> both(2);
  weir::crowd crowd(2, [&](unsigned me) { both.arrive_and_wait(me); });
  crowd.join();
#endif
  return nullptr;
}

void threads(int count) {
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, opens_a_region, nullptr) == 0);
    pthread_join(thread, nullptr);
  }
}
long alive() {
  long count = 0;
  FILE* stream = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, stream) != nullptr) std::sscanf(line, "Threads: %ld", &count);
  std::fclose(stream);
  return count;
}
// A thread that ends still has a stack: few are left, and none of them ends any more.
void wait_for_their_ends() {
  long before = -1;
  int unchanged = 0;
  CHECK(within(patience, [&] {
    const long now = alive();
    unchanged = now == before ? unchanged + 1 : 0;
    before = now;
    return now < 2 * members + 4 && unchanged > 50;
  }));
}

double allocated() {
  const auto statistics = mallinfo2();
  return static_cast<double>(statistics.uordblks + statistics.hblkhd);
}
double resident() {
  long pages = 0, resident_pages = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  CHECK(std::fscanf(file, "%ld %ld", &pages, &resident_pages) == 2);
  std::fclose(file);
  return static_cast<double>(resident_pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct left {
  double heap, pages;  // bytes a thread
};
left left_by(int count) {
  const double heap = allocated(), pages = resident();
  threads(count);
  wait_for_their_ends();
  return {(allocated() - heap) / count, (resident() - pages) / count};
}

// A leak shows in each round. The C library keeps stacks for later threads, and their number grows whenever more threads
// than before end at once: that shows in some rounds only.
void threads_that_have_had_a_team() {
  mallopt(M_ARENA_MAX, 1);  // or arenas that are kept would count
  threads(200);
  wait_for_their_ends();
  left remaining{};
  const auto little = [&] { return remaining.heap < 100 && remaining.pages < 200; };
  for (int round = 0; round < 5; ++round) {
    remaining = left_by(1000);
    if (little()) return;
    std::fprintf(stderr, "each thread leaves %.0f bytes of the heap, %.0f of resident memory\n", remaining.heap, remaining.pages);
  }
  CHECK(little());
}

}  // namespace

int main() {
  subject("threads that have had a team", threads_that_have_had_a_team);
  return verdict();
}
