// Signals that are pending for the caller until it lets them come.
#include "row.hpp"

#include <setjmp.h>
#include <ucontext.h>

namespace {

int kept_back() { return SIGRTMIN + 3; }
thread_local volatile int come = 0;

void handle_it() {
  struct sigaction how {};
  how.sa_handler = [](int) { come = come + 1; };
  how.sa_flags = SA_RESTART;
  sigaction(kept_back(), &how, nullptr);
}
void block_it(place& p) {
  static const bool once = (handle_it(), true);
  (void)once;
  come = 0;
  const sigset_t it = only(kept_back());
  pthread_sigmask(SIG_BLOCK, &it, nullptr);
  p.flag = true;
}
void send_to_itself(place&) { pthread_kill(pthread_self(), kept_back()); }
/// In its own kernel thread: it takes a seat afterwards.
void send_without_seat(place& p) {
  block_it(p);
  usleep(500);
  send_to_itself(p);
}
void send_with_value(place& p) {
  block_it(p);
  usleep(500);
  sigval with{};
  with.sival_int = 7;
  for (int i = 0; i < 3; ++i) pthread_sigqueue(pthread_self(), kept_back(), with);
}
void send_with_seat(place& p) {
  block_it(p);
  sched_yield();
  send_to_itself(p);
}
/// The signal comes before the change returns [sigprocmask(3p)].
call lets_in(long (*change)(const sigset_t&)) {
  return [change](place& p) {
    const long found = change(only(kept_back()));
    p.note("%d came", come);
    return found;
  };
}
row of(const char* name, long (*change)(const sigset_t&), returns with = returns::minus_one) {
  const call run = lets_in(change);
  return {name, with, 0,
          {{"none pending", run, {}, block_it},
           {"sent without a seat", run, {}, send_without_seat},
           {"with values, without a seat", run, {}, send_with_value},
           {"sent with a seat", run, {}, send_with_seat}}};
}

thread_local sigjmp_buf back;
thread_local ucontext_t context_back;
thread_local volatile bool has_jumped;

}  // namespace

rows rows_of_signals() {
  rows made;
  made.push_back(
      of("pthread_sigmask", [](const sigset_t& s) -> long { return pthread_sigmask(SIG_UNBLOCK, &s, nullptr); }, returns::error));
  made.push_back(of("sigprocmask", [](const sigset_t& s) -> long { return sigprocmask(SIG_UNBLOCK, &s, nullptr); }));
  made.push_back(of("sigrelse", [](const sigset_t&) -> long { return sigrelse(kept_back()); }));
  made.push_back(of("siglongjmp", [](const sigset_t& s) -> long {
    if (sigsetjmp(back, 1) != 0) return 0;
    // The mask that the jump restores, as if it had been in force.
    sigset_t restored;
    std::memcpy(&restored, &back->__saved_mask, sizeof restored);
    for (int number = 1; number < 65; ++number)
      if (sigismember(&s, number) == 1) sigdelset(&restored, number);
    std::memcpy(&back->__saved_mask, &restored, sizeof restored);
    siglongjmp(back, 1);
  }));
  made.push_back(of("setcontext", [](const sigset_t&) -> long {
    has_jumped = false;
    getcontext(&context_back);
    if (has_jumped) return 0;
    has_jumped = true;
    sigdelset(&context_back.uc_sigmask, kept_back());
    setcontext(&context_back);
    return -1;
  }));
  const auto set = [](int how, const sigset_t* to) -> call {
    return [how, to](place&) { return pthread_sigmask(how, to, nullptr); };
  };
  made[0].ways.push_back({"EINVAL", [](place&) {
                            const sigset_t none{};
                            return pthread_sigmask(77, &none, nullptr);
                          }});
  made[0].ways.push_back({"asks", set(77, nullptr)});
  return made;
}
