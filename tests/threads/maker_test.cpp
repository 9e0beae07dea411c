// A body that does not run may hold a lock of the C library. So nobody takes memory from the heap, or creates a thread, under a
// lock that others need to run this body.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "members.hpp"
#include "system/kernel_mutex.hpp"

namespace {

std::atomic<unsigned> under_locks{0};  // threads created, and memory taken

/// A lock as the C library has it: its waiters block in the kernel.
class lock_of_library {
 public:
  void take() {
    while (word_.exchange(2) != 0) syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 2, nullptr);
  }
  void release() {
    word_.store(0);
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, INT32_MAX);
  }

 private:
  std::atomic<std::uint32_t> word_{0};
};
lock_of_library taken_to_create;

}  // namespace

// In place of the C library's: whoever creates a thread needs the lock.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* what) {
  static const auto of_library = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (weir::kernel_mutexes_held != 0) ++under_locks;
  taken_to_create.take();
  taken_to_create.release();
  return of_library(thread, how, run, what);
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (weir::kernel_mutexes_held != 0) ++under_locks;
  if (void* const at = std::malloc(bytes)) return at;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace {

// The member that holds it is ready. Its processor runs one that waits for it, and so do the stand-ins, as long as there are any.
TEST(Maker, WhoHoldsWhatItWaitsForGoesOn) {
  for (int round = 0; round < 5; ++round) {
    constexpr unsigned members = 8;
    std::atomic<unsigned> holder{members}, done{0};
    weir::crowd c(members, [&](unsigned m) {
      if (m == 0) {
        taken_to_create.take();
        holder = m;
        yields(1);  // as where a tick has stopped it
        taken_to_create.release();
      } else {
        while (holder == members) yields(1);
        taken_to_create.take();
        taken_to_create.release();
      }
      ++done;
    }, {.processors = 1});
    c.join();
    EXPECT_EQ(done, members);
  }
}

TEST(Maker, NoProcessorIsMadeUnderALock) {
  for (unsigned processors = 1; processors < 12; ++processors)
    EXPECT_EQ(entries_of_five_by_a_mutex({.processors = processors}), 25);
  EXPECT_EQ(under_locks, 0u);
}

}  // namespace
