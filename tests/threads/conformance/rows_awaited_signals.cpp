// Calls that wait for a signal which the caller blocks, and those that let one in.
#include "row.hpp"

#include <cerrno>

namespace {

int awaited() { return SIGRTMIN + 5; }
thread_local volatile int come = 0;

void block_it(place&) {
  static const bool once = [] {
    struct sigaction how {};
    how.sa_handler = [](int) { come = come + 1; };
    how.sa_flags = SA_RESTART;
    return sigaction(awaited(), &how, nullptr) == 0;
  }();
  (void)once;
  come = 0;
  const sigset_t it = only(awaited());
  pthread_sigmask(SIG_BLOCK, &it, nullptr);
}
void send(place& p) { pthread_kill(p.caller, awaited()); }
void send_value(place& p) {
  sigval with{};
  with.sival_int = 7;
  pthread_sigqueue(p.caller, awaited(), with);
}
/// Two are pending, and one is left.
void send_two(place& p) {
  block_it(p);
  send_value(p);
  send_value(p);
}
void send_before(place& p) {
  block_it(p);
  send(p);
}
/// In its own kernel thread: it takes a seat afterwards.
void send_without_seat(place& p) {
  block_it(p);
  usleep(500);
  send(p);
  for (int i = 0; i < 10; ++i) sched_yield();
}
void note_rest(place& p) {
  const int error = errno;
  sigset_t pending;
  sigpending(&pending);
  p.note("%d handled, %s pending", come, sigismember(&pending, awaited()) == 1 ? "one" : "none");
  // Not into the next experiment, in whose thread a handler would run.
  const sigset_t it = only(awaited());
  const timespec at_once{0, 0};
  while (sigtimedwait(&it, nullptr, &at_once) > 0) {
  }
  errno = error;
}
long note_info(place& p, long found, const siginfo_t& why) {
  const int error = errno;
  if (found > 0) {
    const char* const how = why.si_code == SI_TKILL   ? "sent to the thread"
                            : why.si_code == SI_QUEUE ? "with a value"
                                                      : "otherwise";
    p.note("%s, %s, value %d", how, why.si_pid == getpid() ? "own" : "another's",
           why.si_code == SI_QUEUE ? why.si_value.sival_int : 0);
    if (found != why.si_signo) p.note("another number");
  }
  errno = error;
  return found > 0 ? found - SIGRTMIN : found;
}

void add_arrivals(row& to, const call& run) {
  to.ways.push_back({"is pending", run, {}, send_before});
  to.ways.push_back({"is pending without a seat", run, {}, send_without_seat});
  to.ways.push_back({"two are pending", run, {}, send_two});
  to.ways.push_back({"is woken", run, {}, block_it, send});
  to.ways.push_back({"is woken with a value", run, {}, block_it, send_value});
}

row of_wait() {
  row made{"sigwait", returns::error, point | restarts_not, {}, note_rest};
  add_arrivals(made, [](place& p) {
    const sigset_t it = only(awaited());
    int number = 0;
    const int found = sigwait(&it, &number);
    if (found == 0) p.note("number %d", number - SIGRTMIN);
    return found;
  });
  return made;
}
row of_info() {
  row made{"sigwaitinfo", returns::minus_one, point | never_restarts, {}, note_rest};
  add_arrivals(made, [](place& p) {
    const sigset_t it = only(awaited());
    siginfo_t why{};
    return note_info(p, sigwaitinfo(&it, &why), why);
  });
  made.ways.push_back({"EFAULT", [](place&) { return sigwaitinfo(reinterpret_cast<sigset_t*>(8), nullptr); }, {}, block_it});
  return made;
}
row of_time() {
  row made{"sigtimedwait", returns::minus_one, point | never_restarts, {}, note_rest};
  const call run = [](place& p) {
    const sigset_t it = only(awaited());
    siginfo_t why{};
    const timespec most = p.time.tv_sec != 0 || p.time.tv_nsec != 0 ? p.time : timespec{1000, 0};
    return note_info(p, sigtimedwait(&it, &why, &most), why);
  };
  add_arrivals(made, run);
  const auto in = [](timespec time, bool kept) -> act {
    return [=](place& p) {
      block_it(p);
      p.time = time;
      if (kept) p.keep(CLOCK_MONOTONIC, at(CLOCK_MONOTONIC, a_moment));
    };
  };
  made.ways.push_back({"limit", run, {}, in(timespec_of(a_moment), true)});
  made.ways.push_back({"no time", [](place& p) {
                         const sigset_t it = only(awaited());
                         const timespec at_once{0, 0};
                         siginfo_t why{};
                         return note_info(p, sigtimedwait(&it, &why, &at_once), why);
                       }, {}, block_it});
  made.ways.push_back({"EINVAL", run, {}, in({0, 1'000'000'000}, false)});
  made.ways.push_back({"EINVAL of a negative time", run, {}, in({-1, 0}, false)});
  return made;
}
/// A handler ends it: always EINTR.
row of_pause(const char* name, long (*run)()) {
  row made{name, returns::minus_one, point | never_restarts, {}, note_rest};
  const call wait = [run](place&) { return run(); };
  made.ways.push_back({"is pending", wait, {}, send_before});
  made.ways.push_back({"is pending without a seat", wait, {}, send_without_seat});
  made.ways.push_back({"is woken", wait, {}, block_it, send});
  return made;
}

}  // namespace

extern "C" int __xpg_sigpause(int);

rows rows_of_awaited_signals() {
  return {of_wait(), of_info(), of_time(),
          of_pause("sigsuspend", []() -> long {
            sigset_t meanwhile;
            pthread_sigmask(SIG_SETMASK, nullptr, &meanwhile);
            sigdelset(&meanwhile, awaited());
            return sigsuspend(&meanwhile);
          }),
          of_pause("__xpg_sigpause", []() -> long { return __xpg_sigpause(awaited()); }),
          of_pause("sigpause", []() -> long { return sigpause(awaited()); })};
}
