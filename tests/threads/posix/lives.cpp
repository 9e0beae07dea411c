// How threads begin and end, and what the standard library makes of all this.
#include "threads.hpp"

#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace {

void joins() {
  const others so_many;
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> ends{false};
    const pthread_t one = start([&]() -> void* {
      while (!ends) sched_yield();
      return &ends;
    });
    void* result = nullptr;
    CHECK(pthread_tryjoin_np(one, &result) == EBUSY);
    if (i % 50 == 0)
      CHECK(is_late(ETIMEDOUT, CLOCK_REALTIME, [&](auto* t) { return pthread_timedjoin_np(one, &result, t); }, 0.01));
    if (i % 50 == 1)
      CHECK(is_late(
          ETIMEDOUT, CLOCK_MONOTONIC, [&](auto* t) { return pthread_clockjoin_np(one, &result, CLOCK_MONOTONIC, t); }, 0.01));
    if (i % 2 == 0) ends = true;
    const pthread_t joins_it = start([&, i]() -> void* {
      const timespec far = in(patience), far_monotonic = in(patience, CLOCK_MONOTONIC);
      void* result = nullptr;
      const int error = i % 4 == 0   ? pthread_timedjoin_np(one, &result, &far)
                        : i % 4 == 1 ? pthread_clockjoin_np(one, &result, CLOCK_MONOTONIC, &far_monotonic)
                        : i % 4 == 2 ? pthread_timedjoin_np(one, &result, nullptr)
                                     : pthread_join(one, &result);
      return CHECK(error == 0 && result == &ends), nullptr;
    });
    ends = true;
    result_of(joins_it);
  }
  CHECK(pthread_join(pthread_self(), nullptr) == EDEADLK);
  const timespec soon_over = in(0.01);
  CHECK(pthread_timedjoin_np(pthread_self(), nullptr, &soon_over) == EDEADLK);
  std::atomic<int> ended{0};
  for (int i = 0; i < 50; ++i) {
    const pthread_t one = start([&]() -> void* { return ++ended, nullptr; });
    CHECK(pthread_detach(one) == 0);
  }
  CHECK(soon([&] { return ended == 50; }));
}

/// By pthread_exit() in a called function; destructors run, thread-specific ones and thread_local ones.
void exits() {
  static std::atomic<int> destroyed{0}, of_key{0};
  struct counted {
    ~counted() { ++destroyed; }
    bool is_there = true;
  };
  pthread_key_t key;
  CHECK(pthread_key_create(&key, [](void*) { ++of_key; }) == 0);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int round = 0; round < 20; ++round) {
    team([&](int me) {
      thread_local counted counted_here;
      CHECK(counted_here.is_there && pthread_setspecific(key, &mutex) == 0);
      pthread_mutex_lock(&mutex);
      if (me % 3 == 0) sched_yield();
      pthread_mutex_unlock(&mutex);
      if (threads_are != "team") {
        const counted on_stack;
        pthread_exit(nullptr);
      }
    });
  }
  if (threads_are != "team") CHECK(destroyed == 2 * 20 * members && of_key == 20 * members);
}

/// Without the C library, which finds that the thread has ended.
void exits_by_system_call() {
  const others so_many;
  for (int round = 0; round < 10; ++round) {
    std::vector<pthread_t> threads;
    for (int i = 0; i < members; ++i)
      threads.push_back(start([]() -> void* {
        for (int n = 0; n < 20; ++n) sched_yield();
        syscall(SYS_exit, 0);
        return &wrongs;
      }));
    for (const pthread_t each : threads) CHECK(result_of(each) == nullptr);
  }
}

/// The first thread ends; the process ends with the last one.
void first_thread_exits() {
  static std::atomic<int> left{8};
  for (int i = 0; i < 8; ++i)
    pthread_detach(start([]() -> void* {
      for (int n = 0; n < 20; ++n) sched_yield(), sleep_for(0.0005);
      if (--left == 0) std::fflush(nullptr), _exit(wrongs != 0);
      return nullptr;
    }));
  pthread_exit(nullptr);
}

void once() {
  static std::atomic<int> times{0};
  for (int i = 0; i < 100; ++i) {
    pthread_once_t once = PTHREAD_ONCE_INIT;
    std::once_flag flag;
    std::atomic<int> called{0};
    const int before = times;
    team([&](int) {
      CHECK(pthread_once(&once, [] {
        sched_yield();
        ++times;
      }) == 0);
      CHECK(times == before + 1);
      std::call_once(flag, [&] { ++called; });
      CHECK(called == 1);
    });
  }
  struct slow {
    slow() { sleep_for(0.01), ++times; }
  };
  const int before = times;
  team([&](int) {
    static const slow made;
    (void)made;
    CHECK(times == before + 1);
  });
}

void forks() {
  const others so_many;
  team([&](int me) {
    if (me % 4 != 1) return;
    child([] {
      std::mutex mutex;
      std::condition_variable changed;
      int count = 0;
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
          const std::lock_guard lock(mutex);
          ++count;
          changed.notify_all();
        });
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return count == 4; });
      lock.unlock();
      for (std::thread& each : threads) each.join();
      CHECK(count == 4);
    });
  });
}

void standard_library() {
  const auto n = static_cast<std::size_t>(members);
  std::barrier all_meet(static_cast<std::ptrdiff_t>(n));
  std::latch all_come(static_cast<std::ptrdiff_t>(n));
  std::counting_semaphore<> two(2);
  std::shared_mutex shared;
  std::atomic<unsigned> turn{0}, inside{0};
  int sum = 0;
  std::promise<int> promise;
  const std::shared_future<int> future = promise.get_future().share();
  team([&](int me) {
    all_come.arrive_and_wait();
    for (int i = 0; i < 100; ++i) {
      all_meet.arrive_and_wait();
      two.acquire();
      CHECK(++inside <= 2);
      if (i % 10 == me) sched_yield();
      --inside;
      two.release();
      const unsigned own_turn = static_cast<unsigned>(i * members + me);
      for (unsigned now = turn; now != own_turn; now = turn) turn.wait(now);
      ++turn;
      turn.notify_all();
      const std::lock_guard lock(shared);
      ++sum;
    }
    if (me == 0) promise.set_value(7);
    CHECK(future.get() == 7);
    const std::shared_lock lock(shared);
    CHECK(sum >= 100);
  });
  CHECK(sum == 100 * members);
  std::atomic<int> stopped{0};
  {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::vector<std::jthread> them;
    for (int i = 0; i < 8; ++i)
      them.emplace_back([&](const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        CHECK(!changed.wait(lock, stop, [] { return false; }));
        ++stopped;
      });
  }
  CHECK(stopped == 8);
}

/// A thread that the C library knows nothing of: it runs with its creator's thread pointer. Where it ends, the kernel clears its
/// word, and wakes who waits there.
int spins_until(void* ends) {
  while (!static_cast<std::atomic<bool>*>(ends)->load()) {}
  return 0;
}
void words_that_the_kernel_clears() {
  const others so_many;
  alignas(16) static char stack[64 * 1024];
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> ends{false};
    std::atomic<int> number{0}, waits{0};
    auto* const word = reinterpret_cast<pid_t*>(&number);
    sigset_t everything, before;
    sigfillset(&everything);
    pthread_sigmask(SIG_BLOCK, &everything, &before);  // the new thread may run no handler
    CHECK(clone(spins_until, stack + sizeof stack,
                CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID |
                    CLONE_CHILD_CLEARTID,
                &ends, word, nullptr, word) > 0);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    // A thread that has yielded may be a member, as one that has waited often.
    const auto awaits = [&]() -> void* {
      sched_yield(), ++waits;
      for (int seen; (seen = number) != 0;) syscall(SYS_futex, word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
      return nullptr;
    };
    const auto awaits_with_limit = [&]() -> void* {
      sched_yield(), ++waits;
      const timespec far = in(patience, CLOCK_MONOTONIC);
      for (int seen; (seen = number) != 0;)
        if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, &far, nullptr, FUTEX_BITSET_MATCH_ANY) != 0 && errno == ETIMEDOUT)
          return CHECK(false), nullptr;
      return nullptr;
    };
    // The kernel wakes one of those that wait.
    const pthread_t one = i % 2 == 0 ? start(awaits) : start(awaits_with_limit);
    while (waits != 1) sched_yield();
    usleep(1000);
    ends = true;
    result_of(one);
  }
}

const subject subjects[] = {{"joins", joins},
                            {"words that the kernel clears", words_that_the_kernel_clears},
                            {"exits", exits},
                            {"exits by system call", exits_by_system_call},
                            {"first thread exits", first_thread_exits},
                            {"once", once},
                            {"forks", forks},
                            {"standard library", standard_library}};

}  // namespace

int main() { return run_all(subjects); }
