// raise() comes back after its handler has run, in the thread that has raised.
#include "team.hpp"

namespace {

thread_local volatile int came;
std::atomic<int> elsewhere;

enum class between { nothing, barriers, sleeps };

template <between Them>
void come_back_after_their_handlers() {
  handle(SIGUSR1, [](int) {
    compute(20e-6);
    if (member_here < 0) ++elsewhere;
    came = came + 1;
  });
  team([](int me) {
    came = 0;
    int early = 0;
    for (int i = 1; i <= 1000; ++i) {
      (i + me) % 2 == 0 ? raise(SIGUSR1) : pthread_kill(pthread_self(), SIGUSR1);
      early += came != i;
      if (Them == between::barriers && i % 100 == 0) meet();
      if (Them == between::sleeps && i % 50 == me) sleep_for(0.001);
    }
    if (early != 0) std::fprintf(stderr, "member %d: %d of 1000 came back early\n", me, early);
    CHECK(early == 0);
    CHECK(came == 1000);
  });
  CHECK(elsewhere == 0);
}

}  // namespace

int main() {
  subject("raises", come_back_after_their_handlers<between::nothing>);
  subject("raises and barriers", come_back_after_their_handlers<between::barriers>);
  subject("raises and sleeps", come_back_after_their_handlers<between::sleeps>);
  return verdict();
}
