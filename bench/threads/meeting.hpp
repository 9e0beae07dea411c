// Threads that meet by polling, as programs do without a barrier of a library, and processes beside them.
#pragma once

#include <atomic>
#include <csignal>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

/// A centralized barrier.
class meeting {
 public:
  // The last resets the counter before it lets the others go (release), and they come back after they have seen that (acquire).
  void pass(unsigned members) {
    const unsigned now = count_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
      arrived_.store(0, std::memory_order_relaxed);
      count_.store(now + 1, std::memory_order_release);
      return;
    }
    while (count_.load(std::memory_order_acquire) == now) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
  unsigned count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<unsigned> arrived_{0}, count_{0};
};

/// Processes that compute all the time, until end() or the end of this process.
class busy_processes {
 public:
  explicit busy_processes(unsigned count) {
    const pid_t parent = getpid();
    for (unsigned i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == parent) {
        }
        _exit(0);
      }
      children_.push_back(child);
    }
  }
  busy_processes(const busy_processes&) = delete;
  ~busy_processes() { end(); }
  void end() {
    for (const pid_t each : children_) {
      kill(each, SIGKILL);
      waitpid(each, nullptr, 0);
    }
    children_.clear();
  }

 private:
  std::vector<pid_t> children_;
};

}  // namespace bench
