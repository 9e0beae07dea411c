// Calls that wait with a mask of their own: the signal that they wait for ends them, and the mask afterwards is the old one.
#include "team.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

extern "C" {
int checked_ppoll(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t) asm("__ppoll_chk");
// BSD's, which takes a mask, and POSIX's, which takes the signal that is let in.
int pause_with(int mask) asm("sigpause");
int pause_for(int number) asm("__xpg_sigpause");
}

namespace {

thread_local volatile int came;
void note(int) { came = came + 1; }

/// Each waits for a signal in its own way, half a minute at most.
struct way {
  const char* name;
  int (*wait)(const sigset_t* with);
};
const way ways[] = {
    {"ppoll", [](const sigset_t* with) {
       const timespec limit{30, 0};
       return ppoll(nullptr, 0, &limit, with);
     }},
    {"ppoll, checked", [](const sigset_t* with) {
       const timespec limit{30, 0};
       return checked_ppoll(nullptr, 0, &limit, with, 0);
     }},
    {"pselect", [](const sigset_t* with) {
       const timespec limit{30, 0};
       return pselect(0, nullptr, nullptr, nullptr, &limit, with);
     }},
    {"epoll_pwait", [](const sigset_t* with) {
       static thread_local const int epoll = epoll_create1(0);
       epoll_event event;
       return epoll_pwait(epoll, &event, 1, 30'000, with);
     }},
    {"sigsuspend", [](const sigset_t* with) { return sigsuspend(with); }},
    {"sigpause", [](const sigset_t* with) {
       int mask = 0;
       for (int number = 1; number < 32; ++number) mask |= sigismember(with, number) << (number - 1);
       return pause_with(mask);
     }},
    {"sigpause of POSIX", [](const sigset_t* with) {
       const sigset_t own = mask_now();
       int number = 1;
       while (sigismember(&own, number) == sigismember(with, number)) ++number;
       return pause_for(number);
     }},
};

/// The sender, and the member that is about to wait.
struct exchange {
  pthread_t thread;
  std::atomic<int> waits{0};
};
std::vector<exchange> them(static_cast<std::size_t>(members));
exchange& of(int member) { return them[static_cast<std::size_t>(member)]; }

void wait_for_one(const way& method, int me, int number) {
  const sigset_t own = mask_now();
  CHECK(sigismember(&own, number) == 1);
  sigset_t with = own;
  sigdelset(&with, number);
  came = 0;
  ++of(me).waits;
  const double begin = now_s();
  const int result = method.wait(&with);
  const int why = errno;
  if (result != -1 || why != EINTR || came != 1) {
    std::fprintf(stderr, "%s: %d, %s, %d came\n", method.name, result, std::strerror(why), came);
  }
  CHECK(result == -1 && why == EINTR && came == 1);
  CHECK(now_s() - begin < patience);
  CHECK(same(mask_now(), own));
}

/// Sends to each member that says it waits.
void* send(void* ends) {
  std::vector<int> sent(static_cast<std::size_t>(members));
  while (!static_cast<std::atomic<bool>*>(ends)->load()) {
    for (int m = 0; m < members; ++m) {
      if (int& so_far = sent[static_cast<std::size_t>(m)]; of(m).waits > so_far) {
        sleep_for(so_far % 3 == 0 ? 0 : 0.005);  // before it waits, or while
        ++so_far;
        pthread_kill(of(m).thread, SIGUSR1);
      }
    }
    sleep_for(0.0005);
  }
  return nullptr;
}

void another_thread_sends() {
  handle(SIGUSR1, note, 0);
  block(SIGUSR1);
  for (exchange& operation : them) operation.waits = 0;
  std::atomic<bool> ends{false};
  pthread_t sender;
  pthread_create(&sender, nullptr, send, &ends);
  team([](int me) {
    of(me).thread = pthread_self();
    for (const way& method : ways) {
      for (int i = 0; i < 4; ++i) {
        wait_for_one(method, me, SIGUSR1);
        if (i % 2 == 0) meet();
      }
    }
  });
  ends = true;
  pthread_join(sender, nullptr);
  CHECK(blocked(SIGUSR1));
}

// Half of the members send to the others, who wait; then the other way round.
void another_member_sends() {
  handle(SIGUSR1, note, 0);
  block(SIGUSR1);
  team([](int me) {
    of(me).thread = pthread_self();
    meet();
    for (const way& method : ways) {
      for (int turn = 0; turn < 2; ++turn) {
        const int before = of(me).waits;
        meet();
        if (me % 2 == turn) {
          wait_for_one(method, me, SIGUSR1);
        } else {
          const int to = me % 2 == 0 ? me + 1 : me - 1;
          if (to < members) {
            while (of(to).waits == before) sleep_for(0.0005);
            pthread_kill(of(to).thread, SIGUSR1);
          }
        }
        meet();
        if (me % 2 != turn) ++of(me).waits;
        CHECK(blocked(SIGUSR1));
      }
    }
  });
}

// A signal for the process, which all block but one that waits.
void the_process_is_sent_one() {
  handle(SIGUSR2, note, 0);
  block(SIGUSR2);
  std::atomic<int> turn{0};
  std::atomic<bool> ends{false};
  struct argument {
    std::atomic<int>* turn;
    std::atomic<bool>* ends;
  } shared{&turn, &ends};
  pthread_t sender;
  pthread_create(&sender, nullptr, [](void* given) -> void* {
    auto* to = static_cast<argument*>(given);
    for (int sent = 0; !*to->ends; sleep_for(0.002)) {
      if (*to->turn > sent) {
        ++sent;
        kill(getpid(), SIGUSR2);
      }
    }
    return nullptr;
  }, &shared);
  team([&](int me) {
    const way& by = ways[static_cast<std::size_t>(me) % std::size(ways)];
    for (int m = 0; m < members; ++m) {
      if (m == me) {
        ++turn;
        wait_for_one(by, me, SIGUSR2);
      } else if (m % 2 == me % 2) {
        compute(0.01);
      }
      meet();
      CHECK(blocked(SIGUSR2));
    }
  });
  ends = true;
  pthread_join(sender, nullptr);
  CHECK(blocked(SIGUSR2));
}

// They end by their limits where nothing comes.
void nobody_sends() {
  block(SIGUSR1);
  team([](int me) {
    for (int i = 0; i < 5; ++i) {
      const sigset_t own = mask_now();
      const sigset_t none = set_of({});
      const timespec limit{0, 20'000'000};
      epoll_event event;
      static thread_local const int epoll = epoll_create1(0);
      if (me % 3 == 0) CHECK(ppoll(nullptr, 0, &limit, &none) == 0);
      if (me % 3 == 1) CHECK(pselect(0, nullptr, nullptr, nullptr, &limit, &none) == 0);
      if (me % 3 == 2) CHECK(epoll_pwait(epoll, &event, 1, 20, &none) == 0);
      CHECK(same(mask_now(), own));
      compute(0.002);
      meet();
      CHECK(same(mask_now(), own));
    }
  });
  CHECK(blocked(SIGUSR1));
}

}  // namespace

int main() {
  subject("another thread sends", another_thread_sends);
  subject("another member sends", another_member_sends);
  subject("the process is sent one", the_process_is_sent_one);
  subject("nobody sends", nobody_sends);
  return verdict();
}
