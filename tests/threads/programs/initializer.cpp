// A library whose initializer creates threads and waits for them, as some libraries make their pools. Meanwhile the loader's lock
// is taken. The threads do everything for the first time in the process: they may become members, and call functions before which
// Weir stands.
#include <cerrno>
#include <ctime>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

namespace {

constexpr int threads = 8;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
sem_t semaphore, never_posted;
int arrived = 0;

void* run(void*) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  sem_timedwait(&never_posted, &now);
  sem_post(&semaphore);
  sem_wait(&semaphore);
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  usleep(1);
  sched_yield();
  pthread_mutex_lock(&mutex);
  ++arrived;
  pthread_cond_broadcast(&changed);
  while (arrived != threads) pthread_cond_wait(&changed, &mutex);
  clock_gettime(CLOCK_REALTIME, &now);
  while (pthread_cond_timedwait(&changed, &mutex, &now) != ETIMEDOUT) {
  }
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

[[gnu::constructor]] void when_loaded() {
  sem_init(&semaphore, 0, 0);
  sem_init(&never_posted, 0, 0);
  pthread_t created[threads];
  for (pthread_t& each : created) pthread_create(&each, nullptr, run, nullptr);
  for (pthread_t each : created) pthread_join(each, nullptr);
}

}  // namespace

extern "C" int arrived_in_initializer() { return arrived; }
