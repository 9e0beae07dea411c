// A signal for a member is handled in its name and soon, wherever it is.
#include "team.hpp"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

namespace {

thread_local volatile int came;
std::atomic<int> all_came, elsewhere;

void note(int) {
  if (member_here < 0) ++elsewhere;
  came = came + 1;
  ++all_came;
}

std::vector<pthread_t> threads(static_cast<std::size_t>(members));
void send_to(int member) { CHECK(pthread_kill(threads[static_cast<std::size_t>(member)], SIGUSR1) == 0); }
/// All know each other.
template <class Run>
void team_that_sends(int flags, Run run) {
  handle(SIGUSR1, note, flags);
  team([&](int me) {
    came = 0;
    threads[static_cast<std::size_t>(me)] = pthread_self();
    meet();
    run(me);
    meet();
  });
  CHECK(elsewhere == 0);
}

void one_that_computes() {
  std::atomic<bool> sent{false};
  team_that_sends(SA_RESTART, [&](int me) {
    if (me == 0) {
      sleep_for(0.02);
      send_to(1);
      sent = true;
    }
    if (me == 1) {
      const double until = now_s() + patience;
      while (came == 0 && now_s() < until) {
      }
    }
    meet();
    CHECK(came == (me == 1));
  });
}

void one_that_waits_for_the_others() {
  static std::atomic<int> handled;
  handled = 0;
  handle(SIGUSR1, note, SA_RESTART);
  team_that_sends(SA_RESTART, [&](int me) {
    static std::atomic<bool> at_barrier;
    if (me == 1) at_barrier = true;
    if (me == 0) {
      while (!at_barrier) sleep_for(0.001);
      sleep_for(0.02);
      handle(SIGUSR1, [](int number) {
        note(number);
        ++handled;
      });
      send_to(1);
      CHECK(within(patience, [] { return handled == 1; }));  // before it is let go
    }
    meet();
    CHECK(came == (me == 1));
  });
}

void all_to_all() {
  team_that_sends(SA_RESTART, [&](int me) {
    for (int i = 1; i <= 30; ++i) {
      send_to((me + i) % members);
      compute(0.0005);
      meet();
      CHECK(within(patience, [&] { return came == i; }));
      meet();
    }
  });
}

/// Member 1 handles it at once, again and again until its call has ended: it may have handled some before the call.
void send_until(const std::atomic<bool>& ended) {
  for (int sent = 1; !ended && sent < 100; ++sent) {
    sleep_for(0.02);
    send_to(1);
    CHECK(within(patience, [&] { return all_came == sent; }));
    within(0.1, [&] { return ended.load(); });
  }
}

// Without SA_RESTART the call ends.
template <bool Restarts>
void one_that_reads() {
  int ends[2];
  CHECK(pipe(ends) == 0);
  team_that_sends(Restarts ? SA_RESTART : 0, [&](int me) {
    static std::atomic<bool> reads, others_go_on;
    if (me == 1) {
      char byte = 0;
      reads = true;
      errno = 0;
      const ssize_t count = read(ends[0], &byte, 1);
      if (Restarts) CHECK(count == 1 && byte == 'x' && came == 1);
      else CHECK(count == -1 && errno == EINTR && came >= 1);
      others_go_on = true;
    } else if (me == 0) {
      while (!reads) sleep_for(0.001);
      if (Restarts) {
        sleep_for(0.05);
        send_to(1);
        sleep_for(0.05);
        CHECK(write(ends[1], "x", 1) == 1);
      } else {
        send_until(others_go_on);
      }
    } else if (me % 2 == 0) {
      while (!others_go_on) compute(0.001);
    }
    meet();
  });
}

void one_that_sleeps() {
  team_that_sends(SA_RESTART, [&](int me) {
    static std::atomic<bool> sleeps, woken;
    if (me == 1) {
      const timespec duration{60, 0};
      timespec left{};
      sleeps = true;
      CHECK(nanosleep(&duration, &left) == -1 && errno == EINTR);
      CHECK(came >= 1 && left.tv_sec < 60);
      woken = true;
    } else if (me == 0) {
      while (!sleeps) sleep_for(0.001);
      send_until(woken);
    }
    meet();
  });
}

// Its own number is good for the kernel's call, too.
void by_the_kernels_number() {
  team_that_sends(SA_RESTART, [&](int) {
    for (int i = 1; i <= 1000; ++i) {
      if (i % 100 == 0) meet();
      compute(20e-6);
      syscall(SYS_tgkill, getpid(), kernel_thread(), SIGUSR1);
      CHECK(came == i);
    }
  });
}

void a_thread_beside_sends() {
  std::atomic<int> sent{0};
  pthread_t sender;
  team_that_sends(SA_RESTART, [&](int me) {
    if (me == 0) {
      pthread_create(&sender, nullptr, [](void* given) -> void* {
        for (int i = 0; i < 20; ++i) {
          for (int m = 0; m < members; ++m) send_to(m);
          ++*static_cast<std::atomic<int>*>(given);
          sleep_for(0.002);
        }
        return nullptr;
      }, &sent);
    }
    for (int i = 0; i < 30; ++i) {
      compute(0.001);
      meet();
    }
    if (me == 0) pthread_join(sender, nullptr);
    meet();
    CHECK(within(patience, [] { return came > 0; }));  // those that wait at once count once
  });
}

// Real-time signals come each, in the order in which they were sent, and each signal with its value, whatever the receiver does.
enum class receiver { computes, waits, blocks_them };
std::atomic<int> values[8], values_known;
void note_value(int, siginfo_t* why, void*) {
  note(0);
  values[values_known++] = why->si_code == SI_QUEUE && why->si_pid == getpid() ? why->si_value.sival_int : -1;
}
template <receiver What>
void values_for() {
  const int first = SIGRTMIN + 1, second = SIGRTMIN + 2;
  for (const int number : {first, second, SIGUSR2}) {
    struct sigaction action {};
    action.sa_sigaction = note_value;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    action.sa_mask = set_of({first, second, SIGUSR2});
    sigaction(number, &action, nullptr);
  }
  team_that_sends(SA_RESTART, [&](int me) {
    static std::atomic<bool> ready, sent;
    if (me == 1) {
      if (What == receiver::blocks_them)
        for (const int number : {first, second, SIGUSR2}) block(number);
      ready = true;
      const double until = now_s() + patience;
      while (What == receiver::computes && came < 6 && now_s() < until) {
      }
      if (What == receiver::blocks_them) {
        while (!sent) compute(0.001);
        CHECK(came == 0);
        for (const int number : {SIGUSR2, second, first}) unblock(number);
      }
    } else if (me == 0) {
      while (!ready) sleep_for(0.001);
      sleep_for(0.02);
      const auto send = [&](int number, int value) {
        sigval with{};
        with.sival_int = value;
        CHECK(pthread_sigqueue(threads[1], number, with) == 0);
      };
      send(SIGUSR2, 1);
      for (int i = 2; i <= 4; ++i) send(first, i);
      for (int i = 5; i <= 6; ++i) send(second, i);
      sent = true;
    }
    meet();
    const int as_sent[] = {1, 2, 3, 4, 5, 6}, as_unblocked[] = {1, 5, 6, 2, 3, 4};
    const int* const expected = What == receiver::blocks_them ? as_unblocked : as_sent;
    CHECK(came == (me == 1 ? 6 : 0));
    for (int i = 0; me == 1 && i < 6; ++i) CHECK(values[i] == expected[i]);
  });
}

// What waits for a member that forks is the parent's.
void a_child_has_none() {
  const int number = SIGRTMIN + 1;
  handle(number, note, 0);
  team_that_sends(SA_RESTART, [&](int me) {
    static std::atomic<bool> ready, sent;
    if (me == 1) {
      block(number);
      ready = true;
      while (!sent) compute(0.001);
      const pid_t child = fork();
      if (child == 0) {
        sigset_t waits;
        unblock(number);
        _exit(came == 0 && sigpending(&waits) == 0 && sigismember(&waits, number) == 0 ? 0 : 1);
      }
      int status = -1;
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      CHECK(came == 0);
      unblock(number);
      CHECK(came == 1);
    } else if (me == 0) {
      while (!ready) sleep_for(0.001);
      CHECK(pthread_kill(threads[1], number) == 0);
      sent = true;
    }
    meet();
  });
}

void many_real_time_signals() {
  handle(SIGRTMIN, note, SA_RESTART);
  team_that_sends(SA_RESTART, [&](int me) {
    if (me == 0)
      for (int i = 0; i < 10; ++i) CHECK(pthread_kill(threads[1], SIGRTMIN) == 0);
    meet();
    CHECK(came == (me == 1 ? 10 : 0));
  });
}

// Its own number is that of the thread which is to be told of a file.
void a_file_tells_a_member() {
  handle(SIGRTMIN, note, SA_RESTART);
  team_that_sends(SA_RESTART, [](int me) {
    static int ends[2];
    if (me == 1) {
      CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
      const f_owner_ex owner{F_OWNER_TID, kernel_thread()};
      CHECK(fcntl(ends[0], F_SETOWN_EX, &owner) == 0 && fcntl(ends[0], F_SETSIG, SIGRTMIN) == 0);
      CHECK(fcntl(ends[0], F_SETOWN_EX, nullptr) == -1 && errno == EFAULT);
      CHECK(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
    }
    meet();
    if (me == 0) CHECK(write(ends[1], "x", 1) == 1);
    if (me == 1) {
      for (const double until = now_s() + patience; came == 0 && now_s() < until;) {
      }
    }
    meet();
    CHECK(came == (me == 1 ? 1 : 0));
  });
}

void a_member_reads_signals() {
  team_that_sends(SA_RESTART, [](int me) {
    int file = -1;
    if (me == 1) {
      block(SIGUSR1);
      const sigset_t signals = set_of({SIGUSR1});
      file = signalfd(-1, &signals, 0);
    }
    for (int i = 0; i < 5; ++i) {
      meet();
      if (me == 0) CHECK(pthread_kill(threads[1], SIGUSR1) == 0);
      signalfd_siginfo information{};
      if (me == 1) CHECK(read(file, &information, sizeof information) == sizeof information && information.ssi_signo == SIGUSR1);
    }
    meet();
  });
}

// ---- what the functions return

/// Those of POSIX threads return an error's number; the others return -1, and leave the number in errno.
struct way {
  const char* name;
  bool by_errno, names_group;
  long (*send)(pthread_t thread, pid_t group, pid_t id, int number);
};
siginfo_t with_value(int number) {
  siginfo_t why{};
  why.si_signo = number;
  why.si_code = SI_QUEUE;
  why.si_pid = getpid();
  return why;
}
const way ways[] = {
    {"pthread_kill", false, false, [](pthread_t t, pid_t, pid_t, int number) -> long { return pthread_kill(t, number); }},
    {"pthread_sigqueue", false, false,
     [](pthread_t t, pid_t, pid_t, int number) -> long { return pthread_sigqueue(t, number, {}); }},
    {"tgkill", true, true, [](pthread_t, pid_t group, pid_t id, int number) -> long { return tgkill(group, id, number); }},
    {"SYS_tgkill", true, true,
     [](pthread_t, pid_t group, pid_t id, int number) { return syscall(SYS_tgkill, group, id, number); }},
    {"SYS_tkill", true, false, [](pthread_t, pid_t, pid_t id, int number) { return syscall(SYS_tkill, id, number); }},
    {"SYS_rt_tgsigqueueinfo", true, true,
     [](pthread_t, pid_t group, pid_t id, int number) {
       siginfo_t why = with_value(number);
       return syscall(SYS_rt_tgsigqueueinfo, group, id, number, &why);
     }},
};
constexpr int unchanged = 77;

void returns(const char* name, int error, bool by_errno, long result) {
  const int now = errno;
  const bool so = by_errno && error != 0 ? result == -1 && now == error : result == error && now == unchanged;
  if (!so) std::fprintf(stderr, "%s: %ld, errno %d, not %d\n", name, result, now, error);
  CHECK(so);
}

void what_they_return() {
  std::vector<pid_t> ids(static_cast<std::size_t>(members));
  std::atomic<pid_t> ended{0};
  pthread_t other_thread;
  CHECK(pthread_create(&other_thread, nullptr, [](void* to) -> void* {
    *static_cast<std::atomic<pid_t>*>(to) = gettid();
    return nullptr;
  }, &ended) == 0 && pthread_join(other_thread, nullptr) == 0);
  CHECK(within(patience, [&] { return syscall(SYS_tgkill, getpid(), ended.load(), 0) == -1; }));
  team_that_sends(SA_RESTART, [&](int me) {
    ids[static_cast<std::size_t>(me)] = gettid();
    meet();
    for (const way& by : ways) {
      const auto sends_to = [&](int member, pid_t group, int number, int error) {
        errno = unchanged;
        const auto which = static_cast<std::size_t>(member);
        returns(by.name, error, by.by_errno, by.send(threads[which], group, ids[which], number));
      };
      const int other = (me + 1) % members, before = came;
      sends_to(me, getpid(), SIGUSR1, 0);
      CHECK(came == before + 1);
      for (const int whom : {me, other}) {
        sends_to(whom, getpid(), 0, 0);
        sends_to(whom, getpid(), 65, EINVAL);
        sends_to(whom, getpid(), -1, EINVAL);
        if (!by.by_errno) sends_to(whom, getpid(), SIGRTMIN - 1, EINVAL);  // the C library's own
        if (by.names_group) sends_to(whom, getppid(), SIGUSR1, ESRCH);
        if (by.names_group) sends_to(whom, -1, SIGUSR1, EINVAL);
      }
      meet();
      const int so_far = came;
      meet();
      sends_to(other, getpid(), SIGUSR1, 0);
      CHECK(within(patience, [&] { return came == so_far + 1; }));
      const auto sends_to_number = [&](pid_t id, int error) {
        errno = unchanged;
        returns(by.name, error, true, by.send({}, getpid(), id, SIGUSR1));
      };
      if (!by.by_errno) continue;
      sends_to_number(ended, ESRCH);
      sends_to_number(0, EINVAL);
      sends_to_number(-1, EINVAL);
      if (by.names_group) sends_to_number(getppid(), ESRCH);
    }
    meet();
  });
}

}  // namespace

int main() {
  subject("one that computes", one_that_computes);
  subject("one that waits for the others", one_that_waits_for_the_others);
  subject("all to all", all_to_all);
  subject("one that reads ends", one_that_reads<false>);
  subject("one that reads goes on", one_that_reads<true>);
  subject("one that sleeps", one_that_sleeps);
  subject("by the kernel's number", by_the_kernels_number);
  subject("a thread beside sends", a_thread_beside_sends);
  subject("values for one that computes", values_for<receiver::computes>);
  subject("values for one that waits", values_for<receiver::waits>);
  subject("values for one that blocks them", values_for<receiver::blocks_them>);
  subject("a child has none", a_child_has_none);
  subject("many real-time signals", many_real_time_signals);
  subject("a file tells a member", a_file_tells_a_member);
  subject("a member reads signals", a_member_reads_signals);
  subject("what the functions return", what_they_return);
  return verdict();
}
