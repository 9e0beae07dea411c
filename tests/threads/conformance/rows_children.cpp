// Children, of every kind: what they find, and how they end.
#include "row.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

extern char** environ;

namespace {

/// Nobody cancels the caller meanwhile: what follows is the experiment's own.
class not_cancelled {
 public:
  not_cancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  not_cancelled(const not_cancelled&) = delete;
  ~not_cancelled() {
    pthread_setcancelstate(before_, nullptr);
    errno = error_;
  }

 private:
  const int error_ = errno;
  int before_ = 0;
};

void note_status(place& p, const char* of, int status) {
  if (WIFEXITED(status)) p.note("%s ends with %d", of, WEXITSTATUS(status));
  else p.note("%s is ended by %d", of, WTERMSIG(status));
}
/// 0, or -1 where there is no child.
long end_of(place& p, pid_t child) {
  const not_cancelled meanwhile;
  if (child <= 0) return child;
  int status = 0;
  pid_t found;
  while ((found = waitpid(child, &status, __WALL)) == -1 && errno == EINTR) {
  }
  if (found != child) p.note("another child");
  note_status(p, "child", status);
  return 0;
}

int kept_back() { return SIGRTMIN + 4; }
void send_itself(place&) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, kept_back());
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  pthread_kill(pthread_self(), kept_back());
}

// ---- fork

bool are_same(const sigset_t& one, const sigset_t& other) {
  for (int number = 1; number < 65; ++number)
    if (sigismember(&one, number) != sigismember(&other, number)) return false;
  return true;
}
/// What is so in the child, bit by bit.
int seen_by_child(const place& p, pthread_t by, pid_t parent, const sigset_t& before) {
  sigset_t now, pending, none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  sigpending(&pending);
  void* end = nullptr;
  pthread_t other;
  const bool creates = pthread_create(&other, nullptr, [](void* given) { return given; }, const_cast<place*>(&p)) == 0 &&
                       pthread_join(other, &end) == 0 && end == &p;
  return are_same(now, before) | (gettid() == getpid()) << 1 | (pthread_equal(by, pthread_self()) != 0) << 2 |
         are_same(pending, none) << 3 | (getppid() == parent) << 4 | creates << 5;
}
template <pid_t (*function)()>
long forks(place& p) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const pthread_t by = pthread_self();
  const pid_t parent = getpid(), child = function();
  if (child == 0) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    _exit(seen_by_child(p, by, parent, before));
  }
  return end_of(p, child);
}
/// The child of a child, whose parent waits for it.
long forks_twice(place& p) {
  const pid_t child = fork();
  if (child != 0) return end_of(p, child);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  const pid_t next = fork();
  if (next == 0) _exit(5);
  int status = 0;
  _exit(waitpid(next, &status, 0) == next && WIFEXITED(status) ? WEXITSTATUS(status) + 1 : 1);
}
long is_killed(place& p) {
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGKILL);
    _exit(1);
  }
  return end_of(p, child);
}

// ---- vfork: the child has the memory and the thread's variables until it has executed a program

[[gnu::noinline]] long exits_after_vfork(place& p) {
  const pid_t child = vfork();
  if (child == 0) _exit(7);
  return end_of(p, child);
}
[[gnu::noinline]] long executes_after_vfork(place& p) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 8", nullptr);
    _exit(1);
  }
  return end_of(p, child);
}
[[gnu::noinline]] long executes_nothing(place& p) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/none", "none", nullptr);
    _exit(errno == ENOENT ? 9 : 1);
  }
  return end_of(p, child);
}
/// Its mask is the child's alone.
[[gnu::noinline]] long changes_mask_after_vfork(place& p) {
  const pid_t child = vfork();
  if (child == 0) {
    sigset_t every;
    sigfillset(&every);
    _exit(pthread_sigmask(SIG_SETMASK, &every, nullptr) == 0 ? 10 : 1);
  }
  return end_of(p, child);
}

// ---- clone

constexpr std::size_t stack_bytes = 65'536;

/// The child changes the word, which is the caller's where the memory is shared.
call clones(unsigned how) {
  return [how](place& p) -> long {
    void* const stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto run = [](void* given) {
      static_cast<place*>(given)->word = 11;
      return 12;
    };
    const pid_t child = clone(run, static_cast<char*>(stack) + stack_bytes, static_cast<int>(how), &p);
    const long found = end_of(p, child);
    const not_cancelled meanwhile;
    munmap(stack, stack_bytes);
    p.note("word %u", p.word);
    return found;
  };
}
long clones_without_stack(place& p) {
  return end_of(p, clone([](void*) { return 0; }, nullptr, SIGCHLD, &p));
}

// ---- programs

long executes(place& p, const char* command) {
  const int status = system(command);
  if (command == nullptr || status == -1) return status;
  const not_cancelled meanwhile;
  note_status(p, "command", status);
  return 0;
}
call commands(const char* text) {
  return [text](place& p) { return executes(p, text); };
}
void a_pipe(place& p) {
  int ends[2];
  if (pipe(ends) != 0) return;
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  p.here = ends[0], p.there = ends[1];
  p.files.insert(p.files.end(), {ends[0], ends[1]});
}
void say_line(place& p) { (void)!write(p.there, "x\n", 2); }

long reads_output(place& p) {
  FILE* const stream = popen("echo some; exit 3", "r");
  if (stream == nullptr) return -1;
  const not_cancelled meanwhile;
  if (std::fgets(p.bytes, sizeof p.bytes, stream) == nullptr) p.note("nothing");
  note_status(p, "command", pclose(stream));
  p.note("[%.4s]", p.bytes);
  return 0;
}
long writes_input(place& p) {
  FILE* const stream = popen("read x; exit $x", "w");
  if (stream == nullptr) return -1;
  const not_cancelled meanwhile;
  std::fputs("14\n", stream);
  note_status(p, "command", pclose(stream));
  return 0;
}
long opens_wrongly(place&) {
  FILE* const stream = popen("exit 3", "q");
  if (stream == nullptr) return -1;
  pclose(stream);
  return 0;
}

using spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                      char* const*);
enum class attributes { none, mask, default_signals, group };

/// A program that says which signals it blocks and ignores.
long spawns(place& p, spawn function, const char* program, attributes which) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR2);
  posix_spawnattr_setsigmask(&how, &some);
  posix_spawnattr_setsigdefault(&how, &some);
  constexpr int flags[] = {0, POSIX_SPAWN_SETSIGMASK, POSIX_SPAWN_SETSIGDEF, POSIX_SPAWN_SETPGROUP};
  posix_spawnattr_setflags(&how, static_cast<short>(flags[static_cast<int>(which)]));
  const std::string words[] = {"grep", "-E", "^Sig(Blk|Ign|Cgt|Pnd)", "/proc/self/status"};
  char* arguments[std::size(words) + 1] = {};
  for (std::size_t w = 0; w < std::size(words); ++w) arguments[w] = const_cast<char*>(words[w].c_str());
  pid_t child = -1;
  const int found = function(&child, program, &actions, &how, arguments, environ);
  const not_cancelled meanwhile;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&how);
  close(ends[1]);
  std::string text;
  for (ssize_t n; (n = read(ends[0], p.bytes, sizeof p.bytes)) != 0;) {
    if (n > 0) text.append(p.bytes, static_cast<std::size_t>(n));
    else if (errno != EINTR) break;
  }
  close(ends[0]);
  if (found != 0) return found;
  for (char& each : text)
    if (each == '\n' || each == '\t') each = ' ';
  p.note("[%s]", text.c_str());
  end_of(p, child);
  return 0;
}
row spawning(const char* name, spawn function, const char* program) {
  const auto with = [=](const char* which, attributes how) -> call {
    return [=](place& p) { return spawns(p, function, which, how); };
  };
  return {name, returns::error, 0,
          {{"at once", with(program, attributes::none)},
           {"with a mask", with(program, attributes::mask)},
           {"with default signals", with(program, attributes::default_signals)},
           {"in a group", with(program, attributes::group)},
           {"a signal is pending", with(program, attributes::none), {}, send_itself},
           {"ENOENT", with("/none", attributes::none)},
           {"EACCES", with("/", attributes::none)}}};
}

}  // namespace

rows rows_of_children() {
  rows made;
  made.push_back({"fork",
                  returns::minus_one,
                  0,
                  {{"at once", forks<fork>},
                   {"a signal is pending", forks<fork>, {}, send_itself},
                   {"twice", forks_twice},
                   {"is killed", is_killed}}});
  made.push_back({"vfork", returns::minus_one, 0,
                  {{"exits", exits_after_vfork},
                   {"executes", executes_after_vfork},
                   {"executes nothing", executes_nothing},
                   {"changes its mask", changes_mask_after_vfork}}});
  made.push_back({"clone", returns::minus_one, 0,
                  {{"as fork", clones(SIGCHLD)},
                   {"without a signal", clones(0)},
                   {"with files", clones(CLONE_FILES | CLONE_FS | SIGCHLD)},
                   {"as vfork", clones(CLONE_VM | CLONE_VFORK | SIGCHLD)},
                   {"with memory", clones(CLONE_VM | SIGCHLD)},
                   {"suspended", clones(CLONE_VFORK | SIGCHLD)},
                   {"EINVAL", clones(CLONE_SIGHAND | SIGCHLD)},
                   {"EINVAL of a thread", clones(CLONE_THREAD | SIGCHLD)},
                   {"without a stack", clones_without_stack}}});
  made.push_back({"system",
                  returns::minus_one,
                  point | restarts_not | alone,
                  {{"is there a shell", commands(nullptr)},
                   {"status", commands("exit 13")},
                   {"is killed", commands("kill -9 $$")},
                   {"not found", commands("/none 2>/dev/null")},
                   {"a signal is pending", commands("exit 13"), {}, send_itself},
                   {"is woken",
                    [](place& p) { return executes(p, ("read x <&" + std::to_string(p.here) + "; exit 15").c_str()); },
                    a_pipe,
                    {},
                    say_line}}});
  made.push_back(
      {"popen", returns::minus_one, alone, {{"reads", reads_output}, {"writes", writes_input}, {"EINVAL", opens_wrongly}}});
  made.push_back(spawning("posix_spawn", posix_spawn, "/bin/grep"));
  made.push_back(spawning("posix_spawnp", posix_spawnp, "grep"));
  return made;
}
