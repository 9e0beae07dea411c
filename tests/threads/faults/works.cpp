// Threads that work until the file behind the standard input ends: scripts/fault-threads stops, continues and kills the process.
// A round is a number of turns.
#include "crew.hpp"

#include <csignal>

int main(int n, char** words) {
  const asked its(n, words);
  crew all(4, its.seed, [](unsigned, dice&) {});
  std::thread([&all] {
    notes_as = 20;
    dice chance(3);
    for (;;) {
      note_round(all.turns());
      pause_below(chance, 2000);
    }
  }).detach();
  note("reads");
  char byte;
  while (its.rounds == 1 && read(0, &byte, 1) != 0) {
  }
  note("ends its threads");
  all.end(its.rounds == 1 ? 0 : its.rounds);
  std::puts("ok");
  std::fflush(stdout);
  _exit(wrongs != 0);
}
