// Semaphores, futexes and barriers where signals, single wake-ups or more threads than members come in.
#include "threads.hpp"

#include "../../openmp/driving_thread.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <setjmp.h>
#include <sys/syscall.h>

namespace {

long futex(std::uint32_t* word, int what, std::uint32_t value, const timespec* time = nullptr, std::uint32_t* second = nullptr,
           std::uint32_t more = 0) {
  return syscall(SYS_futex, word, what, value, time, second, more);
}
std::uint32_t now(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_SEQ_CST); }

sem_t posted;
std::atomic<long> handled{0};
void post(int) {
  const int before = errno;
  sem_post(&posted);
  ++handled;
  errno = before;
}
void handle(void (*by)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = by;
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, nullptr);
}

/// Another process sends signals all the time, whose handler may interrupt any function that waits.
void posts_by_handlers() {
  handle(post, SA_RESTART);
  sem_init(&posted, 0, 0);
  sem_t turns[4];
  for (sem_t& each : turns) sem_init(&each, 0, 0);
  const pid_t me = getpid(), sender = fork();
  if (sender == 0) {
    while (getppid() == me) {
      kill(me, SIGUSR1);
      for (volatile int i = 0; i < 2000;) i = i + 1;
    }
    _exit(0);
  }
  std::atomic<bool> ends{false};
  std::atomic<long> got{0}, rounds{0};
  std::vector<pthread_t> threads;
  for (int i = 0; i < 2; ++i)
    threads.push_back(start([&] {
      while (!ends) {
        while (sem_wait(&posted) != 0) {
        }
        ++got;
      }
      return nullptr;
    }));
  for (int i = 0; i < 4; ++i)
    threads.push_back(start([&, i] {
      while (!ends) {
        while (sem_wait(&turns[i]) != 0) {
        }
        sem_post(&turns[(i + 1) % 4]);
        ++rounds;
      }
      return nullptr;
    }));
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // the others handle it
  sem_post(&turns[0]);
  sem_post(&turns[2]);
  for (int part = 0; part < 20; ++part) {
    const long had = got, did = rounds;
    CHECK(soon([&] { return got > had && rounds > did; }));
    sleep_for(0.1);
  }
  kill(sender, SIGKILL);
  waitpid(sender, nullptr, 0);
  ends = true;
  for (sem_t& each : turns) sem_post(&each);
  for (int i = 0; i < 4; ++i) sem_post(&posted);
  for (const pthread_t each : threads) result_of(each);
}

/// EINTR, unless the handler asks for calls to be restarted.
void interrupted() {
  const others so_many;
  for (const int flags : {0, SA_RESTART}) {
    handle([](int) { ++handled; }, flags);
    for (int timed = 0; timed < 2; ++timed) {
      sem_t none;
      sem_init(&none, 0, 0);
      std::atomic<bool> waits{false};
      const long before = handled;
      const pthread_t one = start([&]() -> void* {
        const timespec limit = in(patience);
        waits = true;
        const int error = error_of(timed != 0 ? sem_timedwait(&none, &limit) : sem_wait(&none));
        // The C library does not restart a wait with a time limit.
        CHECK(error == (flags == 0 || timed != 0 ? EINTR : 0) || (timed != 0 && error == 0));
        return nullptr;
      });
      CHECK(soon([&] { return waits.load(); }));
      sleep_for(0.05);
      pthread_kill(one, SIGUSR1);
      CHECK(soon([&] { return handled == before + 1; }));
      sleep_for(0.01);
      sem_post(&none);
      result_of(one);
      sem_destroy(&none);
    }
  }
}

/// To a thread that does nothing but yield: whenever it lets the sender run, it is in the middle of a yield.
void to_one_that_yields() {
  const others so_many;
  handle([](int) { ++handled; }, SA_RESTART);
  std::atomic<bool> ends{false};
  const auto yields = [&]() -> void* {
    while (!ends) sched_yield();
    return nullptr;
  };
  const pthread_t yielding[] = {start(yields), start(yields), start(yields)};
  const long before = handled;
  for (long i = 0; i < 3000; ++i) {
    pthread_kill(yielding[i % 3], SIGUSR1);
    CHECK(soon([&] { return handled > before + i; }));
    if (i % 16 == 0) sleep_for(0.0001);
  }
  ends = true;
  for (const pthread_t each : yielding) result_of(each);
}

void futexes(int scope) {
  std::uint32_t word = 0, second = 0;
  CHECK(futex(&word, FUTEX_WAIT | scope, 1) == -1 && errno == EAGAIN);
  const timespec negative{-1, 0};
  CHECK(futex(&word, FUTEX_WAIT | scope, 0, &no_time) == -1 && errno == EINVAL);
  CHECK(futex(&word, FUTEX_WAIT | scope, 0, &negative) == -1 && errno == EINVAL);
  CHECK(futex(&word, FUTEX_WAKE | scope, 1) == 0);
  CHECK(futex(&word, FUTEX_WAKE_BITSET | scope, 1, nullptr, nullptr, 0) == -1 && errno == EINVAL);
  // Compilers leave anything in the upper half of a register that holds an int.
  CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET | scope, 1, nullptr, nullptr, 1L << 32) == -1 && errno == EINVAL);
  CHECK(futex(&word, FUTEX_CMP_REQUEUE | scope, 1, reinterpret_cast<const timespec*>(1L), &second, 5) == -1 && errno == EAGAIN);
  for (const int by : {CLOCK_MONOTONIC, CLOCK_REALTIME})
    CHECK(is_late(ETIMEDOUT, by, [&](auto* t) {
      return error_of(futex(&word, FUTEX_WAIT_BITSET | scope | (by == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0), 0, t, nullptr,
                            FUTEX_BITSET_MATCH_ANY));
    }));
  const double begin = now_s();
  const timespec time = timespec_of(0.03);
  CHECK(futex(&word, FUTEX_WAIT | scope, 0, &time) == -1 && errno == ETIMEDOUT && now_s() - begin >= 0.03);

  // A thread waits until the word is not zero, or is about to.
  const auto woken_in = [scope](std::uint32_t& state, int round, auto wake) {
    state = 0;
    const pthread_t one = start([&state, scope]() -> void* {
      while (now(state) == 0) futex(&state, FUTEX_WAIT | scope, 0);
      return nullptr;
    });
    sleep_for(round % 2 == 0 ? 0.001 : 0);
    wake();
    result_of(one);
  };
  // Each operation that wakes reaches those that wait for any bit.
  const std::function<long()> wakes[] = {
      [&] { return futex(&word, FUTEX_WAKE | scope, 1); },
      [&] { return futex(&word, FUTEX_WAKE_BITSET | scope, 1, nullptr, nullptr, FUTEX_BITSET_MATCH_ANY); },
      [&] { return futex(&word, FUTEX_WAKE_BITSET | scope, 1, nullptr, nullptr, 4); },
      [&] { return futex(&word, FUTEX_REQUEUE | scope, 1, reinterpret_cast<const timespec*>(1L), &second); }};
  for (const auto& wake : wakes) {
    for (int i = 0; i < 20; ++i)
      woken_in(word, i, [&] {
        __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
        wake();
      });
  }
  // The kernel changes the second word, and wakes there.
  for (int i = 0; i < 200; ++i) {
    woken_in(second, i, [&] {
      CHECK(futex(&word, FUTEX_WAKE_OP | scope, 1, reinterpret_cast<const timespec*>(1L), &second,
                  FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0)) >= 0);
    });
  }
}

/// Those that wait are as many as WAKE says, and it wakes no more than it is asked for.
void wake_counts(int scope) {
  std::uint32_t word = 0;
  std::atomic<int> woken{0};
  std::vector<pthread_t> threads;
  for (int i = 0; i < 8; ++i)
    threads.push_back(start([&]() -> void* {
      while (futex(&word, FUTEX_WAIT | scope, 0) != 0 && errno == EINTR) {
      }
      ++woken;
      return nullptr;
    }));
  long told = 0;
  sleep_for(0.05);
  while (told < 8) {
    const long woken_now = futex(&word, FUTEX_WAKE | scope, 3);
    CHECK(woken_now >= 0 && woken_now <= 3);
    told += woken_now;
    CHECK(soon([&] { return woken >= told; }));
  }
  CHECK(told == 8 && woken == 8);
  for (const pthread_t each : threads) result_of(each);
}

/// Wake-ups on another word end no wait, wherever the words lie.
void futex_beside_others() {
  constexpr std::size_t words = 1024;
  alignas(4096) static std::uint32_t page[words];
  const others so_many;
  std::atomic<bool> ends{false};
  const pthread_t waker = start([&]() -> void* {
    while (!ends)
      for (std::size_t other = 1; other < words; ++other) futex(&page[other], FUTEX_WAKE_PRIVATE, 1);
    return nullptr;
  });
  for (int i = 0; i < 200; ++i) {
    const timespec time = timespec_of(0.001);
    CHECK(futex(&page[0], FUTEX_WAIT_PRIVATE, 0, &time) == -1 && errno == ETIMEDOUT);
  }
  ends = true;
  result_of(waker);
}

/// A waiter that must go to its own kernel thread meanwhile is woken there, unless the word has changed before.
void futex_of_one_that_leaves(int scope, bool has_changed) {
  cpu_set_t available;
  sched_getaffinity(0, sizeof available, &available);
  std::uint32_t word = 0;
  std::atomic<bool> is_back{false};
  const pthread_t waiter = start([&word, &is_back, scope]() -> void* {
    for (int i = 0; i < 10; ++i) sched_yield();
    constexpr int unchanged = 77;
    const timespec limit = timespec_of(10 * patience);
    while (now(word) == 0) {
      errno = unchanged;
      const long result = futex(&word, FUTEX_WAIT | scope, 0, &limit);
      CHECK(result == 0 ? errno == unchanged : errno == EAGAIN || errno == EINTR);
    }
    is_back = true;
    return nullptr;
  });
  const auto change = [&] { __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST); };
  sleep_for(0.01);
  if (has_changed) change();
  CHECK(pthread_setaffinity_np(waiter, sizeof available, &available) == 0);
  sleep_for(0.01);
  change();
  futex(&word, FUTEX_WAKE | scope, 1);
  CHECK(soon([&] { return is_back.load(); }));
  result_of(waiter);
}
void futex_of_one_that_leaves() {
  const others so_many;
  for (const int scope : {0, FUTEX_PRIVATE_FLAG})
    for (const bool has_changed : {false, true}) futex_of_one_that_leaves(scope, has_changed);
}

void private_futexes() {
  const others so_many;
  futexes(FUTEX_PRIVATE_FLAG);
}
void futexes_of_any_process() {
  const others so_many;
  futexes(0);
}
void wake_counts() {
  wake_counts(FUTEX_PRIVATE_FLAG);
  wake_counts(0);
}

/// More threads than the barrier has members, in any pairs.
void barrier_of_more_threads() {
  pthread_barrier_t two;
  CHECK(pthread_barrier_init(&two, nullptr, 0) == EINVAL && pthread_barrier_init(&two, nullptr, 2) == 0);
  std::atomic<int> left{400000}, serial{0};
  team([&](int) {
    while (left.fetch_sub(1) > 0) {
      const int result = pthread_barrier_wait(&two);
      CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
      serial += result != 0;
    }
  });
  CHECK(serial == 200000 && pthread_barrier_destroy(&two) == 0);
}

/// One is the serial thread, and destroys the barrier at once.
void barrier_destroyed_at_once() {
  std::atomic<pthread_barrier_t*> barrier{nullptr};
  meeting here;
  team([&](int me) {
    for (int i = 0; i < 200; ++i) {
      if (me == 0) {
        barrier = new pthread_barrier_t;
        CHECK(pthread_barrier_init(barrier, nullptr, static_cast<unsigned>(members)) == 0);
      }
      here.arrive();
      pthread_barrier_t* const passed = barrier;
      if (pthread_barrier_wait(passed) == PTHREAD_BARRIER_SERIAL_THREAD) {
        CHECK(pthread_barrier_destroy(passed) == 0);
        std::memset(static_cast<void*>(passed), 0xff, sizeof *passed);
        delete passed;
      }
      here.arrive();
    }
  });
}

/// A thread that is about to block gives its processor away, while another one finds out where it runs.
void kill_each_other_and_block() {
  handle([](int) { ++handled; }, SA_RESTART);
  constexpr int rounds = 400;
  std::vector<pthread_t> threads(static_cast<std::size_t>(members));
  meeting here;
  std::atomic<int> sent{0};
  team([&](int me) {
    threads[static_cast<std::size_t>(me)] = pthread_self();
    here.arrive();
    for (int i = 0; i < rounds; ++i) {
      sent += pthread_kill(threads[static_cast<std::size_t>((me + 1 + i) % members)], SIGUSR1) == 0;
      if (i % 4 == me % 4) sleep_for(0.00001);
    }
    here.arrive();
  });
  CHECK(sent == rounds * members && handled > 0);
}

/// Threads that block all signals compute for so long that others are asked to take a seat, by the signal of ticks: it would stay
/// pending, and come to a sigwait() of theirs.
void nothing_is_pending_where_all_is_blocked() {
  sigset_t every, none;
  sigfillset(&every);
  sigemptyset(&none);
  for (const bool inherited : {true, false}) {
    if (inherited) pthread_sigmask(SIG_SETMASK, &every, nullptr);
    std::vector<pthread_t> threads;
    for (int i = 0; i < 2 * members; ++i)
      threads.push_back(start([&every] {
        pthread_sigmask(SIG_SETMASK, &every, nullptr);
        compute(0.02);
        sigset_t pending;
        CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGURG) == 0);
        return nullptr;
      }));
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    for (const pthread_t each : threads) result_of(each);
  }
}

/// Blocks these signals again, after others have been blocked for a while, by a jump.
void block_by_jump(const sigset_t& set, const sigset_t& others) {
  pthread_sigmask(SIG_SETMASK, &set, nullptr);
  sigjmp_buf before;
  if (sigsetjmp(before, 1) != 0) return;
  pthread_sigmask(SIG_SETMASK, &others, nullptr);
  compute(0.00005);
  siglongjmp(before, 1);
}

/// Nor in threads that block all, and nothing, in turn: some are asked just then.
void nothing_is_pending_where_masks_change() {
  sigset_t every, none;
  sigfillset(&every);
  sigemptyset(&none);
  for (int round = 0; round < 20; ++round) {
    std::vector<pthread_t> threads;
    const double end = now_s() + 0.05;
    for (int i = 0; i < 2 * members; ++i)
      threads.push_back(start([&, i] {
        while (now_s() < end) {
          if (i % 2 == 0)
            pthread_sigmask(SIG_SETMASK, &every, nullptr);
          else
            block_by_jump(every, none);
          compute(0.00005);
          std::uint64_t pending = 0;  // sigpending() would keep the thread in the kernel
          const bool is_pending = syscall(SYS_rt_sigpending, &pending, sizeof pending) != 0 || (pending >> (SIGURG - 1) & 1) != 0;
          pthread_sigmask(SIG_SETMASK, &none, nullptr);
          CHECK(!is_pending);
          compute(0.00005);
        }
        return nullptr;
      }));
    for (const pthread_t each : threads) result_of(each);
  }
}

/// Threads that compute without a call for long are asked, also those that have blocked some other signals.
void those_that_block_other_signals_take_seats() {
  const char* const kind = std::getenv("WEIR_THREADS");
  if (threads_are != "threads" || kind == nullptr || std::strcmp(kind, "all") != 0) return;
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  sigaddset(&some, SIGPIPE);
  std::atomic<int> seated{0};
  std::atomic<bool> ends{false};
  std::vector<pthread_t> threads;
  for (int i = 0; i < 2 * members; ++i)
    threads.push_back(start([&] {
      pthread_sigmask(SIG_BLOCK, &some, nullptr);
      for (bool is_seated = false; !ends;) {
        for (volatile int n = 0; n < 300'000;) n = n + 1;
        if (!is_seated && (is_seated = driving_thread() != gettid())) ++seated;
      }
      return nullptr;
    }));
  CHECK(soon([&] { return seated != 0; }));
  ends = true;
  for (const pthread_t each : threads) result_of(each);
}

const subject subjects[] = {{"posts by handlers", posts_by_handlers},
                            {"interrupted", interrupted},
                            {"private futexes", private_futexes},
                            {"futex beside others", futex_beside_others},
                            {"futex of one that leaves", futex_of_one_that_leaves},
                            {"futexes of any process", futexes_of_any_process},
                            {"to one that yields", to_one_that_yields},
                            {"wake counts", wake_counts},
                            {"kill each other and block", kill_each_other_and_block},
                            {"nothing is pending where all is blocked", nothing_is_pending_where_all_is_blocked},
                            {"nothing is pending where masks change", nothing_is_pending_where_masks_change},
                            {"those that block other signals take seats", those_that_block_other_signals_take_seats},
                            {"barrier of more threads", barrier_of_more_threads},
                            {"barrier destroyed at once", barrier_destroyed_at_once}};

}  // namespace

int main() { return run_all(subjects); }
