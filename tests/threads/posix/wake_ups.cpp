// A thread that waits is woken where it must be, and nobody else: by one release for many, by the last of a barrier for a single
// sleeper, after a routine that has been cancelled, and by the bits of a futex.
#include "threads.hpp"

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>

namespace {

/// Some time after all of them have come to where they wait.
void are_waiting(const std::atomic<int>& come, int so_many) {
  CHECK(soon([&] { return come == so_many; }));
  sleep_for(0.02);
}

/// A read-write lock's release is for all readers: each holds it until the others do.
void readers_share() {
  const others so_many;
  constexpr int readers = 4;
  for (int i = 0; i < 4; ++i) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    std::atomic<int> come{0}, inside{0};
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    std::vector<pthread_t> threads;
    for (int r = 0; r < readers; ++r)
      threads.push_back(start([&]() -> void* {
        ++come;
        CHECK(pthread_rwlock_rdlock(&lock) == 0);
        ++inside;
        CHECK(soon([&] { return inside == readers; }));
        CHECK(pthread_rwlock_unlock(&lock) == 0);
        return nullptr;
      }));
    are_waiting(come, readers);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    for (const pthread_t each : threads) result_of(each);
    CHECK(pthread_rwlock_destroy(&lock) == 0);
  }
}

/// A barrier of two: the first sleeps, in the kernel or as a member, when the second comes.
void a_barrier_of_two() {
  const others so_many;
  const kernel_thread own;
  for (int i = 0; i < 8; ++i) {
    pthread_barrier_t both;
    CHECK(pthread_barrier_init(&both, nullptr, 2) == 0);
    std::atomic<int> come{0}, serial{0};
    const auto arrive = [&]() -> void* {
      ++come;
      if (pthread_barrier_wait(&both) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
      return nullptr;
    };
    const pthread_t first = start(arrive, i % 2 == 0 ? own.attributes() : nullptr);
    are_waiting(come, 1);
    const pthread_t second = start(arrive, i % 4 < 2 ? own.attributes() : nullptr);
    result_of(first);
    result_of(second);
    CHECK(serial == 1 && pthread_barrier_destroy(&both) == 0);
  }
}

/// Where a routine does not come to its end, one of those that wait for it begins anew.
void a_routine_that_is_cancelled() {
  const others so_many;
  static pthread_once_t once;
  static sem_t never;
  static std::atomic<int> begun;
  static std::atomic<bool> ends;
  sem_init(&never, 0, 0);
  for (int i = 0; i < 4; ++i) {
    once = PTHREAD_ONCE_INIT;
    begun = 0;
    ends = false;
    const auto routine = [] {
      if (++begun == 1)
        for (;;) sem_wait(&never);
      ends = true;
    };
    const pthread_t first = start([=]() -> void* { return pthread_once(&once, routine), nullptr; });
    are_waiting(begun, 1);
    std::atomic<int> come{0};
    std::vector<pthread_t> threads;
    for (int w = 0; w < 3; ++w)
      threads.push_back(start([&, routine]() -> void* {
        ++come;
        CHECK(pthread_once(&once, routine) == 0 && ends);
        return nullptr;
      }));
    are_waiting(come, 3);
    CHECK(pthread_cancel(first) == 0 && result_of(first) == PTHREAD_CANCELED);
    for (const pthread_t each : threads) result_of(each);
    CHECK(begun == 2);
  }
}

long futex(std::uint32_t* word, int how, std::uint32_t value, std::uint32_t bits) {
  return syscall(SYS_futex, word, how | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, bits);
}
/// A thread that waits for some bits is woken by them alone.
void bits_of_a_futex() {
  const others so_many;
  for (int i = 0; i < 4; ++i) {
    std::uint32_t word = 0;
    std::atomic<int> come{0};
    std::atomic<bool> is_woken{false};
    const pthread_t one = start([&]() -> void* {
      ++come;
      CHECK(futex(&word, FUTEX_WAIT_BITSET, 0, 1) == 0);
      is_woken = true;
      return nullptr;
    });
    are_waiting(come, 1);
    CHECK(futex(&word, FUTEX_WAKE_BITSET, 1, 2) == 0 && !is_woken);
    CHECK(futex(&word, FUTEX_WAKE_BITSET, 1, 3) == 1);
    result_of(one);
  }
}

/// A thread that has been woken in time once says all the same that a limit has passed, in the next wait.
void a_limit_after_a_signal() {
  const others so_many;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  std::atomic<int> come{0};
  bool is_changed = false;
  const pthread_t one = start([&]() -> void* {
    for (int i = 0; i < 4; ++i) {
      pthread_mutex_lock(&mutex);
      ++come;
      while (!is_changed) CHECK(pthread_cond_wait(&changed, &mutex) == 0);
      is_changed = false;
      const timespec past = in(-1);
      CHECK(pthread_cond_timedwait(&changed, &mutex, &past) == ETIMEDOUT);
      pthread_mutex_unlock(&mutex);
    }
    return nullptr;
  });
  for (int i = 1; i <= 4; ++i) {
    are_waiting(come, i);
    pthread_mutex_lock(&mutex);
    is_changed = true;
    CHECK(pthread_cond_signal(&changed) == 0);
    pthread_mutex_unlock(&mutex);
  }
  result_of(one);
}

/// They are refused, not late.
void limits_that_are_not_valid() {
  const others so_many;
  sem_t none;
  sem_init(&none, 0, 0);
  pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t read = PTHREAD_RWLOCK_INITIALIZER;
  CHECK(pthread_mutex_lock(&taken) == 0 && pthread_rwlock_rdlock(&read) == 0);
  result_of(start([&]() -> void* {
    CHECK(error_of(sem_timedwait(&none, &no_time)) == EINVAL);
    CHECK(error_of(sem_clockwait(&none, CLOCK_MONOTONIC, &no_time)) == EINVAL);
    CHECK(pthread_mutex_timedlock(&taken, &no_time) == EINVAL);
    CHECK(pthread_mutex_clocklock(&taken, CLOCK_MONOTONIC, &no_time) == EINVAL);
    CHECK(pthread_rwlock_timedwrlock(&read, &no_time) == EINVAL);
    CHECK(pthread_rwlock_clockwrlock(&read, CLOCK_MONOTONIC, &no_time) == EINVAL);
    return nullptr;
  }));
  CHECK(pthread_mutex_unlock(&taken) == 0 && pthread_rwlock_unlock(&read) == 0);
}

/// A thread that waits for a condition without the mutex is refused, where the mutex finds that out, and does not get it.
void without_the_mutex() {
  const others so_many;
  pthread_mutexattr_t checks;
  pthread_mutexattr_init(&checks);
  pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t mutex;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  CHECK(pthread_mutex_init(&mutex, &checks) == 0);
  result_of(start([&]() -> void* {
    const timespec soon = in(0.01);
    CHECK(pthread_cond_wait(&never, &mutex) == EPERM && pthread_cond_timedwait(&never, &mutex, &soon) == EPERM);
    CHECK(pthread_mutex_unlock(&mutex) == EPERM);
    return nullptr;
  }));
}

/// In the child of a fork the thread has another number: that of a mutex's owner, too.
void owner_in_a_child() {
  const others so_many;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  result_of(start([]() -> void* {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    child([] {
      CHECK(pthread_mutex_lock(&mutex) == 0 && mutex.__data.__owner == gettid());
      CHECK(pthread_mutex_unlock(&mutex) == 0);
    });
    return nullptr;
  }));
}

const subject subjects[] = {{"readers share", readers_share},
                            {"a barrier of two", a_barrier_of_two},
                            {"a routine that is cancelled", a_routine_that_is_cancelled},
                            {"bits of a futex", bits_of_a_futex},
                            {"a limit after a signal", a_limit_after_a_signal},
                            {"limits that are not valid", limits_that_are_not_valid},
                            {"without the mutex", without_the_mutex},
                            {"owner in a child", owner_in_a_child}};

}  // namespace

int main() { return run_all(subjects); }
