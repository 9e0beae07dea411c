// Children that share the memory of their parent, until they execute a program or end: each blocks, sleeps and yields first. The
// thread that has made it, and those beside that thread, go on as if it were any other process.
//
//   WEIR_TEST_ROUNDS     of each kind, in each member
#include "team.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

extern "C" [[gnu::weak]] pid_t _Fork() noexcept;  // of C libraries from version 2.34 on

namespace {

const int rounds = [] {
  const char* const asked_for = std::getenv("WEIR_TEST_ROUNDS");
  return asked_for != nullptr ? std::atoi(asked_for) : 2;
}();
constexpr std::size_t stack_bytes = 65536;
struct pipe_of_member {
  int ends[2];
};
std::vector<pipe_of_member> pipes(static_cast<std::size_t>(members));
const pid_t parent = getpid();
constexpr int ended_well = 7;
char program[] = "sh", as_command[] = "-c", ends_so[] = "exit 7";
char* const words[] = {program, as_command, ends_so, nullptr};

/// What a child does: `how` says whether it executes a program in the end.
struct life {
  int me;
  int how;
};
int live(void* given) {
  const life mine_is = *static_cast<const life*>(given);
  const pid_t self = static_cast<pid_t>(syscall(SYS_getpid));
  bool well = self != parent;
  char byte = 0;
  well = well && read(pipes[static_cast<std::size_t>(mine_is.me)].ends[0], &byte, 1) == 1 && byte == 'c';
  for (int i = 0; i < 3; ++i) sched_yield();
  const timespec short_time{0, 200'000};
  nanosleep(&short_time, nullptr);
  for (int i = 0; i < 20; ++i) sched_yield();
  well = well && poll(nullptr, 0, 1) == 0 && static_cast<pid_t>(syscall(SYS_getpid)) == self;
  if (well && mine_is.how != 0) execv("/bin/sh", words);
  _exit(well ? ended_well : 1);
}

pid_t by_clone(const life& task, void* top, int flags) {
  return clone(live, top, flags | SIGCHLD, const_cast<life*>(&task));
}
#if defined(__x86_64__)
// Bare system calls, of which nobody else hears. The child takes what it executes from its stack.
void** with_work(const life& task, void* top) {
  auto** const at = static_cast<void**>(top) - 2;
  at[0] = reinterpret_cast<void*>(live);
  at[1] = const_cast<life*>(&task);
  return at;
}
pid_t call(long number, long a, long b) {
  long result = number;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  asm volatile("syscall\n\ttest %%eax, %%eax\n\tjnz 1f\n\tpop %%rax\n\tpop %%rdi\n\txor %%ebp, %%ebp\n\tcall *%%rax\n\thlt\n1:"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(0L), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory", "cc");
  return static_cast<pid_t>(result);
}
pid_t by_bare_clone(const life& task, void* top, int flags) {
  return call(SYS_clone, flags | SIGCHLD, reinterpret_cast<long>(with_work(task, top)));
}
pid_t by_bare_clone3(const life& task, void* top, int flags) {
  auto** const at = with_work(task, top);
  struct {
    std::uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } of{static_cast<std::uint64_t>(flags), 0, 0, 0, SIGCHLD, reinterpret_cast<std::uint64_t>(at) - 4096, 4096, 0};
  return call(SYS_clone3, reinterpret_cast<long>(&of), sizeof of);
}
#endif
pid_t by_vfork(const life& task, void*, int) {
  const pid_t child = vfork();
  if (child == 0) live(const_cast<life*>(&task));
  return child;
}
pid_t by_spawn(const life& task, void*, int) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[static_cast<std::size_t>(task.me)].ends[0], 0);
  char reads[] = "dd bs=1 count=1 of=/dev/null 2>/dev/null; exit 7";
  char* const reading[] = {program, as_command, reads, nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, "/bin/sh", &actions, nullptr, reading, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}
// With memory of their own, but without what the C library's fork() does.
pid_t by_system_call(const life& task, void*, int) {
  const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) live(const_cast<life*>(&task));
  return static_cast<pid_t>(child);
}
pid_t by_fork_alone(const life& task, void*, int) {
  const pid_t child = &_Fork != nullptr ? _Fork() : fork();
  if (child == 0) live(const_cast<life*>(&task));
  return child;
}

struct kind {
  const char* name;
  pid_t (*make)(const life&, void* top, int flags);
  int flags;
};
const kind kinds[] = {
    {"vfork", by_vfork, 0},
    {"posix_spawn", by_spawn, 0},
    {"clone, like vfork", by_clone, CLONE_VM | CLONE_VFORK},
    {"clone, beside its parent", by_clone, CLONE_VM},
#if defined(__x86_64__)
    {"bare clone, like vfork", by_bare_clone, CLONE_VM | CLONE_VFORK},
    {"bare clone, beside its parent", by_bare_clone, CLONE_VM},
    {"bare clone3, like vfork", by_bare_clone3, CLONE_VM | CLONE_VFORK},
    {"bare clone3, beside its parent", by_bare_clone3, CLONE_VM},
#endif
    {"clone by number", by_system_call, 0},
    {"_Fork", by_fork_alone, 0},
};

void children_of(const kind& child_kind) {
  team([&child_kind](int me) {
    void* const stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const pid_t before = gettid();
    for (int round = 0; round < rounds; ++round) {
      meet();
      // The next member's child, which may be there already, waits for it.
      const char byte = 'c';
      CHECK(write(pipes[static_cast<std::size_t>((me + 1) % members)].ends[1], &byte, 1) == 1);
      const life its_life{me, (me + round) % 4 == 0 ? 1 : 0};
      const pid_t child = child_kind.make(its_life, static_cast<char*>(stack) + stack_bytes, child_kind.flags);
      CHECK(getpid() == parent);
      int status = -1;
      const bool well = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == ended_well;
      if (!well) std::fprintf(stderr, "%s: status %x\n", child_kind.name, static_cast<unsigned>(status));
      CHECK(well && gettid() == before);
      sched_yield();
    }
    meet();
    munmap(stack, stack_bytes);
  });
}

}  // namespace

int main(int n, char** chosen) {
  for (auto& each : pipes) CHECK(pipe(each.ends) == 0);
  for (const kind& each : kinds)
    if (n < 2 || std::strcmp(chosen[1], each.name) == 0) children_of(each);
  return verdict();
}
