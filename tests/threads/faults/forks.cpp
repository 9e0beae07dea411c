// Threads fork while the others are in any state. Each child has a crew of its own, and ends in one of several ways. A round is a
// fork.
#include "crew.hpp"

#include <sys/wait.h>

namespace {

std::atomic<long> left;
std::atomic<long> done{0};
std::atomic<bool> child_began{false};
thread_local unsigned depth = 0;

[[noreturn]] void live_in_child(dice& chance, int status) {
  notes_of_child += 32;
  ++depth;
  note("child: begins");
  // As the only thread, or with others.
  if (!chance.once_in(3)) {
    crew of_child(1 + chance.below(3), chance.next(), [](unsigned, dice&) {});
    of_child.end(2 + chance.below(20));
  }
  note("child: forks again");
  if (depth == 1 && chance.once_in(4)) {
    const pid_t again = fork();
    if (again == 0) live_in_child(chance, 7);
    int how = 0;
    while (waitpid(again, &how, 0) == -1 && errno == EINTR) {
    }
    expect(WIFEXITED(how) && WEXITSTATUS(how) == 7, "status of a child's child", how, 7 << 8);
  }
  note("child: ends");
  if (chance.once_in(2)) _exit(status);
  std::exit(status);
}

void fork_in_the_middle(unsigned, dice& chance) {
  if (depth != 0 || !chance.once_in(6) || left.fetch_sub(1) <= 0) return;
  const int status = static_cast<int>(chance.below(100)) + 10;
  note("forks");
  const pid_t process = fork();
  expect(process >= 0, "fork", errno);
  if (process == 0) live_in_child(chance, status);
  note("waits for its child");
  int how = 0;
  while (waitpid(process, &how, 0) == -1 && errno == EINTR) {
  }
  expect(WIFEXITED(how) && WEXITSTATUS(how) == status, "status of a child", how, status << 8);
  note_round(++done);
}

}  // namespace

int main(int n, char** words) {
  const asked arguments(n, words);
  left = arguments.rounds;
  crew crew_of_four(4, arguments.seed, fork_in_the_middle);
  dice chance(arguments.seed);
  // The first thread, too.
  while (left > 0) {
    fork_in_the_middle(0, chance);
    pause_below(chance, 500);
  }
  note("ends its threads");
  crew_of_four.end();
  std::puts("ok");
}
