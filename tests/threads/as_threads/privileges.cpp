// What a thread may have for itself, some of it only if it may: a real-time priority, a name of the system, a table of files, and
// ports.
#include "team.hpp"

#include "../../openmp/driving_thread.h"

#include <csetjmp>

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

namespace {

/// Whatever it computes and waits for.
template <class Now>
void stays(int me, Now now, long expected) {
  for (int i = 0; i < 2 * members; ++i) {
    if (i == me) compute(0.004);
    meet();
    const long found = now();
    if (found != expected) std::fprintf(stderr, "member %d: %ld, not %ld\n", me, found, expected);
    CHECK(found == expected);
  }
}

// ---- real-time priorities

long priority_now() {
  sched_param parameters{};
  CHECK(sched_getparam(0, &parameters) == 0);
  return parameters.sched_priority;
}

struct way {
  const char* name;
  int (*set)(int priority);
};
const way ways[] = {
    {"sched_setparam",
     [](int to) {
       const sched_param parameters{to};
       return sched_setparam(0, &parameters);
     }},
    {"pthread_setschedprio", [](int to) { return pthread_setschedprio(pthread_self(), to); }},
    {"pthread_setschedparam",
     [](int to) {
       const sched_param parameters{to};
       return pthread_setschedparam(pthread_self(), to == 0 ? SCHED_OTHER : SCHED_RR, &parameters);
     }},
};

void is_one_members_own(const way& by) {
  team([&](int me) {
    const sched_param least{1}, none{};
    meet();
    if (me == 1) CHECK(by.set(0) == 0 && driving_thread() == gettid());
    long own = 0;
    if (me == 1 && sched_setscheduler(0, SCHED_RR, &least) == 0) {
      CHECK(by.set(3) == 0);
      own = 3;
    } else if (me == 1) {
      CHECK(errno == EPERM);
    }
    stays(me, priority_now, own);
    if (own != 0) CHECK(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
    stays(me, priority_now, 0);
  });
  CHECK(priority_now() == 0);
}

// ---- namespaces

long system_now() {
  struct stat status;
  CHECK(stat("/proc/thread-self/ns/uts", &status) == 0);
  return static_cast<long>(status.st_ino);
}

// By unshare() and setns().
void a_system_of_one_members_own() {
  const long before = system_now();
  const int home = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
  team([&](int me) {
    meet();
    const bool leaves = me == 1 && unshare(CLONE_NEWUTS) == 0;
    if (me == 1 && !leaves) CHECK(errno == EPERM);
    const long own = system_now();
    CHECK((own == before) == !leaves);
    stays(me, system_now, own);
    if (leaves) CHECK(setns(home, CLONE_NEWUTS) == 0);
    stays(me, system_now, before);
  });
  CHECK(system_now() == before);
}

// ---- files

constexpr int own_file = 200;
long has_own_file() { return fcntl(own_file, F_GETFD) != -1; }

// By close_range(), which closes nothing here.
void files_of_one_members_own() {
  CHECK(has_own_file() == 0);
  team([&](int me) {
    meet();
    if (me == 1) {
      CHECK(close_range(own_file, own_file, CLOSE_RANGE_UNSHARE) == 0);
      CHECK(dup2(open("/dev/null", O_RDONLY), own_file) == own_file);
    }
    stays(me, has_own_file, me == 1);
  });
  CHECK(has_own_file() == 0);
}

// ---- ports

#if defined(__x86_64__)
thread_local sigjmp_buf back;
/// Port 0x80 is there for diagnostics at the start of a machine.
long may_read_port() {
  if (sigsetjmp(back, 1) != 0) return 0;
  unsigned char byte;
  asm volatile("inb $0x80, %0" : "=a"(byte));
  return 1;
}

template <int allow(bool)>
void ports_of_each() {
  handle(SIGSEGV, [](int) { siglongjmp(back, 1); }, SA_NODEFER);
  team([](int me) {
    CHECK(may_read_port() == 0);
    meet();
    const bool allowed = me % 2 != 0 && allow(true) == 0;
    if (me % 2 != 0 && !allowed) CHECK(errno == EPERM || errno == ENOSYS);
    stays(me, may_read_port, allowed);
    if (allowed) CHECK(allow(false) == 0);
    stays(me, may_read_port, 0);
  });
  CHECK(may_read_port() == 0);
}
int by_ioperm(bool so) { return ioperm(0x80, 1, so); }
int by_iopl(bool so) { return iopl(so ? 3 : 0); }
#endif

}  // namespace

int main() {
  for (const way& by : ways) subject(by.name, [&] { is_one_members_own(by); });
  subject("a system of one member's own", a_system_of_one_members_own);
  subject("files of one member's own", files_of_one_members_own);
#if defined(__x86_64__)
  subject("ports by ioperm()", ports_of_each<by_ioperm>);
  subject("ports by iopl()", ports_of_each<by_iopl>);
#endif
  return verdict();
}
