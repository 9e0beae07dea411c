// The command pool-queue: a pool with one queue of tasks, a mutex and condition variables. The caller waits for each round.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "clocks.hpp"
#include "options.hpp"
#include "pools/callers.hpp"
#include "pools/parts.hpp"

namespace {

class pool {
 public:
  explicit pool(long threads) {
    for (long t = 0; t < threads; t++) workers_.emplace_back([this] { work(); });
  }

  ~pool() {
    {
      const std::lock_guard held(mutex_);
      ends_ = true;
    }
    filled_.notify_all();
    for (std::thread& one : workers_) one.join();
  }

  void submit(std::function<void()> task) {
    {
      const std::lock_guard held(mutex_);
      tasks_.push_back(std::move(task));
      unfinished_++;
    }
    filled_.notify_one();
  }

  void wait() {
    std::unique_lock held(mutex_);
    finished_.wait(held, [this] { return unfinished_ == 0; });
  }

 private:
  void work() {
    std::unique_lock held(mutex_);
    while (true) {
      filled_.wait(held, [this] { return ends_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      held.unlock();
      task();
      held.lock();
      if (--unfinished_ == 0) finished_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable filled_, finished_;
  std::deque<std::function<void()>> tasks_;
  long unfinished_ = 0;
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

int main(int count, char** words) {
  long rounds = 400, tasks = 16, steps = 10'000;
  pools::callers by;
  workloads::options known("pool-queue", "pool-queue: rounds of tasks in a pool with a mutex and condition variables.");
  known.whole("--rounds", rounds, 1, 1'000'000, "of tasks, each of which the caller waits for")
      .whole("--tasks", tasks, 1, 100'000, "of a round")
      .whole("--steps", steps, 2, 1'000'000'000, "of computing in a task, in the mean");
  by.add_to(known).read(count, words);

  std::vector<pools::parts> jobs(static_cast<std::size_t>(by.jobs), pools::parts(tasks, steps));
  const workloads::stopwatch watch;
  by.run([&](long first, long step) {
    pool workers(by.threads);
    for (long j = first; j < by.jobs; j += step) {
      pools::parts& job = jobs[static_cast<std::size_t>(j)];
      for (long r = 0; r < rounds; r++) {
        for (long t = 0; t < tasks; t++) workers.submit([&job, t] { job.advance(static_cast<std::size_t>(t)); });
        workers.wait();
      }
    }
  });
  by.say("pool-queue", watch, by.jobs * rounds, "round");
  return pools::finish("pool-queue", jobs, rounds);
}
