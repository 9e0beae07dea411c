// A signal that waits in the kernel thread of a crowd's member comes before the member's change of its mask returns. Prints "ok".
#include <atomic>
#include <csignal>
#include <cstdio>

#include <weir/crowd.hpp>

#include "threads/scheduling/body.hpp"

using namespace weir::threads;

namespace {

constexpr unsigned members = 4;
constexpr int number = SIGUSR1;
thread_local volatile std::sig_atomic_t handled = 0;

int change(int how) {
  sigset_t before, set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(how, &set, &before);
  return sigismember(&before, number);
}

/// False: it has come early, late, or twice, or the mask is not as it has been set.
bool comes_in_time() {
  change(SIG_BLOCK);
  block_in_own_thread();
  if (this_body != nullptr) return false;
  raise(number);
  do
    weir::this_member::yield();
  while (this_body == nullptr);
  if (handled != 0) return false;
  change(SIG_UNBLOCK);
  return handled == 1 && change(SIG_BLOCK) == 0;
}

}  // namespace

int main() {
  std::signal(number, [](int) { handled = handled + 1; });
  std::atomic<unsigned> wrong{0};
  weir::crowd c(members, [&](unsigned) { wrong += !comes_in_time(); }, {.processors = 1});
  c.join();
  if (wrong == 0)
    std::puts("ok");
  else
    std::printf("%u of %u members\n", wrong.load(), members);
}
