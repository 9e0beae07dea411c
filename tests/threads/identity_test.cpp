// What a member is: to the C library a thread of its own, to the kernel the virtual processor that drives it.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>
#include <set>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sched.h>

#include "../retries.hpp"
#include "members.hpp"

namespace {

TEST(Identity, TheKernelKnowsTheVirtualProcessor) {
  const long owner = kernel_thread();
  std::atomic<int> elsewhere{0};
  weir::crowd one(5, [&](unsigned) {
    for (int i = 0; i < 20; ++i, yields(1))
      if (kernel_thread() != owner) ++elsewhere;
  }, {.processors = 1});
  one.join();
  EXPECT_EQ(elsewhere, 0);

  std::mutex guard;
  std::set<long> drive;
  weir::crowd two(6, [&](unsigned) {
    yields(20);
    const std::lock_guard lock(guard);
    drive.insert(kernel_thread());
  }, {.processors = 2});
  two.join();
  EXPECT_EQ(drive.size(), 2u);
  EXPECT_TRUE(drive.contains(owner));
}

unsigned asked_of_the_kernel() {
  unsigned processor = 0;
  syscall(SYS_getcpu, &processor, nullptr, nullptr);
  return processor;
}

// Which processor it is may change between two questions, but not each time.
TEST(Identity, SchedGetcpuIsTheKernelsAnswer) {
  std::atomic<int> wrong{0};
  weir::crowd c(6, [&](unsigned m) {
    // The processor changes with the mask, also after the member has been lent.
    cpu_set_t available, one;
    sched_getaffinity(0, sizeof available, &available);
    for (int p = 0, i = 0; i < 4; ++p) {
      if (!CPU_ISSET(p % CPU_SETSIZE, &available)) continue;
      ++i;
      if (m == 0) {
        CPU_ZERO(&one);
        CPU_SET(p % CPU_SETSIZE, &one);
        sched_setaffinity(0, sizeof one, &one);
      }
      yields(3);
      const auto is_right = [] { return sched_getcpu() == static_cast<int>(asked_of_the_kernel()); };
      if (!retries::holds("identity: migrated", 1000, is_right)) ++wrong;
    }
    sched_setaffinity(0, sizeof available, &available);
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(wrong, 0);
}

// Code with restartable sequences of its own (tcmalloc) looks there first, and does without where there are none.
TEST(Identity, AMembersAreaOfRestartableSequencesIsNotRegistered) {
  const auto* const offset = static_cast<const std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  const auto* const size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
  const auto processor = [&] {
    const auto* const area = static_cast<char*>(__builtin_thread_pointer()) + *offset;
    return static_cast<int>(reinterpret_cast<const volatile struct rseq*>(area)->cpu_id);
  };
  // Before version 2.35 the C library has none; and the kernel may refuse them.
  const bool has_any = offset != nullptr && size != nullptr && *size != 0;
  std::atomic<int> registered{0};
  weir::crowd c(4, [&](unsigned) {
    yields(5);
    if (has_any && processor() >= 0) ++registered;
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(registered, 0);
  EXPECT_TRUE(!has_any || processor() < 0) << "nor is that of the thread that drives them: others may run its body, too";
}

TEST(Identity, TheMaskOfAThreadIsNotItsProcessors) {
  cpu_set_t available, first;
  ASSERT_EQ(sched_getaffinity(0, sizeof available, &available), 0);
  CPU_ZERO(&first);
  for (int p = 0; CPU_COUNT(&first) == 0; ++p)
    if (CPU_ISSET(p, &available)) CPU_SET(p, &first);
  bool mine_changed = false, drivers_unchanged = false;
  weir::crowd c(1, [&](unsigned) {
    cpu_set_t of_member, drivers;
    pthread_setaffinity_np(pthread_self(), sizeof first, &first);
    pthread_getaffinity_np(pthread_self(), sizeof of_member, &of_member);
    sched_getaffinity(0, sizeof drivers, &drivers);
    mine_changed = CPU_EQUAL(&of_member, &first);
    drivers_unchanged = CPU_EQUAL(&drivers, &available);
  });
  c.join();
  EXPECT_TRUE(mine_changed) << "of the kernel thread that sleeps";
  EXPECT_TRUE(drivers_unchanged);
}

// ---- mutexes that know their owner

struct a_mutex {
  pthread_mutex_t native;
  template <class Set>
  explicit a_mutex(Set set) {
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    set(&how);
    pthread_mutex_init(&native, &how);
    pthread_mutexattr_destroy(&how);
  }
};

TEST(Identity, MutexesThatKnowTheirOwnerKnowTheMember) {
  a_mutex recursive([](auto* how) { pthread_mutexattr_settype(how, PTHREAD_MUTEX_RECURSIVE); });
  a_mutex checking([](auto* how) { pthread_mutexattr_settype(how, PTHREAD_MUTEX_ERRORCHECK); });
  std::atomic<int> step{0};
  std::vector<int> answers(6, -1);
  weir::crowd c(2, [&](unsigned m) {
    if (m == 0) {
      pthread_mutex_lock(&recursive.native);
      pthread_mutex_lock(&checking.native);
      answers[0] = pthread_mutex_lock(&recursive.native);
      answers[1] = pthread_mutex_lock(&checking.native);
      for (step = 1; step == 1;) yields(1);
      answers[2] = pthread_mutex_unlock(&checking.native);
    } else {
      while (step == 0) yields(1);
      answers[3] = pthread_mutex_trylock(&recursive.native);
      answers[4] = pthread_mutex_unlock(&recursive.native);
      answers[5] = pthread_mutex_unlock(&checking.native);
      step = 2;
    }
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(answers, (std::vector{0, EDEADLK, 0, EBUSY, EPERM, EPERM}));
}

TEST(Identity, ARobustMutexLearnsThatItsMemberHasEnded) {
  a_mutex robust([](auto* how) { pthread_mutexattr_setrobust(how, PTHREAD_MUTEX_ROBUST); });
  weir::crowd c(3, [&](unsigned m) {
    yields(3);
    if (m == 1) pthread_mutex_lock(&robust.native);
    yields(3);
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(pthread_mutex_lock(&robust.native), EOWNERDEAD);
  EXPECT_EQ(pthread_mutex_consistent(&robust.native), 0);
  EXPECT_EQ(pthread_mutex_unlock(&robust.native), 0);
}

// What does not hold: the kernel lets only the thread give it to a waiter that it knows as the owner, and the C library does not
// tell.
TEST(Identity, APriorityInheritingMutexThatIsContendedIsNotFreedByAMember) {
  a_mutex inheriting([](auto* how) { pthread_mutexattr_setprotocol(how, PTHREAD_PRIO_INHERIT); });
  const auto* const word = reinterpret_cast<const volatile unsigned*>(&inheriting.native);
  std::atomic<bool> taken{false};
  int alone = -1, waited = -1;
  std::thread beside([&] {
    while (!taken) std::this_thread::yield();
    timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    ++end.tv_sec;
    waited = pthread_mutex_timedlock(&inheriting.native, &end);
  });
  weir::crowd c(1, [&](unsigned) {
    pthread_mutex_lock(&inheriting.native);
    alone = pthread_mutex_unlock(&inheriting.native);
    pthread_mutex_lock(&inheriting.native);
    taken = true;
    while ((*word & FUTEX_WAITERS) == 0) sched_yield();
    pthread_mutex_unlock(&inheriting.native);
    beside.join();
  });
  c.join();
  EXPECT_EQ(alone, 0);
  EXPECT_EQ(waited, ETIMEDOUT);
}

}  // namespace
