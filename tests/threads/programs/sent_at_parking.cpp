// A signal for a kernel thread that comes just before that thread parks is handled in the name of its body. Prints
// "ok".
//
// The linker puts a function in front of the constructor of claimant, by which a thread that is about to park, all
// signals blocked, waits for those who may be sending it a signal.
#include <atomic>
#include <csignal>
#include <cstdio>

#include <sys/syscall.h>
#include <unistd.h>

#include <weir/crowd.hpp>

#include "system/raw_call.hpp"
#include "threads/scheduling/body.hpp"
#include "threads/scheduling/claimant.hpp"

using namespace weir::threads;

namespace {

constexpr unsigned members = 4;
constexpr int number = SIGUSR1;
thread_local volatile std::sig_atomic_t sent = 0, handled = 0;
std::atomic<unsigned> lost{0}, sent_to_none{0};

}  // namespace

// Of weir::threads::claimant::claimant().
#define NAME "_ZN4weir7threads8claimantC1Ev"
extern "C" void really_claim(claimant*) asm("__real_" NAME);
extern "C" void send_and_claim(claimant*) asm("__wrap_" NAME);
void send_and_claim(claimant* thread) {
  if (own_body != nullptr && this_body == nullptr && sent == 0 && (present_mask() >> (number - 1) & 1) != 0) {
    sent = 1;
    weir::raw_call(SYS_tgkill, getpid(), weir::raw_call(SYS_gettid), number);
  }
  really_claim(thread);
}

int main() {
  std::signal(number, [](int) { handled = 1; });
  weir::crowd c(members,
                [](unsigned) {
                  if (sent == 0) ++sent_to_none;
                  if (handled != sent) ++lost;
                },
                {.processors = 1});
  c.join();
  if (lost == 0 && sent_to_none == 0)
    std::puts("ok");
  else
    std::printf("%u of %u signals are lost, %u were not sent\n", lost.load(), members, sent_to_none.load());
}
