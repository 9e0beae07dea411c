#include "experiments.hpp"

#include "../seats.hpp"

#include <cerrno>

#include <sys/wait.h>

namespace {

constexpr int no_errno = 4077;       // no function sets it
constexpr double patience_s = 30;    // a caller that should have gone on by itself is woken then, and says so
const int interrupts = SIGUSR1, interrupts_and_restarts = SIGUSR2;
int runs_in_handler() { return SIGRTMIN + 1; }
int blocked_before() { return SIGRTMIN + 9; }

struct running {
  const row& of;
  const way& by;
  const during what;
  place& p;
  std::string said;
  bool had_seat = false;
  std::atomic<bool> ready{false}, goes{false}, begun{false}, done{false};
  std::atomic<int> handled{0};
};
thread_local running* self = nullptr;
thread_local std::atomic<int>* handled_here = nullptr;

unsigned flags(const row& of, const way& by) { return of.how | by.how; }

std::string name_of_error(int error) {
  const char* const name = strerrorname_np(error);
  return error == 0 ? "0" : name != nullptr ? name : std::to_string(error);
}
std::string difference(const sigset_t& before, const sigset_t& after) {
  std::string text;
  for (int number = 1; number < 65; ++number) {
    const int was = sigismember(&before, number), is = sigismember(&after, number);
    if (was != is) text += (is == 1 ? " +" : " -") + std::to_string(number);
  }
  return text.empty() ? " mask kept" : " mask" + text;
}
bool is_before(const timespec& one, const timespec& other) {
  return one.tv_sec != other.tv_sec ? one.tv_sec < other.tv_sec : one.tv_nsec < other.tv_nsec;
}

/// The call, and all that its caller can see.
void perform(running& trial) {
  place& p = trial.p;
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  trial.had_seat = has_seat();
  trial.begun = true;
  errno = no_errno;
  const long found = trial.by.run(p);
  const int error = errno;
  timespec now{};
  if (p.by != -1) clock_gettime(p.by, &now);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  int cancel_state = -1, cancel_type = -1;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &cancel_type);
  std::string text;
  switch (trial.of.with) {
    case returns::error: text = name_of_error(static_cast<int>(found)); break;
    case returns::minus_one: text = found == -1 ? "-1 " + name_of_error(error) : std::to_string(found); break;
    case returns::nothing: break;
    default: text = std::to_string(found);
  }
  const bool says_why = trial.of.with == returns::minus_one && found == -1;
  if (!says_why) text += error == no_errno ? " errno kept" : " errno " + name_of_error(error);
  text += difference(before, after);
  if (cancel_type != PTHREAD_CANCEL_DEFERRED) text += " may be cancelled anywhere";
  if (p.by != -1) text += is_before(now, p.until) ? " EARLY" : " not early";
  if (trial.of.state) trial.of.state(p);
  trial.said += text + p.notes;
  p.notes.clear();
  pthread_setcancelstate(cancel_state, nullptr);
}

void perform_in_child(running& trial) {
  int ends[2];
  if (pipe(ends) != 0) return trial.said += "no pipe", void();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    if (trial.by.begin) trial.by.begin(trial.p);  // here, since a lock of the thread that has forked is not the child's
    perform(trial);
    const std::string text = trial.said;
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  char text[512];
  for (ssize_t size; (size = read(ends[0], text, sizeof text)) != 0;) {
    if (size > 0) trial.said.append(text, static_cast<std::size_t>(size));
    else if (errno != EINTR) break;
  }
  close(ends[0]);
  int status = -1;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  if (status != 0) trial.said += " child's status " + std::to_string(status);
}

void note_cancelled(void* given) {
  running& trial = *static_cast<running*>(given);
  trial.said += trial.said.empty() ? "cancelled" : ", cancelled later";
  if (trial.of.state && trial.said == "cancelled") trial.of.state(trial.p);
  trial.said += trial.p.notes;
  trial.done = true;
}

bool has_pending_cancel(during what) { return what == during::cancelled_before || what == during::cancel_disabled; }

void* run_caller(void* given) {
  running& trial = *static_cast<running*>(given);
  self = &trial;
  handled_here = &trial.handled;
  trial.p.caller = pthread_self();
  trial.p.caller_number = gettid();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, blocked_before());
  pthread_sigmask(SIG_BLOCK, &some, nullptr);
  trial.ready = true;
  while (!trial.goes) sched_yield();
  if (trial.by.begin && trial.what != during::in_child) trial.by.begin(trial.p);
  for (int i = 0; i < 200 && seats_are_wanted() && !has_seat(); ++i) sched_yield();
  pthread_cleanup_push(note_cancelled, &trial);
  if (trial.what != during::cancel_disabled) pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  if (trial.what == during::in_child)
    perform_in_child(trial);
  else if (trial.what == during::in_handler)
    raise(runs_in_handler());
  else
    perform(trial);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_testcancel();
  pthread_cleanup_pop(0);
  trial.done = true;
  return nullptr;
}

void nap(double seconds) {
  const timespec time = timespec_of(seconds);
  nanosleep(&time, nullptr);
}

/// What the driver does while the call lasts.
void accompany(running& trial, pthread_t caller) {
  const unsigned how = flags(trial.of, trial.by);
  const auto is_done = [&] { return trial.done.load() || trial.begun.load(); };
  while (!is_done()) nap(0.0002);
  const auto wake = [&] {
    if (!trial.done) trial.by.wake(trial.p);
    while ((how & again) != 0 && !trial.done) nap(0.0005), trial.by.wake(trial.p);
  };
  const double late = now_s() + patience_s;
  const auto goes_on_by_itself = [&](auto meanwhile) {
    while (!trial.done && now_s() < late) meanwhile(), nap(0.0005);
    if (trial.done) return;
    trial.p.note("woken, since it did not go on by itself");
    wake();
  };
  if (!trial.by.wake) return;
  nap(0.001);  // so that it waits mostly: what is said does not depend on that
  switch (trial.what) {
    case during::cancelled:
      pthread_cancel(caller);
      [[fallthrough]];
    case during::cancelled_before:
      if ((how & point) != 0) return goes_on_by_itself([] {});
      break;
    case during::handler:
    case during::restarting_handler: {
      const bool restarts = trial.what == during::restarting_handler;
      const int number = restarts ? interrupts_and_restarts : interrupts;
      if ((how & (restarts ? never_restarts : restarts_not)) == (restarts ? never_restarts : 0u))
        return goes_on_by_itself([&] { pthread_kill(caller, number); });
      for (int i = 0; i < 3 && !trial.done; ++i) {
        const int before = trial.handled;
        pthread_kill(caller, number);
        while (trial.handled == before && !trial.done) nap(0.0002);
      }
      break;
    }
    default: break;
  }
  wake();
}

}  // namespace

const char* name_of(during what) {
  constexpr const char* names[] = {"as it is", "cancellation disabled", "cancelled before", "cancelled",
                                   "handler", "handler with SA_RESTART", "in a handler", "in a child"};
  return names[static_cast<int>(what)];
}

bool applies(const row& of, const way& by, during what) {
  const unsigned how = flags(of, by);
  const bool waits = static_cast<bool>(by.wake);
  if (what != during::as_it_is && (how & once_only) != 0) return false;
  switch (what) {
    case during::as_it_is: return true;
    case during::cancel_disabled:
    case during::cancelled_before: return (how & no_cancel) == 0;
    case during::cancelled: return waits && (how & no_cancel) == 0;
    case during::handler:
    case during::restarting_handler: return waits && (how & no_signals) == 0;
    case during::in_handler: return (how & no_handler) == 0;
    default: return !waits && (how & no_child) == 0;
  }
}

result make(const row& of, const way& by, during what) {
  // Kept: robust mutexes and threads that have ended may still be named in the C library. On no stack: threads of a child take
  // those of its parent's.
  place& p = *new place;
  running& trial = *new running{of, by, what, p, {}};
  if (by.prepare) by.prepare(p);
  trial.goes = !has_pending_cancel(what);
  pthread_t caller;
  if (pthread_create(&caller, nullptr, run_caller, &trial) != 0) return {"no thread"};
  if (has_pending_cancel(what)) {
    while (!trial.ready) nap(0.0002);
    pthread_cancel(caller);
    trial.goes = true;
  }
  accompany(trial, caller);
  void* end = nullptr;
  pthread_join(caller, &end);
  p.goes_on = true;
  if (end == PTHREAD_CANCELED) trial.said += " (joined)";
  for (const int file : p.files) close(file);
  return {trial.said, trial.had_seat, what == during::in_child};
}

void set_handlers() {
  const auto handle = [](int number, void (*handler)(int), int how) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = how;
    sigaction(number, &action, nullptr);
  };
  const auto count = [](int) {
    if (handled_here != nullptr) ++*handled_here;
  };
  handle(interrupts, count, 0);
  handle(interrupts_and_restarts, count, SA_RESTART);
  handle(runs_in_handler(), [](int) {
    const int before = errno;
    perform(*self);
    errno = before;
  }, SA_RESTART);
}
