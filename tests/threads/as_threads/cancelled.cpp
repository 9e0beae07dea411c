// Members, and threads of theirs, that may be cancelled anywhere.
#include "team.hpp"

#include <semaphore.h>

namespace {

sem_t some;
std::atomic<int> cleaned{0};

// Nothing is to be destroyed here, so the program's own code may be cancelled anywhere, too.
[[gnu::noinline]] void post_for_ever(std::atomic<bool>& begins) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  begins = true;
  for (;;) {
    sem_post(&some);
    sched_yield();
  }
}
void* post(void* begins) {
  pthread_cleanup_push([](void*) { ++cleaned; }, nullptr);
  post_for_ever(*static_cast<std::atomic<bool>*>(begins));
  pthread_cleanup_pop(0);
  return nullptr;
}
void wait_until(const std::atomic<bool>& it) {
  while (!it) sched_yield();
}

void threads_of_members() {
  cleaned = 0;
  team([](int) {
    for (int i = 0; i < 10; ++i) {
      std::atomic<bool> begins{false};
      pthread_t one{};
      CHECK(pthread_create(&one, nullptr, post, &begins) == 0);
      wait_until(begins);
      while (sem_wait(&some) != 0) {
      }
      CHECK(pthread_cancel(one) == 0);
      void* result = nullptr;
      CHECK(pthread_join(one, &result) == 0 && result == PTHREAD_CANCELED);
    }
  });
  CHECK(cleaned == 10 * members);
}

#if !defined(_OPENMP)  // nothing may leave a region so
void members_themselves() {
  static pthread_t thread[256];
  static std::atomic<bool> begins[256];
  for (int round = 0; round < 5; ++round) {
    cleaned = 0;
    for (std::atomic<bool>& each : begins) each = false;
    team([](int me) {
      thread[me] = pthread_self();
      meet();
      if (me % 2 == 0) return static_cast<void>(post(&begins[me]));
      wait_until(begins[me - 1]);
      while (sem_wait(&some) != 0) {
      }
      CHECK(pthread_cancel(thread[me - 1]) == 0);
    });
    CHECK(cleaned == members / 2);
  }
}
#endif

}  // namespace

int main() {
  sem_init(&some, 0, 0);
  threads_of_members();
#if !defined(_OPENMP)
  members_themselves();
#endif
  return verdict();
}
