// Threads that work until the file behind the standard input ends: scripts/fault-threads stops, continues and kills the process.
// A round is a number of turns.
#include "crew.hpp"

#include <csignal>

int main(int n, char** words) {
  const asked arguments(n, words);
  crew crew_of_four(4, arguments.seed, [](unsigned, dice&) {});
  std::thread([&crew_of_four] {
    notes_as = 20;
    dice chance(3);
    for (;;) {
      note_round(crew_of_four.turns());
      pause_below(chance, 2000);
    }
  }).detach();
  note("reads");
  char byte;
  while (arguments.rounds == 1 && read(0, &byte, 1) != 0) {
  }
  note("ends its threads");
  crew_of_four.end(arguments.rounds == 1 ? 0 : arguments.rounds);
  std::puts("ok");
  std::fflush(stdout);
  _exit(wrongs != 0);
}
