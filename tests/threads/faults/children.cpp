// Threads make child processes by bare system calls and by vfork(), while the others are in any state. Each child shares the
// memory of its parent until it executes a program or ends; before that it reads, sleeps and yields. A round is a child.
#include "crew.hpp"

#include <csignal>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

namespace {

std::atomic<long> left;
std::atomic<long> done{0};
constexpr std::size_t stack_bytes = 65536;
char program[] = "true";
char* const words[] = {program, nullptr};

struct life {
  pid_t parent;
  int from, status;
  unsigned naps, yields;
  bool executes;
};

int live(void* given) {
  const life me = *static_cast<const life*>(given);
  const auto self = static_cast<pid_t>(syscall(SYS_getpid));
  char byte = 0;
  if (self == me.parent || read(me.from, &byte, 1) != 1 || byte != 'c') _exit(1);
  for (unsigned i = 0; i < me.yields; ++i) sched_yield();
  const timespec nap{0, 30'000};
  for (unsigned i = 0; i < me.naps; ++i) nanosleep(&nap, nullptr);
  for (unsigned i = 0; i < me.yields; ++i) sched_yield();
  if (static_cast<pid_t>(syscall(SYS_getpid)) != self) _exit(2);
  if (me.executes) execv("/bin/true", words);
  _exit(me.executes ? 3 : me.status);
}

#if defined(__x86_64__)
/// A system call of which nobody hears. The child takes what it executes from its stack, whose end is `top`.
pid_t bare_clone(void* top, long flags, life* what) {
  auto** const at = static_cast<void**>(top) - 2;
  at[0] = reinterpret_cast<void*>(live);
  at[1] = what;
  long result = SYS_clone;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  asm volatile("syscall\n\ttest %%eax, %%eax\n\tjnz 1f\n\tpop %%rax\n\tpop %%rdi\n\txor %%ebp, %%ebp\n\tcall *%%rax\n\thlt\n1:"
               : "+a"(result)
               : "D"(flags), "S"(at), "d"(0L), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory", "cc");
  return static_cast<pid_t>(result);
}
#else
pid_t bare_clone(void* top, long flags, life* what) { return clone(live, top, static_cast<int>(flags), what); }
#endif

enum way : unsigned { by_vfork, by_clone, by_clone_beside, bare, bare_beside, by_spawn, all_ways };
constexpr const char* names[] = {"vfork",         "clone, like vfork", "clone, beside", "bare clone, like vfork",
                                 "bare clone, beside", "posix_spawn"};

pid_t make(way how, life& task, void* top) {
  switch (how) {
    case by_vfork: {
      const pid_t child = vfork();
      if (child == 0) live(&task);
      return child;
    }
    case by_clone: return clone(live, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &task);
    case by_clone_beside: return clone(live, top, CLONE_VM | SIGCHLD, &task);
    case bare: return bare_clone(top, CLONE_VM | CLONE_VFORK | SIGCHLD, &task);
    case bare_beside: return bare_clone(top, CLONE_VM | SIGCHLD, &task);
    default: {
      pid_t child = -1;
      return posix_spawn(&child, "/bin/true", nullptr, nullptr, words, environ) == 0 ? child : -1;
    }
  }
}

void make_child(unsigned, dice& chance) {
  if (!chance.once_in(6) || left.fetch_sub(1) <= 0) return;
  const auto how = static_cast<way>(chance.below(all_ways));
  note(names[how]);
  int pipe_of_child[2];
  expect(pipe(pipe_of_child) == 0, "pipe", errno);
  void* const stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  life task{getpid(), pipe_of_child[0], 10 + static_cast<int>(chance.below(100)), chance.below(4), chance.below(20),
           chance.once_in(4)};
  const bool late = (how == by_clone_beside || how == bare_beside) && chance.once_in(2);
  const char byte = 'c';
  if (!late) expect(write(pipe_of_child[1], &byte, 1) == 1, "write", errno);
  const pid_t child = make(how, task, static_cast<char*>(stack) + stack_bytes);
  expect(child > 0, names[how], errno);
  if (late) expect(write(pipe_of_child[1], &byte, 1) == 1, "write", errno);
  if (chance.once_in(2)) sched_yield();
  note("waits for its child");
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  const int expected = task.executes || how == by_spawn ? 0 : task.status;
  expect(WIFEXITED(status) && WEXITSTATUS(status) == expected, names[how], status, expected << 8);
  expect(getpid() == task.parent, "the parent is another process");
  munmap(stack, stack_bytes);
  close(pipe_of_child[0]), close(pipe_of_child[1]);
  note_round(++done);
}

}  // namespace

int main(int n, char** words_of_program) {
  const asked arguments(n, words_of_program);
  left = arguments.rounds;
  crew crew_of_four(4, arguments.seed, make_child);
  dice chance(arguments.seed);
  // The first thread, too.
  while (left > 0) {
    make_child(0, chance);
    pause_below(chance, 500);
  }
  note("ends its threads");
  crew_of_four.end();
  std::puts("ok");
}
