// A static program with a crowd, whose members fork: the children are ordinary processes, which may have threads and crowds.
#include <weir/crowd.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::atomic<int> wrong{0};

void check(bool holds, const char* what, int found) {
  if (!holds && ++wrong < 5) std::fprintf(stderr, "not so: %s (%d)\n", what, found);
}

/// What a child does before it ends by exit().
void live() {
  int sum = 0;
  std::thread([&] { ++sum; }).join();
  weir::crowd crowd(3, [](unsigned) { weir::this_member::yield(); });
  crowd.join();
  if (sched_getcpu() < 0) _exit(2);
  if (sum == 1) std::exit(7);
  _exit(3);
}

void fork_and_wait() {
  const pid_t child = fork();
  if (child == 0) live();
  int status = -1;
  waitpid(child, &status, 0);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child exits with 7", status);
}

}  // namespace

int main() {
  for (int round = 0; round < 3; ++round) {
    weir::crowd crowd(8, [](unsigned) {
      fork_and_wait();
      weir::this_member::yield();
      check(sched_getcpu() >= 0, "a member knows its processor", -1);
    });
    crowd.join();
    fork_and_wait();
    std::thread(fork_and_wait).join();
    check(sched_getcpu() >= 0, "the main thread knows its processor", -1);
  }
  if (wrong == 0) std::puts("ok");
  return wrong != 0;
}
