// system() blocks SIGCHLD in its thread while its command runs: main's is as before.
#include "team.hpp"

namespace {

void system_in_all_members() {
  const sigset_t before = mask_now();
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
  struct sigaction its;
  sigaction(SIGINT, nullptr, &its);
  CHECK(its.sa_handler == SIG_DFL);
  sigaction(SIGQUIT, nullptr, &its);
  CHECK(its.sa_handler == SIG_DFL);
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
    FILE* its = popen(text, "r");
    CHECK(its != nullptr);
    meet();
    CHECK(std::fgets(text, sizeof text, its) != nullptr && std::strcmp(text, wanted) == 0);
    CHECK(WEXITSTATUS(pclose(its)) == me % 100);
  });
}

}  // namespace

int main() {
  subject("system() in all members", system_in_all_members);
  subject("SIGCHLD comes after system()", sigchld_comes_afterwards);
  subject("popen()", commands_by_popen);
  return verdict();
}
