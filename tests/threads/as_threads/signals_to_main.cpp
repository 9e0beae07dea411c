// A signal for main's thread is handled by main's member, though other members run in main's kernel thread meanwhile: also where
// main has created a thread, so that Weir knows it as one of the program's threads, too.
#include "team.hpp"

namespace {

thread_local volatile int came;

void note(int) { came = came + 1; }

void create_thread() {
  pthread_t another;
  CHECK(pthread_create(&another, nullptr, [](void*) -> void* { return nullptr; }, nullptr) == 0);
  CHECK(pthread_join(another, nullptr) == 0);
}

enum class creates { before, there };
template <creates Where>
void all_to_main() {
  constexpr int rounds = 20;
  handle(SIGUSR1, note, SA_RESTART);
  if (Where == creates::before) create_thread();
  pthread_t main_thread;
  team([&](int me) {
    came = 0;
    if (me == 0) main_thread = pthread_self();
    if (me == 0 && Where == creates::there) create_thread();
    meet();
    for (int i = 0; i < rounds; ++i) {
      // One a round, since signals of a kind that are pending are one. Main's member waits, so others run where it belongs.
      if (me != 0) compute(0.0005);
      if (me == 1 + i % (members - 1)) CHECK(pthread_kill(main_thread, SIGUSR1) == 0);
      meet();
      if (me == 0) CHECK(within(patience, [&] { return came == i + 1; }));
      meet();
    }
    CHECK(came == (me == 0 ? rounds : 0));
  });
}

}  // namespace

// Not as subjects, which are children: there threads of the program are left to the kernel.
int main() {
  all_to_main<creates::there>();
  all_to_main<creates::before>();
  return verdict();
}
