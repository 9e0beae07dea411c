// Members that block in the system, each at its own time, and meet: each goes on where it stopped, and nowhere else meanwhile.
#include "team.hpp"

namespace {

// Found blocked, a member keeps its kernel thread while others run elsewhere. It is woken while it goes to sleep, on either.
template <class Blocks>
void in_turn(int rounds, Blocks blocks) {
  std::vector<long> sums(static_cast<std::size_t>(members));
  team([&](int me) {
    long sum = 0;
    for (int i = 0; i < rounds; ++i) {
      if (i % 8 == me % 8) blocks();
      if (i % 10 == me % 10) compute(0.0005);
      sum += i;
      meet();
      CHECK(member_here == me);
    }
    sums[static_cast<std::size_t>(me)] = sum;
  });
  for (const long sum : sums) CHECK(sum == rounds * (rounds - 1L) / 2);
}

void members_that_sleep() {
  for (int times = 0; times < 5; ++times) in_turn(200, [] { sleep_for(0.0004); });
}
void members_that_read() {
  int ends[2];
  CHECK(pipe(ends) == 0);
  in_turn(400, [&] {
    char byte = 'x';
    const pid_t child = fork();
    if (child == 0) _exit(write(ends[1], &byte, 1) != 1);
    CHECK(read(ends[0], &byte, 1) == 1);
    CHECK(waitpid(child, nullptr, 0) == child);
  });
}

}  // namespace

int main() {
  subject("members that sleep", members_that_sleep);
  subject("members that read", members_that_read);
  return verdict();
}
