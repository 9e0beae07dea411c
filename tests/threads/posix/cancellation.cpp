// Cancellation of a thread wherever it waits, computes or does not let itself be cancelled.
#include "threads.hpp"

#include <semaphore.h>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
sem_t none;
int silent[2];
pthread_t beside;

void in_condition() {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push([](void*) { CHECK(pthread_mutex_unlock(&mutex) == 0); }, nullptr);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
}
void in_timed_condition() {
  const timespec limit = in(1000);
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push([](void*) { CHECK(pthread_mutex_unlock(&mutex) == 0); }, nullptr);
  for (;;) pthread_cond_timedwait(&never, &mutex, &limit);
  pthread_cleanup_pop(0);
}
void in_semaphore() { sem_wait(&none); }
void in_timed_semaphore() {
  const timespec limit = in(1000);
  sem_timedwait(&none, &limit);
}
void in_read() {
  char byte;
  CHECK(read(silent[0], &byte, 1) == 1);
}
void in_sleep() { sleep(1000); }
void in_join() { pthread_join(beside, nullptr); }
void in_computing() {
  for (;;) {
    compute(0.0001);
    pthread_testcancel();
  }
}
void asynchronously() {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  for (volatile unsigned i = 0;;) i = i + 1;
}
void asynchronously_after_vfork() {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  const pid_t child = vfork();
  if (child == 0) _exit(0);
  for (volatile unsigned i = 0;;) i = i + 1;
}
/// A mutex is no cancellation point.
void in_mutex() {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_testcancel();
}

struct row {
  const char* name;
  void (*wait)();
};
const row rows[] = {{"condition", in_condition}, {"timed condition", in_timed_condition}, {"semaphore", in_semaphore},
                    {"timed semaphore", in_timed_semaphore}, {"read", in_read}, {"sleep", in_sleep}, {"join", in_join},
                    {"computing", in_computing}, {"asynchronously", asynchronously},
                    {"asynchronously after vfork()", asynchronously_after_vfork}, {"mutex", in_mutex}};

/// Many threads, each cancelled after a time of its own: before it waits, while it begins to, or while it does.
void everywhere() {
  sem_init(&none, 0, 0);
  CHECK(pipe(silent) == 0);
  const others so_many;
  std::atomic<bool> ends{false};
  beside = start([&] {
    while (!ends) sleep_for(0.001);
    return nullptr;
  });
  for (const row& entry : rows) {
    const bool holds = entry.wait == in_mutex;
    for (int i = 0; i < 24; ++i) {
      std::atomic<int> cleaned{0};
      if (holds) pthread_mutex_lock(&mutex);
      const pthread_t one = start([&]() -> void* {
        pthread_cleanup_push([](void* to) { ++*static_cast<std::atomic<int>*>(to); }, &cleaned);
        pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
        entry.wait();
        pthread_cleanup_pop(0);
        return nullptr;
      });
      if (i % 3 != 0) sleep_for(0.0003 * (i % 8));
      CHECK(pthread_cancel(one) == 0);
      if (holds) {
        sleep_for(0.001);
        pthread_mutex_unlock(&mutex);
      }
      const bool cancelled = result_of(one) == PTHREAD_CANCELED;
      CHECK(cancelled && cleaned == 1);
      if (!cancelled || cleaned != 1) std::fprintf(stderr, "%s: not cancelled\n", entry.name);
      CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    }
  }
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  ends = true;
  result_of(beside);
}

/// A thread that does not let itself be cancelled waits on; it is cancelled afterwards.
void disabled() {
  const others so_many;
  for (int i = 0; i < 20; ++i) {
    sem_t go;
    sem_init(&go, 0, 0);
    std::atomic<bool> waits{false}, got{false};
    const pthread_t one = start([&]() -> void* {
      int before = -1;
      CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0 && before == PTHREAD_CANCEL_ENABLE);
      waits = true;
      while (sem_wait(&go) != 0) {
      }
      got = true;
      CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before) == 0 && before == PTHREAD_CANCEL_DISABLE);
      CHECK(pthread_setcancelstate(77, nullptr) == EINVAL && pthread_setcanceltype(77, nullptr) == EINVAL);
      pthread_testcancel();
      return nullptr;
    });
    CHECK(soon([&] { return waits.load(); }));
    CHECK(pthread_cancel(one) == 0);
    sleep_for(0.002);
    CHECK(!got && sem_post(&go) == 0);
    CHECK(result_of(one) == PTHREAD_CANCELED && got);
    sem_destroy(&go);
  }
}

/// A forked child is an ordinary thread, which can be cancelled.
void in_child_of_member() {
  const others so_many;
  result_of(start([]() -> void* {
    const pthread_t forks = start([]() -> void* {
      child([] {
        const pthread_t first = pthread_self();
        std::atomic<bool> goes_on{false};
        const pthread_t other = start([&]() -> void* {
          sleep_for(0.005);
          CHECK(pthread_cancel(first) == 0);
          goes_on = true;
          sleep_for(0.2);
          _exit(goes_on && wrongs == 0 ? 0 : 2);
        });
        pthread_cleanup_push([](void*) { sleep_for(patience); }, nullptr);
        pthread_join(other, nullptr);
        pthread_cleanup_pop(0);
        _exit(3);
      });
      return nullptr;
    });
    return result_of(forks);
  }));
}

const subject subjects[] = {{"everywhere", everywhere}, {"disabled", disabled}, {"in a member's child", in_child_of_member}};

}  // namespace

int main() { return run_all(subjects); }
