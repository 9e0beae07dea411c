// Calls of the system: those that block return once another thread has acted, and not before. All return what the kernel returns,
// and leave errno as it was.
#include "calls.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

// By which the headers replace others where the size of the memory is known.
extern "C" {
ssize_t checked_read(int, void*, size_t, size_t) asm("__read_chk");
ssize_t checked_pread(int, void*, size_t, off_t, size_t) asm("__pread_chk");
ssize_t checked_pread64(int, void*, size_t, off64_t, size_t) asm("__pread64_chk");
ssize_t checked_recvfrom(int, void*, size_t, size_t, int, sockaddr*, socklen_t*) asm("__recvfrom_chk");
int checked_poll(pollfd*, nfds_t, int, size_t) asm("__poll_chk");
}

namespace {

struct call {
  const char* name;
  bool (*prepare)(both&);  // by the caller
  bool (*make)(both&);     // was the result right?
  void (*act)(both&);      // null: the call blocks for nobody
  bool alone = false;      // not in several threads at once
};

// ---- looks

bool came(ssize_t count, const char& byte) { return count == 1 && byte == mark; }
bool is(ssize_t count, const char (&text)[4]) { return count == 3 && std::memcmp(text, "456", 3) == 0; }
/// Three bytes were written at the fourth place, and where the file is read next has not changed.
bool has_written(both& its, ssize_t count) {
  char all[10];
  return count == 3 && lseek(its.here, 0, SEEK_CUR) == 0 && read(its.here, all, 10) == 10 &&
         std::memcmp(all, "0123xyz789", 10) == 0;
}
bool ended_well(const both& its, pid_t which, int status) {
  return which == its.child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}
iovec first_of(char (&text)[4]) { return {text, 1}; }
iovec rest_of(char (&text)[4]) { return {text + 1, 2}; }

const call calls[] = {
    {"readv", a_stream,
     [](both& its) {
       char byte = 0, none[8];
       const iovec to[] = {{&byte, 1}, {none, sizeof none}};
       return came(readv(its.here, to, 2), byte);
     },
     writes},
    {"__read_chk", a_stream,
     [](both& its) {
       char byte = 0;
       return came(checked_read(its.here, &byte, 1, 1), byte);
     },
     writes},
    {"recvfrom", datagrams,
     [](both& its) {
       char byte = 0;
       return came(recvfrom(its.here, &byte, 1, 0, nullptr, nullptr), byte);
     },
     writes},
    {"__recvfrom_chk", datagrams,
     [](both& its) {
       char byte = 0;
       return came(checked_recvfrom(its.here, &byte, 1, 1, 0, nullptr, nullptr), byte);
     },
     writes},
    {"recvmmsg", datagrams,
     [](both& its) {
       char bytes[2] = {};
       iovec parts[] = {{bytes, 1}, {bytes + 1, 1}};
       mmsghdr all[2] = {};
       for (int i = 0; i < 2; ++i) all[i].msg_hdr.msg_iov = parts + i, all[i].msg_hdr.msg_iovlen = 1;
       return recvmmsg(its.here, all, 2, 0, nullptr) == 2 && bytes[0] == mark && bytes[1] == mark && all[1].msg_len == 1;
     },
     sends_two},
    {"sendto", a_full_stream, [](both& its) { return sendto(its.here, &mark, 1, 0, nullptr, 0) == 1; }, reads_all},
    {"sendto, datagrams", one_full_datagram, [](both& its) { return sendto(its.here, &mark, 1, 0, nullptr, 0) == 1; }, reads_all},
    {"sendmmsg", full_datagrams,
     [](both& its) {
       char byte = mark;
       iovec part{&byte, 1};
       mmsghdr all[2] = {};
       for (mmsghdr& each : all) each.msg_hdr.msg_iov = &part, each.msg_hdr.msg_iovlen = 1;
       return sendmmsg(its.here, all, 2, 0) == 2 && all[0].msg_len == 1 && all[1].msg_len == 1;
     },
     reads_all},
    {"sendfile64", a_full_pipe,
     [](both& its) {
       off64_t at = 3;
       const int file = memfd_create("weir", 0);
       CHECK(write(file, "0123m56789", 10) == 10);
       const bool all = sendfile64(its.here, file, &at, 4) == 4 && at == 7;
       close(file);
       return all;
     },
     reads_all},
    {"accept4", a_listener,
     [](both& its) {
       sockaddr_un who{};
       socklen_t length = sizeof who;
       const int one = accept4(its.here, reinterpret_cast<sockaddr*>(&who), &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
       const bool so = one >= 0 && (fcntl(one, F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(one, F_GETFL) & O_NONBLOCK) != 0;
       close(one);
       return so && who.sun_family == AF_UNIX && length == unnamed;
     },
     [](both& its) {
       const sockaddr_un to = address_of(its.here);
       CHECK(connect(its.there, reinterpret_cast<const sockaddr*>(&to), named) == 0);
     }},
    {"connect", a_full_listener,
     [](both& its) {
       const sockaddr_un to = address_of(its.there);
       return connect(its.here, reinterpret_cast<const sockaddr*>(&to), named) == 0;
     },
     [](both& its) { CHECK(close(accept(its.there, nullptr, nullptr)) == 0); }},
    {"epoll_pwait2", a_stream,
     [](both& its) {
       const int all = epoll_create1(0);
       epoll_event one{};
       one.events = EPOLLIN;
       epoll_ctl(all, EPOLL_CTL_ADD, its.here, &one);
       const timespec limit = timespec_of(patience);
       const bool ready = epoll_pwait2(all, &one, 1, &limit, nullptr) == 1 && one.events == EPOLLIN;
       close(all);
       return ready;
     },
     writes},
    {"__poll_chk", a_stream,
     [](both& its) {
       pollfd one{its.here, POLLIN, 0};
       return checked_poll(&one, 1, -1, sizeof one) == 1 && one.revents == POLLIN;
     },
     writes},
    {"mq_receive", no_message,
     [](both& its) {
       char text[8];
       unsigned priority = 0;
       return mq_receive(its.here, text, sizeof text, &priority) == 2 && text[1] == mark && priority == 5;
     },
     [](both& its) { CHECK(mq_send(its.there, "mm", 2, 5) == 0); }},
    {"mq_send", a_full_queue, [](both& its) { return mq_send(its.here, "mm", 2, 5) == 0; }, receives},
    {"mq_timedsend", a_full_queue,
     [](both& its) {
       const timespec limit = in(patience);
       return mq_timedsend(its.here, "mm", 2, 5, &limit) == 0;
     },
     receives},
    // A process has such a lock, not a thread.
    {"lockf",
     [](both& its) {
       const int file = memfd_create("weir", 0);
       const bool so = a_child(its, [file] { CHECK(lockf(file, F_LOCK, 0) == 0); });
       close(std::exchange(its.here, file));
       return so;
     },
     [](both& its) { return lockf(its.here, F_LOCK, 0) == 0 && lockf(its.here, F_ULOCK, 0) == 0; }, writes},
    // An open file has it.
    {"fcntl64",
     [](both& its) {
       if (!digits(its)) return false;
       its.there = open(("/proc/self/fd/" + std::to_string(its.here)).c_str(), O_RDWR);
       flock64 all{};
       all.l_type = F_WRLCK;
       return fcntl64(its.there, F_OFD_SETLK, &all) == 0;
     },
     [](both& its) {
       flock64 all{};
       all.l_type = F_WRLCK;
       return fcntl64(its.here, F_OFD_SETLKW, &all) == 0;
     },
     closes},
    {"wait3", a_child,
     [](both& its) {
       int status = 0;
       rusage used{};
       const pid_t which = wait3(&status, 0, &used);
       return ended_well(its, which, status) && used.ru_maxrss > 0;
     },
     writes, true},
    {"wait4", a_child,
     [](both& its) {
       int status = 0;
       rusage used{};
       const pid_t which = wait4(its.child, &status, 0, &used);
       return ended_well(its, which, status) && used.ru_maxrss > 0;
     },
     writes},
    {"waitid", a_child,
     [](both& its) {
       siginfo_t how{};
       return waitid(P_PID, static_cast<id_t>(its.child), &how, WEXITED) == 0 && how.si_pid == its.child &&
              how.si_code == CLD_EXITED && how.si_status == 7;
     },
     writes},
    {"sigwaitinfo", a_blocked_signal,
     [](both&) {
       sigset_t one;
       sigemptyset(&one);
       sigaddset(&one, SIGUSR1);
       siginfo_t why{};
       return sigwaitinfo(&one, &why) == SIGUSR1 && why.si_signo == SIGUSR1 && why.si_pid == getpid();
     },
     [](both& its) { CHECK(pthread_kill(its.caller, SIGUSR1) == 0); }},
    {"tgkill", a_blocked_signal,
     [](both&) {
       sigset_t one;
       sigemptyset(&one);
       sigaddset(&one, SIGUSR1);
       int which = 0;
       return sigwait(&one, &which) == 0 && which == SIGUSR1;
     },
     [](both& its) { CHECK(tgkill(getpid(), its.number, SIGUSR1) == 0); }},

    // Where a file is read or written at a place, nobody waits for another thread.
    {"pread64", digits,
     [](both& its) {
       char text[4];
       return is(pread64(its.here, text, 3, 4), text) && lseek(its.here, 0, SEEK_CUR) == 0;
     },
     nullptr},
    {"__pread_chk", digits,
     [](both& its) {
       char text[4];
       return is(checked_pread(its.here, text, 3, 4, sizeof text), text);
     },
     nullptr},
    {"__pread64_chk", digits,
     [](both& its) {
       char text[4];
       return is(checked_pread64(its.here, text, 3, 4, sizeof text), text);
     },
     nullptr},
    {"preadv", digits,
     [](both& its) {
       char text[4];
       const iovec to[] = {first_of(text), rest_of(text)};
       return is(preadv(its.here, to, 2, 4), text);
     },
     nullptr},
    {"preadv64", digits,
     [](both& its) {
       char text[4];
       const iovec to[] = {first_of(text), rest_of(text)};
       return is(preadv64(its.here, to, 2, 4), text);
     },
     nullptr},
    {"pwrite", digits, [](both& its) { return has_written(its, pwrite(its.here, "xyz", 3, 4)); }, nullptr},
    {"pwrite64", digits, [](both& its) { return has_written(its, pwrite64(its.here, "xyz", 3, 4)); }, nullptr},
    {"pwritev", digits,
     [](both& its) {
       char text[] = "xyz";
       const iovec from[] = {first_of(text), rest_of(text)};
       return has_written(its, pwritev(its.here, from, 2, 4));
     },
     nullptr},
    {"pwritev64", digits,
     [](both& its) {
       char text[] = "xyz";
       const iovec from[] = {first_of(text), rest_of(text)};
       return has_written(its, pwritev64(its.here, from, 2, 4));
     },
     nullptr},
    {"copy_file_range", two_files,
     [](both& its) {
       off64_t from = 4;
       char text[4];
       return copy_file_range(its.here, &from, its.there, nullptr, 3, 0) == 3 && from == 7 &&
              is(pread(its.there, text, 3, 0), text);
     },
     nullptr},
    {"fsync", digits, [](both& its) { return fsync(its.here) == 0; }, nullptr},
    {"fdatasync", digits, [](both& its) { return fdatasync(its.here) == 0; }, nullptr},
    // A page of a file that two have mapped.
    {"mmap64", digits,
     [](both& its) {
       const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
       char* const one = static_cast<char*>(mmap64(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, its.here, 0));
       char* const other = static_cast<char*>(mmap64(nullptr, bytes, PROT_READ, MAP_SHARED, its.here, 0));
       if (one == MAP_FAILED || other == MAP_FAILED) return false;
       one[5] = mark;
       return other[4] == '4' && other[5] == mark && munmap(one, bytes) == 0 && munmap(other, bytes) == 0;
     },
     nullptr},
};

/// A call that fails says why, and how.
struct failing {
  const char* name;
  int error;
  long (*make)();
};
const failing of_no_file[] = {
    {"readv", EBADF, [] { return static_cast<long>(readv(-1, nullptr, 0)); }},
    {"recvfrom", EBADF, [] { return static_cast<long>(recvfrom(-1, nullptr, 0, 0, nullptr, nullptr)); }},
    {"recvmmsg", EBADF, [] { return static_cast<long>(recvmmsg(-1, nullptr, 0, 0, nullptr)); }},
    {"sendto", EBADF, [] { return static_cast<long>(sendto(-1, nullptr, 0, 0, nullptr, 0)); }},
    {"sendmmsg", EBADF, [] { return static_cast<long>(sendmmsg(-1, nullptr, 0, 0)); }},
    {"accept4", EBADF, [] { return static_cast<long>(accept4(-1, nullptr, nullptr, 0)); }},
    {"connect", EBADF, [] { return static_cast<long>(connect(-1, nullptr, 0)); }},
    {"sendfile64", EBADF, [] { return static_cast<long>(sendfile64(-1, -1, nullptr, 1)); }},
    {"copy_file_range", EBADF, [] { return static_cast<long>(copy_file_range(-1, nullptr, -1, nullptr, 1, 0)); }},
    {"pread64", EBADF, [] { return static_cast<long>(pread64(-1, nullptr, 0, 0)); }},
    {"pwrite64", EBADF, [] { return static_cast<long>(pwrite64(-1, nullptr, 0, 0)); }},
    {"fsync", EBADF, [] { return static_cast<long>(fsync(-1)); }},
    {"fdatasync", EBADF, [] { return static_cast<long>(fdatasync(-1)); }},
    {"lockf", EBADF, [] { return static_cast<long>(lockf(-1, F_LOCK, 0)); }},
    {"fcntl64", EBADF, [] { return static_cast<long>(fcntl64(-1, F_GETFL)); }},
    {"wait3", ECHILD, [] { return static_cast<long>(wait3(nullptr, 0, nullptr)); }},
    {"wait4", ECHILD, [] { return static_cast<long>(wait4(-1, nullptr, 0, nullptr)); }},
    {"waitid", ECHILD, [] { return static_cast<long>(waitid(P_ALL, 0, nullptr, WEXITED)); }},
    {"tgkill", ESRCH, [] { return static_cast<long>(tgkill(getpid(), getppid(), 0)); }},
};
void fail() {
  meeting all_meet;
  team([&](int) {
    for (const failing& its : of_no_file) {
      for (int i = 0; i < 3; ++i) all_meet.arrive();
      errno = 0;
      const bool so = its.make() == -1 && errno == its.error;
      if (!so) std::fprintf(stderr, "%s: %s\n", its.name, std::strerror(errno));
      CHECK(so);
    }
  });
}

// ---- rounds

constexpr int rounds = 6;

void calls_once(const call& what, both& its, int round) {
  its.acted = false;
  const bool prepared = what.prepare(its), makes_it = prepared && !its.missing;
  CHECK(prepared);
  its.acted = !makes_it;  // nobody is to act
  its.round = round;
  if (!makes_it) return;
  const int before = 1 + round * 7;
  errno = before;
  const bool right = what.make(its);
  const int after = errno;
  if (!right || after != before) std::fprintf(stderr, "%s: errno was %d, now %d\n", what.name, before, after);
  CHECK(right && after == before);
  CHECK(its.acted || what.act == nullptr);
}
void acts_once(const call& what, both& its, int round) {
  while (its.round != round) sched_yield();
  if (its.acted || what.act == nullptr) return;
  for (int i = 0; i < 20 && round % 3 == 1; ++i) sched_yield();
  if (round % 3 == 2) sleep_for(0.002);  // it has blocked
  its.acted = true;
  what.act(its);
}
void clean_up(both& its) {
  for (int* const end : {&its.here, &its.there})
    if (const int one = std::exchange(*end, -1); one >= 0) close(one);
  if (its.child > 0) waitpid(std::exchange(its.child, -1), nullptr, 0);  // unless the call has waited for it
}

void in_pairs(const call& what) {
  std::vector<both> pairs(static_cast<std::size_t>(what.alone ? 1 : members / 2));
  meeting all_meet;
  team([&](int me) {
    const auto mine = static_cast<std::size_t>(me / 2);
    for (int round = 1; round <= rounds; ++round) {
      for (int i = 0; i < 5; ++i) all_meet.arrive();  // those that have blocked are members again
      if (mine < pairs.size()) me % 2 == 0 ? calls_once(what, pairs[mine], round) : acts_once(what, pairs[mine], round);
      all_meet.arrive();
      if (mine < pairs.size() && me % 2 == 0) clean_up(pairs[mine]);
    }
  });
}

template <std::size_t... all>
int run(std::index_sequence<all...>) {
  return run_all({{"calls that fail", fail}, {calls[all].name, [] { in_pairs(calls[all]); }}...});
}

}  // namespace

int main() { return run(std::make_index_sequence<std::size(calls)>()); }
