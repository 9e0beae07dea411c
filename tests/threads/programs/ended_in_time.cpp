// What a thread waits for comes in time, just when the thread has begun to wait and does not sleep yet; it goes on only after its
// limit. Each wait with a limit ends well. Prints "ok".
//
// The linker puts a function in front of clock_gettime(), by which the wait looks whether the limit has passed.
#include "../../openmp/programs/check.h"
#include "../times.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/crowd.hpp>

namespace {

// Null: nothing comes to the calling thread.
constinit thread_local const std::function<void()>* comes = nullptr;
constinit thread_local timespec limit{};

}  // namespace

extern "C" int __real_clock_gettime(clockid_t clock, timespec* now);
extern "C" int __wrap_clock_gettime(clockid_t clock, timespec* now) {
  if (const auto* const what = std::exchange(comes, nullptr)) {
    (*what)();
    do __real_clock_gettime(CLOCK_MONOTONIC, now);
    while (now->tv_sec < limit.tv_sec || (now->tv_sec == limit.tv_sec && now->tv_nsec <= limit.tv_nsec));
  }
  return __real_clock_gettime(clock, now);
}

namespace {

/// What wait() says if `what` comes in time.
template <class Wait>
int result_of(const std::function<void()>& what, Wait wait) {
  limit = timespec_of(now_s() + 0.005);
  comes = &what;
  const int status = wait();
  CHECK(std::exchange(comes, nullptr) == nullptr);
  return status;
}
void expect(const char* name, int is, int expected) {
  if (is == expected) return;
  std::fprintf(stderr, "%s: %s\n", name, std::strerror(is));
  CHECK(is == expected);
}

void run(unsigned) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  for (const bool many : {false, true})
    expect("condition", result_of([&] { many ? pthread_cond_broadcast(&changed) : pthread_cond_signal(&changed); },
                                  [&] { return pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &limit); }), 0);
  const auto wait_in_vain = [&] { return pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &limit); };
  expect("condition, in vain", result_of([] {}, wait_in_vain), ETIMEDOUT);

  // A thread that waits for itself, as for another one.
  expect("mutex", result_of([&] { pthread_mutex_unlock(&mutex); },
                            [&] { return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit); }), 0);
  expect("mutex, in vain", result_of([] {}, [&] { return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit); }), ETIMEDOUT);

  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&lock);
  expect("read-write lock", result_of([&] { pthread_rwlock_unlock(&lock); },
                                      [&] { return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &limit); }), 0);

  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const auto wait = [&] { return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &limit) == 0 ? 0 : errno; };
  expect("semaphore", result_of([&] { sem_post(&semaphore); }, wait), 0);
  expect("semaphore, in vain", result_of([] {}, wait), ETIMEDOUT);

  std::atomic<std::uint32_t> word{0};
  const auto futex = [&](int operation, const timespec* until) {
    return syscall(SYS_futex, &word, operation, operation == FUTEX_WAKE_PRIVATE, until, nullptr, FUTEX_BITSET_MATCH_ANY);
  };
  const auto sleep = [&] { return futex(FUTEX_WAIT_BITSET_PRIVATE, &limit) == 0 ? 0 : errno; };
  const auto change = [&] {
    word = 1;
    futex(FUTEX_WAKE_PRIVATE, nullptr);
  };
  expect("futex, in vain", result_of([] {}, sleep), ETIMEDOUT);
  expect("futex", result_of(change, sleep), EAGAIN);  // as the kernel says where the word changes before the sleep
}

}  // namespace

int main() {
  weir::crowd(1, run).join();
  return verdict();
}
