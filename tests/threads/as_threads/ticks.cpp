// A handler's mask ends with the handler: ticks of a timer do not fall silent, and no member keeps what a handler blocks.
#include "team.hpp"

#include <sys/time.h>

namespace {

std::atomic<int> ticks, handlers_inside;
thread_local volatile int inside;

void tick(int) {
  if (inside != 0) ++handlers_inside;
  inside = 1;
  ++ticks;
  inside = 0;
}

void every_ms(int which) {
  const itimerval each{{0, 1000}, {0, 1000}};
  setitimer(static_cast<__itimer_which_t>(which), &each, nullptr);
}

void come_during_regions() {
  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  action.sa_mask = set_of({SIGUSR1, SIGUSR2});
  sigaction(SIGALRM, &action, nullptr);
  every_ms(ITIMER_REAL);
  for (int round = 0; round < 10; ++round) {
    const int before = ticks;
    team([](int me) {
      for (int i = 0; i < 5; ++i) {
        compute(me % 3 == 0 ? 0.006 : 0.0005);
        meet();
        CHECK(!blocked(SIGALRM) && !blocked(SIGUSR1) && !blocked(SIGUSR2));
      }
    });
    CHECK(ticks > before);
    CHECK(!blocked(SIGALRM) && !blocked(SIGUSR1) && !blocked(SIGUSR2));
  }
  const int then = ticks;
  CHECK(within(patience, [&] { return ticks > then + 20; }));
  CHECK(handlers_inside == 0);
}

// Handlers that last, and members that are displaced inside of them.
void of_long_handlers() {
  handle(SIGALRM, [](int number) {
    tick(number);
    compute(0.03);
  });
  const itimerval each{{0, 40'000}, {0, 40'000}};
  setitimer(ITIMER_REAL, &each, nullptr);
  team([](int) {
    for (int i = 0; i < 30; ++i) {
      compute(0.002);
      meet();
      CHECK(!blocked(SIGALRM));
    }
  });
  const int then = ticks;
  CHECK(within(patience, [&] { return ticks > then + 5; }));
  CHECK(!blocked(SIGALRM));
}

}  // namespace

int main() {
  subject("ticks come during regions and after", come_during_regions);
  subject("ticks of long handlers", of_long_handlers);
  return verdict();
}
