// Real-time signals of one number come in the order in which they were sent, wherever the thread is meanwhile.
#include "threads.hpp"

namespace {

const int number = SIGRTMIN + 1;
constexpr int before_seat = 3, in_seat = 3, most = 12;

thread_local volatile int got[most], so_many = 0;
void handle() {
  struct sigaction action {};
  action.sa_sigaction = [](int, siginfo_t* why, void*) {
    if (so_many < most) got[so_many] = why->si_value.sival_int;
    so_many = so_many + 1;
  };
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  CHECK(sigaction(number, &action, nullptr) == 0);
}
void change(int how) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  CHECK(pthread_sigmask(how, &signals, nullptr) == 0);
}
/// All that have been sent, each behind the one before.
void check_order(int sent) {
  CHECK(so_many == sent);
  for (int i = 0; i < sent && i < most; ++i) CHECK(got[i] == i);
}
void send(pthread_t to, int from, int end) {
  for (int i = from; i < end; ++i) CHECK(pthread_sigqueue(to, number, sigval{.sival_int = i}) == 0);
}
/// Without a call, so it does not take its seat.
void spin_until(const std::atomic<bool>& it) {
  while (!it) {
  }
}
void yield_until(const std::atomic<bool>& it) {
  while (!it) sched_yield();
}

/// Blocked ones, sent before and after the thread takes its seat.
void blocked_before_and_after_a_seat() {
  handle();
  const others so_many_threads;
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> blocks{false}, sent{false}, has_seat{false}, all_sent{false};
    const function run = [&]() -> void* {
      change(SIG_BLOCK);
      blocks = true;
      spin_until(sent);
      for (int i = 0; i < 3; ++i) sched_yield();
      has_seat = true;
      yield_until(all_sent);
      CHECK(so_many == 0);
      change(SIG_UNBLOCK);
      check_order(before_seat + in_seat);
      return nullptr;
    };
    pthread_t thread{};
    CHECK(pthread_create(&thread, nullptr, [](void* what) { return (*static_cast<const function*>(what))(); },
                         const_cast<function*>(&run)) == 0);
    CHECK(soon([&] { return blocks.load(); }));
    send(thread, 0, before_seat);
    sent = true;
    CHECK(soon([&] { return has_seat.load(); }));
    send(thread, before_seat, before_seat + in_seat);
    all_sent = true;
    result_of(thread);
  }
}

/// Blocked ones, sent while the thread goes to its own kernel thread, which is to have another name.
void blocked_while_it_leaves_its_seat() {
  handle();
  const others so_many_threads;
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> blocks{false}, all_sent{false};
    const pthread_t thread = start([&]() -> void* {
      change(SIG_BLOCK);
      blocks = true;
      for (int i = 0; i < 10; ++i) sched_yield();
      CHECK(pthread_setname_np(pthread_self(), "home") == 0);
      yield_until(all_sent);
      change(SIG_UNBLOCK);
      check_order(most);
      return nullptr;
    });
    yield_until(blocks);
    send(thread, 0, most);
    all_sent = true;
    result_of(thread);
  }
}

const subject subjects[] = {{"blocked before and after a seat", blocked_before_and_after_a_seat},
                            {"blocked while it leaves its seat", blocked_while_it_leaves_its_seat}};

}  // namespace

int main() { return run_all(subjects); }
