// The process ends while its threads are in any state. Each round is a process; the way in which it ends depends on the seed.
// What it should end with is noted first.
#include "crew.hpp"

#include <csignal>
#include <exception>

namespace {

enum class way { exits, exits_at_once, returns, first_thread_ends, member_exits, member_exits_at_once, quick, aborts, all_ways };
constexpr const char* names[] = {
    "exit", "_exit", "return from main", "pthread_exit of main", "exit in a member", "_exit in a member", "quick_exit", "abort"};
std::atomic<bool> member_ends{false};
way its_way;
int status;

struct at_the_end {
  ~at_the_end() {
    note("destructors at exit");
    if (status % 3 == 0) std::thread([] { sched_yield(); }).join();
  }
} const until_exit;

void end_in_member(unsigned, dice&) {
  if (!member_ends.exchange(false)) return;
  note(names[static_cast<unsigned>(its_way)]);
  if (its_way == way::member_exits) std::exit(status);
  if (its_way == way::member_exits_at_once) _exit(status);
}

}  // namespace

int main(int n, char** words) {
  const asked arguments(n, words);
  dice chance(arguments.seed);
  its_way = static_cast<way>(chance.below(static_cast<unsigned>(way::all_ways)));
  status = 10 + static_cast<int>(chance.below(90));
  if (its_way == way::first_thread_ends) status = 0;
  // Shared with threads that go on while the process ends.
  auto* const ending = new crew(1 + chance.below(4), chance.next(), end_in_member);
  std::atexit([] {
    note("atexit");
    if (status % 2 == 0) sched_yield();
  });
  if (!chance.once_in(4)) pause_below(chance, chance.once_in(2) ? 300 : 6000);
  char expected[note_bytes];
  std::snprintf(expected, sizeof expected, "%d", its_way == way::aborts ? -SIGABRT : status);
  std::memcpy(notes + note_bytes, expected, sizeof expected);
  note(names[static_cast<unsigned>(its_way)]);
  switch (its_way) {
    case way::exits: std::exit(status);
    case way::exits_at_once: _exit(status);
    case way::quick: std::quick_exit(status);
    case way::aborts: std::abort();
    case way::first_thread_ends: ending->let_end(), pthread_exit(nullptr);
    case way::member_exits: case way::member_exits_at_once:
      member_ends = true;
      for (;;) pause();
    default: return status;
  }
}
