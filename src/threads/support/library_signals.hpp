// Handlers of Weir before those of the signals that the C library keeps for itself. Its sigaction() refuses these signals, and no
// program can block them.
#pragma once

#include <csignal>
#include <cstdint>

#include "system/raw_call.hpp"

namespace weir::threads {

/// The structure as the kernel expects it.
struct kernel_sigaction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
#if defined(__x86_64__)
  void (*restorer)();
#endif
  std::uint64_t mask;

  std::uintptr_t code() const { return reinterpret_cast<std::uintptr_t>(handler); }
  bool is_handler() const {
    return code() != reinterpret_cast<std::uintptr_t>(SIG_DFL) && code() != reinterpret_cast<std::uintptr_t>(SIG_IGN);
  }
  bool asks_why() const { return (flags & SA_SIGINFO) != 0; }
};

/// The signal's handler. Async-signal-safe.
inline kernel_sigaction handled_by(int number) {
  kernel_sigaction action{};
  raw_call(SYS_rt_sigaction, number, 0, as_argument(&action), sizeof action.mask);
  return action;
}

/// Does this hold for one of the handlers of the program, of which the C library keeps two signals for itself? Async-signal-safe.
template <class Is>
bool any_handler(Is is) {
  for (int number = 1; number < NSIG; ++number) {
    if (number == 32 || number == 33) continue;
    if (const kernel_sigaction action = handled_by(number); action.is_handler() && is(number, action)) return true;
  }
  return false;
}

class library_signal {
 public:
  constexpr library_signal(int number, void (*handler)(int, siginfo_t*, void*)) : number_(number), handler_(handler) {}
  /// Once the C library has installed its handler, ours comes before that. Called by a claimant.
  void interpose() {
    if (stands()) return;
    kernel_sigaction now = handled_by(number_);
    if (now.handler == nullptr) return;
    of_library_ = now;
    now.handler = handler_;
    raw_call(SYS_rt_sigaction, number_, as_argument(&now), 0, sizeof now.mask);
  }
  bool stands() const { return of_library_.handler != nullptr; }
  void call_library(siginfo_t* why, void* interrupted) const { of_library_.handler(number_, why, interrupted); }
  int number() const { return number_; }

 private:
  const int number_;
  void (*const handler_)(int, siginfo_t*, void*);
  kernel_sigaction of_library_{};
};

}  // namespace weir::threads
