// A pool whose threads wait for each other in every usual way, for the tools that developers put around programs. Without a word
// it has no fault; a word plants one, which the tool of its kind must report. Usage: pool [FAULT [THREADS]]
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

namespace {

std::string fault;

constexpr unsigned rounds = 3, tasks = 64;
unsigned threads = 16;

class queue {
 public:
  void put(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    some_.notify_one();
  }
  std::function<void()> take() {
    std::unique_lock lock(mutex_);
    some_.wait(lock, [this] { return !tasks_.empty(); });
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

 private:
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<std::function<void()>> tasks_;
};

// Each member polls until all are there, as programs do that expect a processor for each thread.
class polling_barrier {
 public:
  explicit polling_barrier(bool yields) : yields_(yields) {}
  void wait() {
    const unsigned phase = phase_.load(std::memory_order_acquire);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      here_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    while (phase_.load(std::memory_order_acquire) == phase)
      if (yields_) sched_yield();
  }

 private:
  const bool yields_;
  std::atomic<unsigned> here_{0}, phase_{0};
};

[[gnu::noinline]] int deep(unsigned depth) {
  volatile char frame[512];
  std::memset(const_cast<char*>(frame), static_cast<int>(depth), sizeof frame);
  sched_yield();  // suspended here, too, with values on the stack
  return depth == 0 ? frame[1] : deep(depth - 1) + frame[depth];
}

// Hides from the compiler where it comes from, and whether anybody reads it.
template <class T>
T* hidden(T* object) {
  asm volatile("" : "+r"(object) : : "memory");
  return object;
}
[[gnu::noinline]] const char* of_a_frame_that_is_gone() {
  char frame[16384];
  return hidden(static_cast<const char*>(std::memset(hidden(frame), 1, sizeof frame)));
}

std::atomic<const char*> below_other{nullptr};
volatile int seen = 0;
unsigned shared = 0;  // by the race
std::mutex one, other;

[[gnu::noinline]] void plant(unsigned me) {
  // On a stack that is suspended between.
  if (fault == "uninitialised" && me == 3) {
    int numbers[16];
    hidden(numbers);
    for (unsigned i = 0; i < 3 * threads; ++i) sched_yield();
    if (*hidden(numbers) == 5) seen = 1;
  }
  // Below the stack pointer of another thread, which waits for work.
  if (fault == "below" && me == 3) below_other.store(of_a_frame_that_is_gone(), std::memory_order_release);
  if (fault == "below" && me == 4) {
    const char* place = nullptr;
    while ((place = below_other.load(std::memory_order_acquire)) == nullptr) sched_yield();
    seen = *place;
  }
  if (fault == "freed" && me == 3) {
    auto* const number = hidden(new int(5));
    delete number;
    seen = *hidden(number);
  }
  if (fault == "overflow" && me == 3) {
    int number = 0x7fffffff;
    seen = *hidden(&number) + 1;
  }
  if (fault == "leak" && me == 3) hidden(std::malloc(12345));
  if (fault == "race") ++shared;
  if (fault == "inverted") {
    const std::lock_guard first(me % 2 == 0 ? one : other);
    const std::lock_guard second(me % 2 == 0 ? other : one);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) fault = argv[1];
  if (argc > 2) threads = static_cast<unsigned>(std::atoi(argv[2]));
  queue work;
  polling_barrier by_polling(false), by_yields(true);
  pthread_barrier_t by_library;
  pthread_barrier_init(&by_library, nullptr, threads);
  sem_t few;
  sem_init(&few, 0, 2);
  pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spun;
  pthread_spin_init(&spun, PTHREAD_PROCESS_PRIVATE);
  std::once_flag once;
  long sum = 0, written = 0, spins = 0, begun = 0;
  std::atomic<unsigned> done{0};
  std::vector<std::thread> pool;
  std::vector<long> own(threads);
  for (unsigned me = 0; me < threads; ++me)
    pool.emplace_back([&, me] {
      std::call_once(once, [&] { begun = 1; });
      for (unsigned r = 0; r < rounds; ++r) {
        own[me] = me + r;
        by_polling.wait();
        if (own[(me + 1) % threads] != (me + 1) % threads + r) std::abort();
        by_yields.wait();
        if (deep(8) < 0) std::abort();
        sem_wait(&few);
        sem_post(&few);
        pthread_rwlock_rdlock(&table);
        if (written < 0) std::abort();
        pthread_rwlock_unlock(&table);
        pthread_rwlock_wrlock(&table);
        ++written;
        pthread_rwlock_unlock(&table);
        pthread_spin_lock(&spun);
        spins += begun;
        pthread_spin_unlock(&spun);
        pthread_barrier_wait(&by_library);
        if (written % threads != 0) std::abort();
        pthread_barrier_wait(&by_library);
      }
      plant(me);
      for (auto task = work.take(); task; task = work.take()) task();
    });
  std::mutex of_sum;
  for (unsigned i = 0; i < tasks; ++i)
    work.put([&, i] {
      const std::lock_guard lock(of_sum);
      sum += i;
      done.fetch_add(1, std::memory_order_relaxed);
    });
  for (unsigned i = 0; i < threads; ++i) work.put({});
  const int answer = std::async(std::launch::async, [] { return 42; }).get();
  for (auto& each : pool) each.join();
  const bool right =
      sum == tasks * (tasks - 1) / 2 && written == threads * rounds && spins == threads * rounds && done == tasks && answer == 42;
  std::puts(right ? "ok" : "wrong");
  return right ? 0 : 1;
}
