// Threads that wait for each other in several ways, under a filter that ends the process when it makes a system call that they
// need not make themselves: for each of these calls a child.
//
//   filtered exec        the filter is there when the program begins
//   filtered first       the program sets it before it creates threads
//   filtered beside      it sets it in all threads while they wait for each other
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct call {
  const char* name;
  unsigned number;
};
// As in src/system/filter.hpp, which says which of them are needed.
#define CALL(name) {#name, SYS_##name}
constexpr call calls[] = {CALL(membarrier), CALL(process_vm_readv), CALL(close_range), CALL(sched_getattr), CALL(sched_setattr),
                          CALL(ioprio_get), CALL(mremap), CALL(capget), CALL(personality), CALL(setfsuid), CALL(setfsgid),
                          CALL(get_mempolicy), CALL(rt_tgsigqueueinfo), CALL(rt_sigpending), CALL(rt_sigtimedwait),
                          CALL(timer_create), CALL(timer_settime), CALL(timer_delete), CALL(sigaltstack), CALL(sched_setaffinity),
                          CALL(ppoll)};
#undef CALL
// The signal thread, once it is there, waits by this one.
constexpr unsigned not_beside = SYS_rt_sigtimedwait;

bool filter(unsigned number, bool in_all_threads) {
  sock_filter instructions[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                       {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number},
                       {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
                       {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog filter{4, instructions};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return in_all_threads ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0
                        : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

constexpr int members = 6;
std::mutex mutex;
std::condition_variable changed;
long turn = 0;
std::atomic<int> polled{0};

void in_turn(int me, int turns) {
  for (int i = 0; i < turns; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [me] { return turn % members == me; });
    ++turn;
    changed.notify_all();
  }
}
int work(unsigned set_beside) {
  std::signal(SIGUSR1, [](int) {});
  std::vector<std::thread> threads;
  for (int i = 0; i < members; ++i)
    threads.emplace_back([i, set_beside] {
      in_turn(i, 20);
      if (i == 0 && set_beside != 0 && !filter(set_beside, true)) _exit(3);
      in_turn(i, 20);
      ++polled;
      while (polled < members) std::this_thread::yield();
      int ends[2];
      char byte = 0;
      if (pipe(ends) != 0) _exit(4);
      std::thread writes([&] { (void)!write(ends[1], "x", 1); });
      if (read(ends[0], &byte, 1) != 1) _exit(5);
      writes.join();
      pthread_kill(pthread_self(), SIGUSR1);
      in_turn(i, 20);
    });
  pthread_kill(threads[1].native_handle(), SIGUSR1);
  for (std::thread& each : threads) each.join();
  return turn == 60 * members ? 0 : 6;
}

}  // namespace

int main(int n, char** words) {
  if (n < 2) return 2;
  const std::string_view how = words[1];
  const bool is_there = how == "exec", is_first = how == "first";
  if (n == 3) {  // the child, as another program: the child of a fork has no members
    const auto number = static_cast<unsigned>(std::atoi(words[2]));
    if (is_first && !filter(number, false)) return 3;
    return work(is_there || is_first ? 0 : number);
  }
  bool well = true;
  for (const call& each : calls) {
    if (!is_there && !is_first && each.number == not_beside) continue;
    const pid_t child = fork();
    if (child == 0) {
      if (is_there && !filter(each.number, false)) _exit(3);
      char number[16];
      std::snprintf(number, sizeof number, "%u", each.number);
      char* const then[] = {words[0], words[1], number, nullptr};
      execv("/proc/self/exe", then);
      _exit(7);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) std::fprintf(stderr, "%s: status %x\n", each.name, static_cast<unsigned>(status));
    well &= status == 0;
  }
  if (well) std::puts("ok");
  return well ? 0 : 1;
}
