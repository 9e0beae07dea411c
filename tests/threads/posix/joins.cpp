// What pthread_join() and pthread_detach() refuse, while the thread that they name lives on, and what happens where they meet.
// Threads that wait have slept twice before, so they are members where threads may become members.
#include "threads.hpp"

#include <semaphore.h>
#include <threads.h>

extern "C" void (*after_join)(pthread_t);  // joined.c
extern "C" void (*before_create)();

namespace {

/// A thread that lives until it is told to end.
class living {
 public:
  explicit living(const pthread_attr_t* how = nullptr) {
    sem_init(&end_, 0, 0);
    handle = start([this]() -> void* {
      while (sem_wait(&end_) != 0) {
      }
      ended_ = true;
      return this;
    }, how);
  }
  living(const living&) = delete;
  void end() { sem_post(&end_); }
  bool has_ended() const { return ended_; }
  pthread_t handle{};

 private:
  sem_t end_;
  std::atomic<bool> ended_{false};
};

/// The C library allows itself not to find out (version 2.36 waits for ever).
const bool finds_all = std::getenv("WEIR_THREADS") != nullptr;

/// In a thread that has slept in the kernel before.
void* as_member(const function& run) {
  return result_of(start([&run]() -> void* {
    for (int i = 0; i < 4; ++i) {
      sem_t one;
      sem_init(&one, 0, 0);
      const pthread_t posts = start([&one]() -> void* { return sleep_for(0.0005), sem_post(&one), nullptr; });
      while (sem_wait(&one) != 0) {
      }
      result_of(posts);
    }
    return run();
  }));
}
const timespec past{1, 0};
/// How a thread waits in pthread_join() while another one looks whether it does.
class seen_join {
 public:
  int join(pthread_t of, void** result = nullptr) {
    for (;;)
      if (const int error = pthread_join(of, result); error != EINVAL || is_seen_) return error;
  }
  /// Until somebody joins that thread. One that joins it just when this looks is refused, and tries again.
  void see(pthread_t of) {
    CHECK(soon([of] { return pthread_timedjoin_np(of, nullptr, &past) == EINVAL; }));
    is_seen_ = true;
  }

 private:
  std::atomic<bool> is_seen_{false};
};
/// One that waits in pthread_join() of `of`. It says the error, as a pointer.
struct joiner {
  pthread_t handle{};
  seen_join how;
  explicit joiner(pthread_t of, void* expected) {
    handle = start([this, of, expected]() -> void* {
      return as_member([&]() -> void* {
        void* result = nullptr;
        const int error = how.join(of, &result);
        CHECK(error != 0 || result == expected);
        return reinterpret_cast<void*>(std::intptr_t{error});
      });
    });
    how.see(of);
  }
  int error() { return static_cast<int>(reinterpret_cast<std::intptr_t>(result_of(handle))); }
};

void of_a_detached_thread() {
  const others so_many;
  for (const bool from_the_start : {false, true}) {
    pthread_attr_t how;
    pthread_attr_init(&how);
    if (from_the_start) pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    static living* one;
    one = new living(&how);
    if (!from_the_start) CHECK(pthread_detach(one->handle) == 0);
    as_member([]() -> void* {
      const timespec far = in(1000), far_monotonic = in(1000, CLOCK_MONOTONIC);
      void* result = nullptr;
      CHECK(pthread_join(one->handle, &result) == EINVAL);
      CHECK(pthread_timedjoin_np(one->handle, &result, &far) == EINVAL);
      CHECK(pthread_clockjoin_np(one->handle, &result, CLOCK_MONOTONIC, &far_monotonic) == EINVAL);
      CHECK(thrd_join(one->handle, nullptr) == thrd_error);
      CHECK(pthread_detach(one->handle) == EINVAL && thrd_detach(one->handle) == thrd_error);
      CHECK(!one->has_ended());
      return nullptr;
    });
    one->end();  // its memory is never given back: nobody learns of its end
  }
}

void of_oneself() {
  const others so_many;
  as_member([]() -> void* {
    const timespec far = in(1000);
    CHECK(pthread_join(pthread_self(), nullptr) == EDEADLK && pthread_timedjoin_np(pthread_self(), nullptr, &far) == EDEADLK);
    return nullptr;
  });
}

/// The first of two threads joins the second, and then the second does something about the first. One of them is left.
enum class left { first, second };
void while_first_joins(void (*first_does)(seen_join&, pthread_t second), void (*second_does)(pthread_t first), left one) {
  const others so_many;
  seen_join how;
  std::atomic<pthread_t> first{0};
  sem_t goes_on;
  sem_init(&goes_on, 0, 0);
  std::atomic<bool> done{false};
  const pthread_t second = start([&]() -> void* {
    while (sem_wait(&goes_on) != 0) {
    }
    second_does(first);
    done = true;
    return nullptr;
  });
  first = start([=, &how]() -> void* { return first_does(how, second), nullptr; });
  how.see(second);
  sem_post(&goes_on);
  CHECK(soon([&] { return done.load(); }));
  result_of(one == left::first ? first.load() : second);
}

void of_a_thread_that_joins() {
  if (!finds_all) return;
  while_first_joins([](seen_join& how, pthread_t second) { CHECK(how.join(second) == 0); },
                    [](pthread_t first) { CHECK(pthread_join(first, nullptr) == EDEADLK); }, left::first);
}

/// A thread that has been cancelled does not wait for ever, so a thread that it joins may join it.
void of_a_cancelled_thread_that_joins() {
  if (!finds_all) return;
  while_first_joins([](seen_join& how, pthread_t second) { how.join(second); },
                    [](pthread_t first) {
                      void* result = nullptr;
                      CHECK(pthread_cancel(first) == 0 && pthread_join(first, &result) == 0 && result == PTHREAD_CANCELED);
                    }, left::second);
}

void twice() {
  if (!finds_all) return;
  const others so_many;
  for (int i = 0; i < 4; ++i) {
    living one;
    joiner by(one.handle, &one);
    as_member([&]() -> void* {
      const timespec far = in(1000);
      CHECK(pthread_join(one.handle, nullptr) == EINVAL && pthread_timedjoin_np(one.handle, nullptr, &far) == EINVAL);
      return nullptr;
    });
    one.end();
    CHECK(by.error() == 0);
  }
}

/// One waits in user space, the other would in the C library.
void by_a_member_and_a_thread() {
  if (!finds_all) return;
  living one;
  seen_join how;
  const pthread_t other = start([&]() -> void* {
    how.see(one.handle);
    CHECK(pthread_join(one.handle, nullptr) == EINVAL);
    one.end();
    return nullptr;
  });
#pragma omp parallel num_threads(members)
#pragma omp single
  CHECK(how.join(one.handle) == 0);
  result_of(other);
}

/// A thread that has just been joined is gone, and a new one has its number.
namespace after {
std::atomic<pthread_t> joining{0}, gone{0};
std::atomic<bool> found{false}, done{false};
sem_t created, looked;
void create_another(pthread_t of) {
  if (of != gone) return;
  sem_init(&created, 0, 0), sem_init(&looked, 0, 0);
  const pthread_t another = start([]() -> void* {
    while (sem_wait(&created) != 0) {
    }
    if (pthread_self() == gone) CHECK(pthread_timedjoin_np(joining, nullptr, &past) == ETIMEDOUT);
    sem_post(&looked);
    for (;;) sem_wait(&created);
  });
  sem_post(&created);
  while (sem_wait(&looked) != 0) {
  }
  if ((found = another == gone))
    result_of(start([]() -> void* { return CHECK(pthread_timedjoin_np(gone, nullptr, &past) == ETIMEDOUT), nullptr; }));
  CHECK(pthread_cancel(another) == 0);
  after_join = nullptr;
  CHECK(result_of(another) == PTHREAD_CANCELED);
  after_join = create_another;
}
}  // namespace after
void of_a_number_that_is_used_again() {
  const others so_many;
  after_join = after::create_another;
  // The C library keeps the memory of some threads for the next ones.
  CHECK(soon([] {
    after::done = false;
    sem_t goes_on;
    sem_init(&goes_on, 0, 0);
    const pthread_t joins = start([&]() -> void* {
      const pthread_t one = start([] { return nullptr; });
      after::gone = one;
      while (sem_wait(&goes_on) != 0) {
      }
      result_of(one);
      after::done = true;
      return nullptr;
    });
    after::joining = joins;
    sem_post(&goes_on);
    CHECK(soon([] { return after::done.load(); }));
    result_of(joins);
    return after::found.load();
  }));
  after_join = nullptr;
}

/// The same, where the join begins once the creation has begun, and ends after it.
namespace meanwhile {
sem_t begins, is_gone, ends;
thread_local bool creates = false;
void await(sem_t& of) {
  while (sem_wait(&of) != 0) {
  }
}
void after_this_join(pthread_t of) {
  if (of != after::gone) return;
  sem_post(&is_gone);
  await(ends);
}
void before_this_creation() {
  if (!creates) return;
  sem_post(&begins);
  await(is_gone);
}
}  // namespace meanwhile
void of_a_number_that_is_used_again_meanwhile() {
  const others so_many;
  for (sem_t* each : {&meanwhile::begins, &meanwhile::is_gone, &meanwhile::ends}) sem_init(each, 0, 0);
  before_create = meanwhile::before_this_creation;
  CHECK(soon([] {
    const pthread_t joins = start([]() -> void* {
      const pthread_t one = start([] { return nullptr; });
      after::gone = one;
      after_join = meanwhile::after_this_join;
      meanwhile::await(meanwhile::begins);
      result_of(one);
      return nullptr;
    });
    meanwhile::creates = true;
    const pthread_t another = start([] { return nullptr; });
    meanwhile::creates = false;
    const bool found = another == after::gone;
    after_join = nullptr;
    CHECK(pthread_join(another, nullptr) == 0);
    sem_post(&meanwhile::ends);
    result_of(joins);
    return found;
  }));
  before_create = nullptr;
}

void of_a_thread_that_is_detached_meanwhile() {
  const others so_many;
  for (int i = 0; i < 4; ++i) {
    living one;
    joiner by(one.handle, &one);
    CHECK(i % 2 == 0 ? pthread_detach(one.handle) == 0 : thrd_detach(one.handle) == thrd_success);
    one.end();
    CHECK(by.error() == 0);
  }
}

void of_a_thread_that_detaches_itself() {
  const others so_many;
  for (int i = 0; i < 4; ++i) {
    static sem_t goes_on;
    sem_init(&goes_on, 0, 0);
    const pthread_t one = start([]() -> void* {
      while (sem_wait(&goes_on) != 0) {
      }
      CHECK(pthread_detach(pthread_self()) == 0);
      return &goes_on;
    });
    joiner by(one, &goes_on);
    sem_post(&goes_on);
    CHECK(by.error() == 0);
  }
}

/// The child has none of its parent's threads, so nobody joins those that it creates, which have the same numbers: the C library
/// gives them the same stacks.
void in_the_child_of_a_fork() {
  const others so_many;
  living joined;
  joiner one(joined.handle, &joined);
  child([] {
    constexpr int many = 32;
    std::atomic<int> alive{0};
    std::atomic<bool> ends{false};
    for (int i = 0; i < many; ++i) {
      const pthread_t ending = start([&]() -> void* {
        ++alive;
        while (!ends) sleep_for(0.0005);
        --alive;
        return nullptr;
      });
      CHECK(pthread_detach(ending) == 0 && pthread_detach(ending) == EINVAL);
    }
    CHECK(soon([&] { return alive == many; }));
    ends = true;
    CHECK(soon([&] { return alive == 0; }));
  });
  joined.end();
  CHECK(one.error() == 0);
}

const subject subjects[] = {{"of a detached thread", of_a_detached_thread}, {"of oneself", of_oneself},
                            {"of a thread that joins", of_a_thread_that_joins},
                            {"of a cancelled thread that joins", of_a_cancelled_thread_that_joins}, {"twice", twice},
                            {"by a member and a thread", by_a_member_and_a_thread},
                            {"of a number that is used again", of_a_number_that_is_used_again},
                            {"of a number that is used again meanwhile", of_a_number_that_is_used_again_meanwhile},
                            {"of a thread that is detached meanwhile", of_a_thread_that_is_detached_meanwhile},
                            {"of a thread that detaches itself", of_a_thread_that_detaches_itself},
                            {"in the child of a fork", in_the_child_of_a_fork}};

}  // namespace

int main() { return run_all(subjects); }
