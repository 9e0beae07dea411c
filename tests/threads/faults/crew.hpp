// Threads in pairs. The two of a pair hand a number to each other, each time in another way of waiting, and check it. Between two
// turns each of them enters what all threads share, and checks that it is alone there.
#pragma once

#include "../times.hpp"
#include "notes.hpp"

#include <memory>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/syscall.h>

inline timespec soon(clockid_t by, long us) {
  timespec t;
  clock_gettime(by, &t);
  t.tv_nsec += 1000 * us;
  t.tv_sec += t.tv_nsec / 1'000'000'000;
  t.tv_nsec %= 1'000'000'000;
  return t;
}
inline long futex(std::uint32_t* word, int what, std::uint32_t value, const timespec* time = nullptr) {
  return syscall(SYS_futex, word, what, value, time, nullptr, 0);
}

/// One number on its way from one thread to another.
class channel {
 public:
  channel() {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&by_monotonic_, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sem_init(&semaphore_, 0, 0);
    pthread_spin_init(&spin_, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&both_, nullptr, 2);
    if (pipe(pipe_) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_) != 0) wrong("no pipe or socket");
  }
  channel(const channel&) = delete;
  ~channel() {
    for (const int each : {pipe_[0], pipe_[1], sockets_[0], sockets_[1]}) close(each);
  }

  static constexpr unsigned ways = 18;
  static const char* name(unsigned way) {
    constexpr const char* names[ways] = {"condition",
                                         "condition, limit",
                                         "semaphore",
                                         "semaphore, limit",
                                         "futex",
                                         "futex, limit",
                                         "rwlock and yield",
                                         "rwlock, limit",
                                         "barrier",
                                         "pipe",
                                         "yield",
                                         "sleep",
                                         "spinning",
                                         "a thread and join",
                                         "poll",
                                         "spin lock",
                                         "atomic wait",
                                         "socket"};
    return names[way];
  }

  void send(unsigned way, long number) {
    switch (way) {
      case 0: case 1:
        pthread_mutex_lock(&mutex_);
        put(number);
        pthread_cond_signal(way == 0 ? &by_realtime_ : &by_monotonic_);
        pthread_mutex_unlock(&mutex_);
        break;
      case 2: case 3: put(number), sem_post(&semaphore_); break;
      case 4: case 5:
        put(number);
        __atomic_store_n(&word_, 1, __ATOMIC_RELEASE);
        futex(&word_, FUTEX_WAKE_PRIVATE, 1);
        break;
      case 6:
        pthread_rwlock_wrlock(&rwlock_);
        put(number);
        pthread_rwlock_unlock(&rwlock_);
        break;
      case 7:
        while (true) {
          const timespec limit = soon(CLOCK_REALTIME, 300);
          if (const int error = pthread_rwlock_timedwrlock(&rwlock_, &limit); error == 0) break;
          else expect(error == ETIMEDOUT, "timedwrlock", error, ETIMEDOUT);
        }
        put(number);
        pthread_rwlock_unlock(&rwlock_);
        break;
      case 8: put(number), pthread_barrier_wait(&both_); break;
      case 9: case 14: all_of([&](void* at, std::size_t n) { return write(pipe_[1], at, n); }, &number); break;
      case 10: case 11: case 12:
        put(number);
        ready_.store(1, std::memory_order_release);
        break;
      case 13: {
        put(number);
        pthread_t helper;
        int error;
        while ((error = pthread_create(
                    &helper, nullptr,
                    [](void* semaphore) -> void* { return sem_post(static_cast<sem_t*>(semaphore)), semaphore; }, &semaphore_)) ==
               EAGAIN)
          sched_yield();
        expect(error == 0, "pthread_create", error);
        void* result = nullptr;
        error = pthread_join(helper, &result);
        expect(error == 0 && result == &semaphore_, "join", error);
        break;
      }
      case 15:
        pthread_spin_lock(&spin_);
        put(number);
        pthread_spin_unlock(&spin_);
        break;
      case 16:
        put(number);
        ready_.store(1, std::memory_order_release);
        ready_.notify_one();
        break;
      default: all_of([&](void* at, std::size_t n) { return ::send(sockets_[0], at, n, 0); }, &number);
    }
  }

  long receive(unsigned way, dice& chance) {
    long number = 0;
    switch (way) {
      case 0:
        pthread_mutex_lock(&mutex_);
        while (!full_) pthread_cond_wait(&by_realtime_, &mutex_);
        number = take();
        pthread_mutex_unlock(&mutex_);
        return number;
      case 1:
        pthread_mutex_lock(&mutex_);
        while (!full_) {
          const timespec limit = soon(CLOCK_MONOTONIC, chance.below(500));
          const int error = pthread_cond_timedwait(&by_monotonic_, &mutex_, &limit);
          expect(error == 0 || error == ETIMEDOUT, "cond_timedwait", error);
        }
        number = take();
        pthread_mutex_unlock(&mutex_);
        return number;
      case 2: case 13:
        while (sem_wait(&semaphore_) != 0) expect(errno == EINTR, "sem_wait", errno, EINTR);
        return take();
      case 3:
        for (;;) {
          const timespec limit = soon(CLOCK_REALTIME, chance.below(500));
          if (sem_timedwait(&semaphore_, &limit) == 0) return take();
          expect(errno == EINTR || errno == ETIMEDOUT, "sem_timedwait", errno);
        }
      case 4: case 5:
        while (__atomic_load_n(&word_, __ATOMIC_ACQUIRE) == 0) {
          const timespec limit{0, 1000L * chance.below(500)};
          if (futex(&word_, FUTEX_WAIT_PRIVATE, 0, way == 4 ? nullptr : &limit) != 0)
            expect(errno == EINTR || errno == EAGAIN || (way == 5 && errno == ETIMEDOUT), "futex", errno);
        }
        __atomic_store_n(&word_, 0, __ATOMIC_RELAXED);
        return take();
      case 6:
        for (;; sched_yield()) {
          pthread_rwlock_rdlock(&rwlock_);
          const bool found = full_;
          if (found) number = take();
          pthread_rwlock_unlock(&rwlock_);
          if (found) return number;
        }
      case 7:
        for (;;) {
          const timespec limit = soon(CLOCK_REALTIME, 300);
          const int error = pthread_rwlock_timedrdlock(&rwlock_, &limit);
          expect(error == 0 || error == ETIMEDOUT, "timedrdlock", error);
          if (error != 0) continue;
          const bool found = full_;
          if (found) number = take();
          pthread_rwlock_unlock(&rwlock_);
          if (found) return number;
          sched_yield();
        }
      case 8: pthread_barrier_wait(&both_); return take();
      case 14: {
        pollfd polled{pipe_[0], POLLIN, 0};
        while (poll(&polled, 1, 5) != 1) {
        }
        [[fallthrough]];
      }
      case 9: all_of([&](void* at, std::size_t n) { return read(pipe_[0], at, n); }, &number); return number;
      case 10: case 11: case 12:
        while (ready_.load(std::memory_order_acquire) == 0) {
          if (way == 10) sched_yield();
          if (way == 11) usleep(chance.below(200));
        }
        ready_ = 0;
        return take();
      case 15:
        for (;; sched_yield()) {
          pthread_spin_lock(&spin_);
          const bool found = full_;
          if (found) number = take();
          pthread_spin_unlock(&spin_);
          if (found) return number;
        }
      case 16:
        ready_.wait(0, std::memory_order_acquire);
        ready_ = 0;
        return take();
      default: all_of([&](void* at, std::size_t n) { return recv(sockets_[1], at, n, 0); }, &number); return number;
    }
  }

 private:
  void put(long number) {
    expect(!full_, "the last number has not been taken");
    number_ = number;
    full_ = true;
  }
  long take() {
    expect(full_, "there is no number");
    full_ = false;
    return number_;
  }
  template <class Call>
  static void all_of(Call call, long* number) {
    auto* const bytes = reinterpret_cast<char*>(number);
    for (std::size_t done = 0; done < sizeof *number;) {
      const ssize_t n = call(bytes + done, sizeof *number - done);
      if (n > 0)
        done += static_cast<std::size_t>(n);
      else
        expect(n < 0 && errno == EINTR, "pipe or socket", errno, EINTR);
    }
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t by_realtime_ = PTHREAD_COND_INITIALIZER, by_monotonic_;
  sem_t semaphore_;
  std::uint32_t word_ = 0;
  pthread_rwlock_t rwlock_ = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spin_;
  pthread_barrier_t both_;
  int pipe_[2], sockets_[2];
  std::atomic<int> ready_{0};
  bool full_ = false;
  long number_ = 0;
};

/// What all threads share: who is there is alone.
class shared_place {
 public:
  shared_place() {
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive_, &again);
    pthread_mutexattr_destroy(&again);
    sem_init(&two_, 0, 2);
  }
  shared_place(const shared_place&) = delete;
  template <class Inside>
  void enter(dice& chance, Inside inside) {
    switch (chance.below(5)) {
      case 0:
        note("mutex");
        pthread_mutex_lock(&mutex_);
        alone(chance, inside);
        pthread_mutex_unlock(&mutex_);
        break;
      case 1:
        note("recursive mutex");
        pthread_mutex_lock(&recursive_), pthread_mutex_lock(&recursive_);
        ++in_recursive_;
        inside();
        expect(--in_recursive_ == 0, "not alone under the recursive mutex");
        pthread_mutex_unlock(&recursive_), pthread_mutex_unlock(&recursive_);
        break;
      case 2:
        note("mutex, limit");
        for (;;) {
          const timespec limit = soon(CLOCK_REALTIME, chance.below(500));
          const int error = pthread_mutex_timedlock(&mutex_, &limit);
          if (error == 0) break;
          expect(error == ETIMEDOUT, "mutex_timedlock", error, ETIMEDOUT);
        }
        alone(chance, inside);
        pthread_mutex_unlock(&mutex_);
        break;
      case 3:
        note("rwlock");
        if (chance.once_in(2)) {
          pthread_rwlock_wrlock(&rwlock_);
          expect(writers_++ == 0 && readers_ == 0, "a writer is not alone");
          inside();
          --writers_;
        } else {
          pthread_rwlock_rdlock(&rwlock_);
          ++readers_;
          expect(writers_ == 0, "a reader beside a writer");
          inside();
          --readers_;
        }
        pthread_rwlock_unlock(&rwlock_);
        break;
      default:
        note("semaphore of two");
        while (sem_wait(&two_) != 0) expect(errno == EINTR, "sem_wait", errno, EINTR);
        expect(++in_two_ <= 2, "three past a semaphore of two");
        inside();
        --in_two_;
        sem_post(&two_);
    }
  }

 private:
  template <class Inside>
  void alone(dice& chance, Inside inside) {
    expect(in_mutex_ == 0, "not alone under the mutex");
    in_mutex_ = 1;
    inside();
    if (chance.once_in(8)) sched_yield();
    in_mutex_ = 0;
  }
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER, recursive_;
  pthread_rwlock_t rwlock_ = PTHREAD_RWLOCK_INITIALIZER;
  sem_t two_;
  volatile int in_mutex_ = 0;
  int in_recursive_ = 0;
  std::atomic<int> writers_{0}, readers_{0}, in_two_{0};
};

class crew {
 public:
  /// Each thread calls between(its number, its dice) where it holds no number: sometimes while it is alone in the shared place.
  using hook = void (*)(unsigned, dice&);
  crew(unsigned pairs, std::uint64_t seed, hook between) : seed_(seed), between_(between) {
    for (unsigned i = 0; i < pairs; ++i) channels_.push_back(std::make_unique<channel[]>(2));
    for (unsigned i = 0; i < 2 * pairs; ++i) threads_.emplace_back();
    for (unsigned i = 0; i < 2 * pairs; ++i) {
      auto made = std::make_unique<member>(member{this, i});
      const int error = pthread_create(&threads_[i], nullptr, run, made.get());
      expect(error == 0, "pthread_create", error);
      (void)made.release();
    }
  }
  crew(const crew&) = delete;
  /// All end once they have had so many turns.
  void end(long turns = 0) {
    most_ = turns;
    ends_ = true;
    for (const pthread_t each : threads_) {
      void* result = nullptr;
      const int error = pthread_join(each, &result);
      expect(error == 0 && result == this, "join of a member", error);
    }
  }
  /// Without waiting for them.
  void let_end() { ends_ = true; }
  long turns() const { return turns_; }
  unsigned size() const { return static_cast<unsigned>(threads_.size()); }
  pthread_t thread(unsigned i) const { return threads_[i]; }

 private:
  struct member {
    crew* of;
    unsigned number;
  };
  static constexpr long last = -1;

  static void* run(void* given) {
    const member me = *std::unique_ptr<member>(static_cast<member*>(given));
    notes_as = 1 + me.number;
    me.of->live(me.number);
    note("ended");
    return me.of;
  }
  void live(unsigned me) {
    channel* const shared = channels_[me / 2].get();
    const bool leads = me % 2 == 0;
    dice common(seed_ + 1000 * (me / 2 + 1)), own(seed_ + 77 + me);
    for (long number = 0;; ++number) {
      const unsigned way = common.below(channel::ways);
      if (way == 12 && !common.once_in(8)) continue;  // some ms each
      if (leads) {
        const long sent = ends_ && number >= most_ ? last : number;
        note(channel::name(way));
        shared[0].send(way, sent);
        if (sent == last) return;
        const long got = shared[1].receive(way, own);
        expect(got == number, channel::name(way), got, number);
        ++turns_;
      } else {
        note(channel::name(way));
        const long got = shared[0].receive(way, own);
        if (got == last) return;
        expect(got == number, channel::name(way), got, number);
        shared[1].send(way, number);
      }
      if (own.once_in(4)) place_.enter(own, [&] { between_(me, own); });
      if (own.once_in(2)) between_(me, own);
    }
  }

  const std::uint64_t seed_;
  const hook between_;
  std::vector<std::unique_ptr<channel[]>> channels_;
  std::vector<pthread_t> threads_;
  shared_place place_;
  std::atomic<bool> ends_{false};
  std::atomic<long> most_{0}, turns_{0};
};
