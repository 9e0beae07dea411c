// Programs that members start. system() blocks SIGCHLD in its thread while its command runs: main's is as before.
#include "team.hpp"

#include <fcntl.h>
#include <spawn.h>

namespace {

void system_in_all_members() {
  const sigset_t before = mask_now();
  const int ignored_meanwhile[] = {SIGINT, SIGQUIT};  // the caller may ignore them, as a shell does in the background
  struct sigaction of_caller[2], after;
  for (int i = 0; i < 2; ++i) sigaction(ignored_meanwhile[i], nullptr, &of_caller[i]);
  for (int round = 0; round < 3; ++round) {
    team([](int) {
      const sigset_t own = mask_now();
      for (int i = 0; i < 3; ++i) {
        CHECK(system("true") == 0);
        CHECK(same(mask_now(), own));
        meet();
        CHECK(same(mask_now(), own));
      }
      CHECK(WEXITSTATUS(system("exit 7")) == 7);
    });
    CHECK(same(mask_now(), before) && !blocked(SIGCHLD));
  }
  for (int i = 0; i < 2; ++i) {
    sigaction(ignored_meanwhile[i], nullptr, &after);
    CHECK(after.sa_handler == of_caller[i].sa_handler);
  }
}

volatile sig_atomic_t ended;

void sigchld_comes_afterwards() {
  handle(SIGCHLD, [](int) { ended = 1; });
  team([](int me) {
    if (me == 1) CHECK(system("true") == 0);
    meet();
    if (me == 2 % members) CHECK(system("sleep 0.02") == 0);
    compute(0.01);
  });
  ended = 0;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  CHECK(within(patience, [] { return ended == 1; }));
  waitpid(child, nullptr, 0);
}

void commands_by_popen() {
  team([](int me) {
    char text[64], wanted[64];
    std::snprintf(text, sizeof text, "echo %d; exit %d", me, me % 100);
    std::snprintf(wanted, sizeof wanted, "%d\n", me);
    FILE* stream = popen(text, "r");
    CHECK(stream != nullptr);
    meet();
    CHECK(std::fgets(text, sizeof text, stream) != nullptr && std::strcmp(text, wanted) == 0);
    CHECK(WEXITSTATUS(pclose(stream)) == me % 100);
  });
}

// ---- other programs

char shell[] = "sh", as_command[] = "-c", ends_so[] = "exit $ends_so", ends_with_7[] = "ends_so=7";
char* const words[] = {shell, as_command, ends_so, nullptr};
char* const alone[] = {ends_with_7, nullptr};
const int shells_file = open("/bin/sh", O_RDONLY | O_CLOEXEC);

/// In the child of a vfork().
template <void execute()>
pid_t in_child() {
  const pid_t child = vfork();
  if (child != 0) return child;
  execute();
  _exit(1);
}

struct way {
  const char* name;
  pid_t (*start)();
};
// Those without an environment of their own take that of the process.
const way ways[] = {
    {"execve", in_child<[] { execve("/bin/sh", words, alone); }>},
    {"execv", in_child<[] { execv("/bin/sh", words); }>},
    {"execvp", in_child<[] { execvp("sh", words); }>},
    {"execvpe", in_child<[] { execvpe("sh", words, alone); }>},
    {"execveat", in_child<[] { execveat(AT_FDCWD, "/bin/sh", words, alone, 0); }>},
    {"fexecve", in_child<[] { fexecve(shells_file, words, alone); }>},
    {"execl", in_child<[] { execl("/bin/sh", shell, as_command, ends_so, nullptr); }>},
    {"execlp", in_child<[] { execlp("sh", shell, as_command, ends_so, nullptr); }>},
    {"execle", in_child<[] { execle("/bin/sh", shell, as_command, ends_so, nullptr, alone); }>},
    {"posix_spawn", [] {
       pid_t process = -1;
       return posix_spawn(&process, "/bin/sh", nullptr, nullptr, words, alone) == 0 ? process : -1;
     }},
    {"posix_spawnp", [] {
       pid_t process = -1;
       return posix_spawnp(&process, "sh", nullptr, nullptr, words, alone) == 0 ? process : -1;
     }},
};

void programs() {
  setenv("ends_so", "7", 1);
  team([](int me) {
    for (std::size_t i = 0; i < std::size(ways); ++i) {
      const way& by = ways[(i + static_cast<std::size_t>(me)) % std::size(ways)];
      meet();
      const sigset_t own = mask_now();
      const pid_t child = by.start();
      int status = -1;
      const bool well = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
      if (!well) std::fprintf(stderr, "%s: status %d\n", by.name, status);
      CHECK(well && same(mask_now(), own));
    }
  });
}

// What cannot be executed is not, and says why.
void no_programs() {
  team([](int) {
    const auto fails = [](int result, int why) { return result == -1 && errno == why; };
    for (int i = 0; i < 5; ++i) {
      meet();
      CHECK(fails(execve("/none", words, alone), ENOENT) && fails(execv("/none", words), ENOENT));
      CHECK(fails(execvp("/none", words), ENOENT) && fails(execvpe("/none", words, alone), ENOENT));
      CHECK(fails(execveat(-1, "none", words, alone, 0), EBADF) && fails(fexecve(-1, words, alone), EINVAL));
      CHECK(fails(execl("/none", shell, nullptr), ENOENT) && fails(execlp("/none", shell, nullptr), ENOENT));
      CHECK(fails(execle("/none", shell, nullptr, alone), ENOENT));
      pid_t none = -1;
      CHECK(posix_spawn(&none, "/none", nullptr, nullptr, words, alone) == ENOENT);
      CHECK(posix_spawnp(&none, "/none", nullptr, nullptr, words, alone) == ENOENT);
    }
  });
}

}  // namespace

int main() {
  subject("system() in all members", system_in_all_members);
  subject("SIGCHLD comes after system()", sigchld_comes_afterwards);
  subject("popen()", commands_by_popen);
  subject("programs", programs);
  subject("no programs", no_programs);
  return verdict();
}
