// Between two members that block different signals, no signal is handled in the name of the one that blocks it.
//
// The linker puts a function in front of exchange_mask(), by which a virtual processor changes the mask of its kernel thread. So
// a signal comes exactly where a member has been switched to, and its mask is not yet in force.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/crowd.hpp>

#include "system/raw_call.hpp"

namespace {

constexpr int number = SIGUSR1, signals = 50, most_rounds = 1'000'000;
constexpr std::uint64_t its_bit = std::uint64_t{1} << (number - 1), another_bit = std::uint64_t{1} << (SIGTERM - 1);
enum : int { handles, blocks, members };

thread_local int member_here = -1;
std::atomic<bool> sends{false};
std::atomic<int> sent{0};
volatile std::sig_atomic_t handled[members] = {};

void note(int) {
  if (member_here >= 0) handled[member_here] = handled[member_here] + 1;
}

}  // namespace

// Of weir::threads::exchange_mask(unsigned long).
#define NAME "_ZN4weir7threads13exchange_maskEm"
extern "C" std::uint64_t exchange_mask(std::uint64_t to) asm("__real_" NAME);
extern "C" std::uint64_t send_and_exchange_mask(std::uint64_t to) asm("__wrap_" NAME);
std::uint64_t send_and_exchange_mask(std::uint64_t to) {
  // A switch begins with all signals blocked, and ends with the mask of the member.
  if (sends && member_here == blocks && (to & its_bit) != 0 && (to & another_bit) == 0) {
    ++sent;
    weir::raw_call(SYS_tgkill, getpid(), weir::raw_call(SYS_gettid), number);
  }
  return exchange_mask(to);
}

int main() {
  std::signal(number, note);
  weir::crowd c(members, [](unsigned m) {
    member_here = static_cast<int>(m);
    if (member_here == blocks) {
      sigset_t signals;
      sigemptyset(&signals);
      sigaddset(&signals, number);
      pthread_sigmask(SIG_BLOCK, &signals, nullptr);
      sends = true;
    }
    // On a busy machine a member may find nobody to switch to for a while.
    for (int i = 0; i < most_rounds && sent < signals; ++i) weir::this_member::yield();
    sends = false;
  }, {.processors = 1});
  c.join();
  const bool ok = sent >= signals && handled[handles] == sent && handled[blocks] == 0;
  if (ok)
    std::puts("ok");
  else
    std::printf("%d signals: %d handled by the member that handles them, %d by the one that blocks them\n", sent.load(),
                static_cast<int>(handled[handles]), static_cast<int>(handled[blocks]));
  return ok ? 0 : 1;
}
