#include "member.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

namespace {

int jumping() { return a_signal(4); }
int of_timers() { return SIGRTMIN + 6; }
int never_sent() { return SIGRTMIN + 7; }

void note(int number) {
  const int before = errno;
  if (self == nullptr) {
    ++strays;
  } else {
    self->handled[number] = self->handled[number] + 1;
    if (self->owns(&number)) self->on_alternate_stack = self->on_alternate_stack + 1;
    if (number == a_signal(3)) compute(0.002);
    if (number == jumping() && self->jumps) siglongjmp(self->jump, 1);
  }
  errno = before;
}

sigset_t some() {
  sigset_t signals;
  sigemptyset(&signals);
  for (unsigned i = 0; i < kinds_of_signals; ++i) {
    if (draw(2) == 0) sigaddset(&signals, a_signal(i));
  }
  return signals;
}

void change_the_mask() {
  static constexpr int ways[] = {SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK};
  const int how = ways[draw(3)];
  sigset_t signals = some();
  if (how == SIG_SETMASK) sigaddset(&signals, SIGCHLD);
  sigset_t before;
  say_error("sigmask", pthread_sigmask(how, &signals, &before));
  say(" was %s", digits(before).c_str());
}

void send(int number) {
  switch (draw(3)) {
    case 0: return say_result("raise", raise(number));
    case 1: return say_error("pthread_kill", pthread_kill(pthread_self(), number));
    default: {
      sigval with{};
      with.sival_int = 7;
      return say_error("pthread_sigqueue", pthread_sigqueue(pthread_self(), number, with));
    }
  }
}
void send_to_itself() { send(a_signal(draw(kinds_of_signals))); }
void send_many_to_itself() {
  for (unsigned count = 1 + draw(30); count > 0; --count) raise(a_signal(0));
  say(" handled %d", self->handled[a_signal(0)]);
}

void look_what_is_pending() {
  sigset_t signals;
  say_result("sigpending", sigpending(&signals));
  sigdelset(&signals, SIGCHLD);
  say(" %s", digits(signals).c_str());
}

// One that is pending ends it, one that nobody sends does not.
void wait_with_another_mask() {
  const int number = a_signal(draw(kinds_of_signals));
  const sigset_t own = mask_now();
  block(number);
  const bool sent = draw(3) != 0;
  if (sent) raise(number);
  sigset_t with = own;
  sigdelset(&with, number);
  sigset_t waiting;
  sigpending(&waiting);  // from before, too
  const bool ends = sigismember(&waiting, number) == 1;
  const timespec limit = ends ? timespec{5, 0} : timespec{0, 1'000'000};
  epoll_event event;
  switch (draw(ends ? 4 : 3)) {
    case 0: say_result("ppoll", ppoll(nullptr, 0, &limit, &with)); break;
    case 1: say_result("pselect", pselect(0, nullptr, nullptr, nullptr, &limit, &with)); break;
    case 2: {
      const int epoll = epoll_create1(0);
      say_result("epoll_pwait", epoll_pwait(epoll, &event, 1, ends ? 5000 : 1, &with));
      close(epoll);
      break;
    }
    default: say_result("sigsuspend", sigsuspend(&with));
  }
  say(" mask %s", mask_digits().c_str());
  pthread_sigmask(SIG_SETMASK, &own, nullptr);
}

void wait_for_a_signal() {
  const int number = a_signal(draw(kinds_of_signals));
  const sigset_t own = mask_now();
  block(number);
  raise(number);
  const sigset_t signals = set_of({number});
  siginfo_t what{};
  const timespec limit{5, 0};
  if (draw(2) == 0) {
    const int got = sigtimedwait(&signals, &what, &limit);
    say(" sigtimedwait %d", got == number);
  } else {
    int got = 0;
    say_error("sigwait", sigwait(&signals, &got));
    say(" %d", got == number);
  }
  pthread_sigmask(SIG_SETMASK, &own, nullptr);
}
void wait_for_none() {
  const sigset_t signals = set_of({never_sent()});
  const timespec limit{0, 1'000'000};
  say_result("sigtimedwait", sigtimedwait(&signals, nullptr, &limit));
}

void change_the_alternate_stack() {
  stack_t stack{}, before;
  stack.ss_sp = self->alternate_stack.data();
  stack.ss_size = self->alternate_stack.size();
  if (draw(3) == 0) stack.ss_flags = SS_DISABLE;
  say_result("sigaltstack", sigaltstack(&stack, &before));
  say(" was %s", before.ss_flags == SS_DISABLE ? "none" : before.ss_sp == self->alternate_stack.data() ? "own" : "another's");
}

void jump_out_of_a_handler() {
  const std::string before = mask_digits();
  if (sigsetjmp(self->jump, 1) == 0) {
    self->jumps = true;
    unblock(jumping());
    raise(jumping());
    self->jumps = false;
    say(" stayed");
  } else {
    self->jumps = false;
    say(" jumped, mask %s", mask_digits() == before ? "as before" : mask_digits().c_str());
  }
}

void set_a_timer_for_itself() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = of_timers();
  event._sigev_un._tid = kernel_thread();
  timer_t timer;
  const int before = self->handled[of_timers()];
  const itimerspec soon{{}, {0, 200'000}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &soon, nullptr) != 0) return say(" no timer");
  for (const double until = now_s() + patience; self->handled[of_timers()] == before && now_s() < until;) {
    const timespec moment{0, 300'000};
    nanosleep(&moment, nullptr);
  }
  say(" expired %d", self->handled[of_timers()] - before);
  timer_delete(timer);
}

constexpr call rows[] = {
    {"mask", 6, change_the_mask},           {"send", 6, send_to_itself},
    {"send many", 2, send_many_to_itself},  {"pending", 2, look_what_is_pending},
    {"other mask", 3, wait_with_another_mask}, {"wait for", 2, wait_for_a_signal},
    {"wait for none", 1, wait_for_none},    {"stack", 3, change_the_alternate_stack},
    {"jump", 2, jump_out_of_a_handler},     {"timer", 1, set_a_timer_for_itself},
};

}  // namespace

int a_signal(unsigned which) {
  const int numbers[kinds_of_signals] = {SIGUSR1, SIGUSR2, SIGRTMIN + 1, SIGRTMIN + 2, SIGRTMIN + 3, SIGHUP};
  return numbers[which];
}

void handle_signals() {
  handle(a_signal(0), note, SA_ONSTACK | SA_RESTART);
  handle(a_signal(1), note, 0);
  struct sigaction blocking {};
  blocking.sa_handler = note;
  for (unsigned i = 0; i < kinds_of_signals; ++i) sigaddset(&blocking.sa_mask, a_signal(i));
  blocking.sa_flags = SA_RESTART;
  sigaction(a_signal(2), &blocking, nullptr);
  handle(a_signal(3), note, SA_ONSTACK | SA_RESTART);
  handle(a_signal(4), note, SA_RESTART);
  handle(a_signal(5), note, SA_NODEFER | SA_RESTART);
  handle(of_timers(), note, SA_RESTART);
}

std::string digits(const sigset_t& signals) {
  std::string text;
  for (unsigned i = 0; i < kinds_of_signals; ++i) text += sigismember(&signals, a_signal(i)) == 1 ? '1' : '0';
  for (int number = 1; number < 65; ++number) {
    bool ours = false;
    for (unsigned i = 0; i < kinds_of_signals; ++i) ours |= number == a_signal(i);
    if (!ours && sigismember(&signals, number) == 1) text += "+" + std::to_string(number);
  }
  return text;
}

std::span<const call> calls_of_signals() { return rows; }
