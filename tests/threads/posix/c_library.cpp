// Locks inside the C library, whose waits no function of Weir's sees. A member that waits for one keeps the virtual processor,
// and its other members go on when the monitor has looked: also where the program handles the signal of ticks, so that there are
// none.
#include "threads.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <link.h>
#include <malloc.h>
#include <semaphore.h>

namespace {

/// Of four members one holds a lock, and goes on when the second has let it, which needs no lock. The others want the lock
/// meanwhile.
template <class Hold, class Want>
void one_holds(Hold hold, Want want) {
  constexpr int together = 4, rounds = 30;
  struct group {
    group() { sem_init(&may_go_on, 0, 0); }
    sem_t may_go_on;
    std::atomic<int> wanted{0};
  };
  std::vector<group> groups(static_cast<std::size_t>((members + together - 1) / together));
  std::atomic<int> held{0};
  meeting all_meet;
  team([&](int me) {
    group& of_member = groups[static_cast<std::size_t>(me / together)];
    for (int i = 0; i < rounds; ++i) {
      all_meet.arrive();
      switch ((me + i) % together) {
        case 0:
          hold([&] {
            while (sem_wait(&of_member.may_go_on) != 0) CHECK(errno == EINTR);
          });
          ++held;
          break;
        case 1:
          for (int n = 0; n < 20; ++n) sched_yield();
          sem_post(&of_member.may_go_on);
          break;
        default: want(); break;
      }
    }
  });
  CHECK(held >= rounds * (members / together));
}

/// The dynamic linker's, which it holds while it calls.
void of_loader() {
  one_holds(
      [](auto wait) {
        dl_iterate_phdr(
            [](dl_phdr_info*, std::size_t, void* count) {
              (*static_cast<decltype(wait)*>(count))();
              return 1;
            },
            &wait);
      },
      [] {
        int objects = 0;
        dl_iterate_phdr([](dl_phdr_info*, std::size_t, void* count) { return ++*static_cast<int*>(count), 0; }, &objects);
        CHECK(objects > 3);
      });
}

void of_file() {
  FILE* const file = std::tmpfile();
  one_holds(
      [file](auto wait) {
        flockfile(file);
        wait();
        funlockfile(file);
      },
      [file] { CHECK(std::fprintf(file, "%d\n", 7) == 2); });
  std::fclose(file);
}

/// The allocator's, which all want.
void of_allocator() {
  CHECK(mallopt(M_ARENA_MAX, 1) == 1);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int entered = 0;
  constexpr int rounds = 3000, between_entries = 50;
  team([&](int me) {
    constexpr std::size_t most = 8;
    char* kept[most] = {};
    for (int i = 0; i < rounds; ++i) {
      char*& block = kept[static_cast<std::size_t>(i) % most];
      CHECK(block == nullptr || *block == static_cast<char>(me));
      std::free(block);
      block = static_cast<char*>(
          std::malloc(static_cast<std::size_t>(1100 + 977 * (i % 17))));  // more than a thread keeps for itself
      *block = static_cast<char>(me);
      if (i % between_entries != 0) continue;
      pthread_mutex_lock(&mutex);
      ++entered;
      sched_yield();
      pthread_mutex_unlock(&mutex);
    }
    for (char* each : kept) std::free(each);
  });
  CHECK(entered == members * rounds / between_entries);
}

template <void (*Run)()>
void without_ticks() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  CHECK(sigaction(SIGURG, &action, nullptr) == 0);
  Run();
}

}  // namespace

int main() {
  return run_all({
      {"the dynamic linker's", of_loader},
      {"the dynamic linker's, without ticks", without_ticks<of_loader>},
      {"a file's", of_file},
      {"a file's, without ticks", without_ticks<of_file>},
      {"the allocator's", of_allocator},
      {"the allocator's, without ticks", without_ticks<of_allocator>},
  });
}
