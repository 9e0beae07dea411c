// What the kernel keeps for each thread is its member's own, and main's is as before.
#include "team.hpp"

#include <string>

#include <sys/fsuid.h>
#include <linux/capability.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#endif

namespace {

/// A value of the kernel's for the calling thread. Members set what `of` says for each; who sets nothing keeps main's.
struct state {
  const char* name;
  long (*of)(int member);
  bool (*set)(long value);
  long (*get)();
  bool back = true;  ///< may it be set back?
};

#if defined(__x86_64__)
// Only what has been set is read: who has none would fault.
long segment_base() {
  unsigned long base = 0;
  return syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 ? static_cast<long>(base) : -1;
}
long segment_words[256];
#endif

bool root() { return geteuid() == 0; }

// The C library's, which only libcap's headers declare.
extern "C" int capget(__user_cap_header_struct*, __user_cap_data_struct*);
extern "C" int capset(__user_cap_header_struct*, const __user_cap_data_struct*);

struct capabilities {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct of[2];
  capabilities() { capget(&head, of); }
};

const state states[] = {
    {"file system's user", [](int m) { return 1000L + m; },
     [](long v) {
       if (!root()) return false;
       setfsuid(static_cast<uid_t>(v));
       return true;
     },
     [] { return static_cast<long>(setfsuid(static_cast<uid_t>(-1))); }},
    {"file system's group", [](int m) { return 2000L + m; },
     [](long v) {
       if (!root()) return false;
       setfsgid(static_cast<gid_t>(v));
       return true;
     },
     [] { return static_cast<long>(setfsgid(static_cast<gid_t>(-1))); }},
    {"priority", [](int m) { return 1L + m % 9; },
     [](long v) { return setpriority(PRIO_PROCESS, 0, static_cast<int>(v)) == 0; },
     [] { return static_cast<long>(getpriority(PRIO_PROCESS, 0)); }, root()},
    {"priority by nice()", [](int m) { return 1L + m % 9; },
     [](long v) {
       const int before = getpriority(PRIO_PROCESS, 0);
       errno = 0;
       return nice(static_cast<int>(v) - before) != -1 || errno == 0;
     },
     [] { return static_cast<long>(getpriority(PRIO_PROCESS, 0)); }, root()},
    {"timer slack", [](int m) { return 70'000L + m; },
     [](long v) { return prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(v)) == 0; },
     [] { return static_cast<long>(prctl(PR_GET_TIMERSLACK)); }},
    {"scheduling policy", [](int m) { return static_cast<long>(m % 2 == 0 ? SCHED_OTHER : SCHED_BATCH); },
     [](long v) {
       const sched_param none{};
       return sched_setscheduler(0, static_cast<int>(v), &none) == 0;
     },
     [] { return static_cast<long>(sched_getscheduler(0)); }},
    {"scheduling policy as a thread", [](int m) { return static_cast<long>(m % 2 == 0 ? SCHED_OTHER : SCHED_BATCH); },
     [](long v) {
       const sched_param none{};
       return pthread_setschedparam(pthread_self(), static_cast<int>(v), &none) == 0;
     },
     [] { return static_cast<long>(sched_getscheduler(0)); }},
    {"I/O priority", [](int m) { return (2L << 13) | (m % 8); },  // best effort
     [](long v) { return syscall(SYS_ioprio_set, 1, 0, v) == 0; }, [] { return syscall(SYS_ioprio_get, 1, 0); }, false},
#if defined(__x86_64__)
    {"segment base", [](int m) { return reinterpret_cast<long>(segment_words + m % 256); },
     [](long v) { return syscall(SYS_arch_prctl, ARCH_SET_GS, v) == 0; }, segment_base},
#endif
    {"personality", [](int m) { return m % 2 == 0 ? 0L : 0x0040000L; },  // ADDR_NO_RANDOMIZE
     [](long v) { return personality(static_cast<unsigned long>(v)) >= 0; },
     [] { return static_cast<long>(personality(0xffffffff)); }, true},
    {"effective capabilities", [](int m) { return m % 2 == 0 ? ~0L : ~(1L << (m % 8)); },
     [](long v) {
       capabilities held;
       held.of[0].effective = held.of[0].permitted & static_cast<std::uint32_t>(v);
       return capset(&held.head, held.of) == 0;
     },
     [] { return static_cast<long>(capabilities().of[0].effective | ~capabilities().of[0].permitted) | ~0xffffffffL; }, root()},
    {"kept capabilities", [](int m) { return static_cast<long>(m % 2); },
     [](long v) { return v == 0 || prctl(PR_SET_KEEPCAPS, 1) == 0; }, [] { return static_cast<long>(prctl(PR_GET_KEEPCAPS)); },
     false},
};

/// Members set their own, or only member 1 does.
void is_each_members_own(const state& property, bool only_one) {
  const long before = property.get();
  if (only_one && !property.back && property.of(1) == before) return;
  team([&](int me) {
    const long first = property.get();
    CHECK(first == before);
    const bool sets = only_one ? me == 1 : me != 0 || property.back;
    const long own = sets ? property.of(me) : first;
    meet();
    if (sets && !property.set(own)) CHECK(!root());
    const long expected = property.get();
    if (sets && root()) CHECK(expected == own);
    for (int i = 0; i < 20; ++i) {
      if (i == me) compute(0.02);
      if (i == me + 3) sleep_for(0.002);
      meet();
      if (const long found = property.get(); found != expected) {
        std::fprintf(stderr, "%s of member %d: %ld, not %ld\n", property.name, me, found, expected);
        CHECK(found == expected);
      }
    }
    if (sets && property.back) property.set(first);
    meet();
  });
  CHECK(property.get() == before);
}

#if defined(__x86_64__)
void segment_bases_hold_in_each_instruction() {
  for (int i = 0; i < 256; ++i) segment_words[i] = 5000 + i;
  team([](int me) {
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, segment_words + me) == 0);
    for (int i = 0; i < 2000; ++i) {
      if (i % 20 == 0) meet();
      long found;
      asm volatile("movq %%gs:0, %0" : "=r"(found));
      if (found != 5000 + me) return CHECK(found == 5000 + me);
    }
    meet();
    syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
  });
}
#endif

// ---- children that it traces

// Only the thread that has begun to trace may go on.
void children_that_a_member_traces() {
  team([](int) {
    const pid_t child = fork();
    if (child == 0)
      for (;;) pause();
    bool traces = ptrace(PTRACE_SEIZE, child, nullptr, nullptr) == 0;
    for (int i = 0; i < 10; ++i) meet();
    traces = traces && ptrace(PTRACE_INTERRUPT, child, nullptr, nullptr) == 0;
    int status = 0;
    CHECK(!traces || waitpid(child, &status, 0) == child);
    for (int i = 0; i < 10; ++i) meet();
    CHECK(!traces || ptrace(PTRACE_CONT, child, nullptr, nullptr) == 0);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  });
}

// By a child that has its parent's memory, before it executes a program: the child's own.
void what_a_child_by_vfork_changes() {
  const auto execute_another = [] {
    const pid_t child = vfork();
    if (child == 0) {
      if (gettid() != getpid() || syscall(SYS_gettid) != getpid()) _exit(2);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      execlp("true", "true", nullptr);
      _exit(1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  };
  team([&](int me) {
    for (int i = 0; i < 10; ++i) {
      meet();
      if (me % 2 == i % 2) execute_another();
    }
  });
}

// ---- names

std::string name_now() {
  char text[17] = {};
  prctl(PR_GET_NAME, text);
  return text;
}
std::string name_of(pthread_t thread) {
  char text[17] = {};
  return pthread_getname_np(thread, text, sizeof text) == 0 ? text : "?";
}

void names() {
  const std::string before = name_now();
  std::vector<pthread_t> threads(static_cast<std::size_t>(members));
  team([&](int me) {
    threads[static_cast<std::size_t>(me)] = pthread_self();
    const std::string first = name_now();
    const std::string own = "member-" + std::to_string(me);
    meet();
    me % 2 == 0 ? prctl(PR_SET_NAME, own.c_str()) : pthread_setname_np(pthread_self(), own.c_str());
    for (int i = 0; i < 20; ++i) {
      if (i == me) compute(0.02);
      meet();
      CHECK(name_now() == own && name_of(pthread_self()) == own);
      const int other = (me + 1 + i % (members - 1)) % members;
      CHECK(name_of(threads[static_cast<std::size_t>(other)]) == "member-" + std::to_string(other));
    }
    meet();
    prctl(PR_SET_NAME, first.c_str());
  });
  CHECK(name_now() == before);
}

/// That of the member, not of the kernel thread that makes the child.
void the_name_of_a_child() {
  const std::string before = name_now();
  team([](int) { meet(); });  // makes virtual processors, whose threads have the program's name
  prctl(PR_SET_NAME, "renamed");
  team([](int) {
    for (int i = 0; i < 3; ++i) {
      meet();
      const std::string own = name_of(pthread_self());
      const pid_t child = fork();
      if (child == 0) _exit(name_now() == own ? 0 : 1);
      int status = -1;
      CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
  });
  prctl(PR_SET_NAME, before.c_str());
}

// ---- processors

cpu_set_t processors_now() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CHECK(sched_getaffinity(0, sizeof processors, &processors) == 0);
  return processors;
}
int a_processor(int which) {
  const cpu_set_t every_processor = processors_now();
  which %= CPU_COUNT(&every_processor);
  for (int i = 0;; ++i) {
    if (CPU_ISSET(i, &every_processor) && which-- == 0) return i;
  }
}
cpu_set_t set_of_one(int processor) {
  cpu_set_t bound;
  CPU_ZERO(&bound);
  CPU_SET(processor, &bound);
  return bound;
}

/// How a member binds another, or itself.
template <class Bind>
void are_the_members_own(Bind bind, int who, int whom) {
  const cpu_set_t before = processors_now();
  const int to = a_processor(0);
  const cpu_set_t alone = set_of_one(to);
  std::vector<pthread_t> threads(static_cast<std::size_t>(members));
  // Not while it waits at a barrier: that may move it to another processor, and then allow all of them again (native.cpp).
  std::atomic<int> bound{0};
  const auto bind_it = [&](int me, const cpu_set_t& processors, int times) {
    if (me == who) {
      bind(threads[static_cast<std::size_t>(whom)], processors);
      bound = times;
    }
    while (me == whom && bound < times) compute(0.0001);
    // A thread that another one binds comes to its processors soon.
    for (int i = 0; i < (who != whom ? 5 : 1); ++i) {
      if (who != whom) compute(0.002);
      meet();
    }
  };
  for (int round = 0; round < 2; ++round) {
    team([&](int me) {
      threads[static_cast<std::size_t>(me)] = pthread_self();
      meet();
      bind_it(me, alone, 2 * round + 1);
      for (int i = 0; i < 10; ++i) {
        const cpu_set_t now = processors_now();
        CHECK(CPU_EQUAL(&now, me == whom ? &alone : &before));
        if (me == whom) CHECK(sched_getcpu() == to);
        if (i == me) compute(0.02);
        meet();
      }
      bind_it(me, before, 2 * round + 2);
    });
    const cpu_set_t after = processors_now();
    CHECK(CPU_EQUAL(&after, &before));
  }
}
void bind_this_thread(pthread_t, const cpu_set_t& to) { CHECK(sched_setaffinity(0, sizeof to, &to) == 0); }
void bind_a_thread(pthread_t thread, const cpu_set_t& to) {
  CHECK(pthread_setaffinity_np(thread, sizeof to, &to) == 0);
  cpu_set_t now;
  CHECK(pthread_getaffinity_np(thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, &to));
}

// All bind themselves, as OpenMP programs did before there were places.
void all_bind_themselves() {
  const cpu_set_t before = processors_now();
  team([&](int me) {
    const cpu_set_t alone = set_of_one(a_processor(me));
    const int to = a_processor(me);
    meet();
    CHECK(sched_setaffinity(0, sizeof alone, &alone) == 0);
    for (int i = 0; i < 20; ++i) {
      compute(0.001);
      CHECK(sched_getcpu() == to);
      meet();
    }
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
  });
  const cpu_set_t after = processors_now();
  CHECK(CPU_EQUAL(&after, &before));
}

// ---- timers

thread_local volatile int expired;

// For the thread that has made it, and in its name.
void timers_for_a_thread() {
  static std::atomic<int> elsewhere;
  handle(SIGRTMIN + 3, [](int) {
    if (member_here < 0) ++elsewhere;
    expired = expired + 1;
  });
  team([](int me) {
    expired = 0;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN + 3;
    event._sigev_un._tid = kernel_thread();
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    meet();
    for (int i = 0; i < 10; ++i) {
      const itimerspec soon{{}, {0, 1'000'000}};
      CHECK(timer_settime(timer, 0, &soon, nullptr) == 0);
      if (i % members == me) compute(0.02);
      for (const double until = now_s() + patience; expired != i + 1 && now_s() < until;) {
        i % 2 == 0 ? compute(0.0005) : sleep_for(0.0005);
      }
      CHECK(expired == i + 1);
      meet();
      CHECK(expired == i + 1);
    }
    timer_delete(timer);
  });
  CHECK(elsewhere == 0);
}

}  // namespace

int main() {
  for (const state& property : states) {
    subject((std::string(property.name) + " of each").c_str(), [&] { is_each_members_own(property, false); });
    subject((std::string(property.name) + " of one").c_str(), [&] { is_each_members_own(property, true); });
  }
#if defined(__x86_64__)
  subject("segment bases hold in each instruction", segment_bases_hold_in_each_instruction);
#endif
  subject("children that a member traces", children_that_a_member_traces);
  subject("what a child by vfork() changes", what_a_child_by_vfork_changes);
  subject("names", names);
  subject("the name of a child", the_name_of_a_child);
  subject("a member binds itself", [] { are_the_members_own(bind_this_thread, 1, 1); });
  subject("a member binds itself as a thread", [] { are_the_members_own(bind_a_thread, 1, 1); });
  subject("a member binds another", [] { are_the_members_own(bind_a_thread, 0, 1); });
  subject("a member binds main", [] { are_the_members_own(bind_a_thread, 1, 0); });
  subject("all bind themselves", all_bind_themselves);
  subject("timers for a thread", timers_for_a_thread);
  return verdict();
}
