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
bool has_written(both& sides, ssize_t count) {
  char content[10];
  return count == 3 && lseek(sides.here, 0, SEEK_CUR) == 0 && read(sides.here, content, 10) == 10 &&
         std::memcmp(content, "0123xyz789", 10) == 0;
}
bool ended_well(const both& sides, pid_t which, int status) {
  return which == sides.child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}
iovec first_of(char (&text)[4]) { return {text, 1}; }
iovec rest_of(char (&text)[4]) { return {text + 1, 2}; }

const call calls[] = {
    {"readv", a_stream,
     [](both& sides) {
       char byte = 0, none[8];
       const iovec to[] = {{&byte, 1}, {none, sizeof none}};
       return came(readv(sides.here, to, 2), byte);
     },
     writes},
    {"__read_chk", a_stream,
     [](both& sides) {
       char byte = 0;
       return came(checked_read(sides.here, &byte, 1, 1), byte);
     },
     writes},
    {"recvfrom", datagrams,
     [](both& sides) {
       char byte = 0;
       return came(recvfrom(sides.here, &byte, 1, 0, nullptr, nullptr), byte);
     },
     writes},
    {"__recvfrom_chk", datagrams,
     [](both& sides) {
       char byte = 0;
       return came(checked_recvfrom(sides.here, &byte, 1, 1, 0, nullptr, nullptr), byte);
     },
     writes},
    {"recvmmsg", datagrams,
     [](both& sides) {
       char bytes[2] = {};
       iovec parts[] = {{bytes, 1}, {bytes + 1, 1}};
       mmsghdr messages_sent[2] = {};
       for (int i = 0; i < 2; ++i) messages_sent[i].msg_hdr.msg_iov = parts + i, messages_sent[i].msg_hdr.msg_iovlen = 1;
       return recvmmsg(sides.here, messages_sent, 2, 0, nullptr) == 2 && bytes[0] == mark && bytes[1] == mark &&
              messages_sent[1].msg_len == 1;
     },
     sends_two},
    {"sendto", a_full_stream, [](both& sides) { return sendto(sides.here, &mark, 1, 0, nullptr, 0) == 1; }, reads_all},
    {"sendto, datagrams", one_full_datagram, [](both& sides) { return sendto(sides.here, &mark, 1, 0, nullptr, 0) == 1; },
     reads_all},
    {"sendmmsg", full_datagrams,
     [](both& sides) {
       char byte = mark;
       iovec part{&byte, 1};
       mmsghdr messages_read[2] = {};
       for (mmsghdr& each : messages_read) each.msg_hdr.msg_iov = &part, each.msg_hdr.msg_iovlen = 1;
       return sendmmsg(sides.here, messages_read, 2, 0) == 2 && messages_read[0].msg_len == 1 && messages_read[1].msg_len == 1;
     },
     reads_all},
    {"sendfile64", a_full_pipe,
     [](both& sides) {
       off64_t at = 3;
       const int file = memfd_create("weir", 0);
       CHECK(write(file, "0123m56789", 10) == 10);
       const bool sent = sendfile64(sides.here, file, &at, 4) == 4 && at == 7;
       close(file);
       return sent;
     },
     reads_all},
    {"accept4", a_listener,
     [](both& sides) {
       sockaddr_un who{};
       socklen_t length = sizeof who;
       const int one = accept4(sides.here, reinterpret_cast<sockaddr*>(&who), &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
       const bool so = one >= 0 && (fcntl(one, F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(one, F_GETFL) & O_NONBLOCK) != 0;
       close(one);
       return so && who.sun_family == AF_UNIX && length == unnamed;
     },
     [](both& sides) {
       const sockaddr_un to = address_of(sides.here);
       CHECK(connect(sides.there, reinterpret_cast<const sockaddr*>(&to), named) == 0);
     }},
    {"connect", a_full_listener,
     [](both& sides) {
       const sockaddr_un to = address_of(sides.there);
       return connect(sides.here, reinterpret_cast<const sockaddr*>(&to), named) == 0;
     },
     [](both& sides) { CHECK(close(accept(sides.there, nullptr, nullptr)) == 0); }},
    {"epoll_pwait2", a_stream,
     [](both& sides) {
       const int epoll = epoll_create1(0);
       epoll_event one{};
       one.events = EPOLLIN;
       epoll_ctl(epoll, EPOLL_CTL_ADD, sides.here, &one);
       const timespec limit = timespec_of(patience);
       const bool ready = epoll_pwait2(epoll, &one, 1, &limit, nullptr) == 1 && one.events == EPOLLIN;
       close(epoll);
       return ready;
     },
     writes},
    {"__poll_chk", a_stream,
     [](both& sides) {
       pollfd one{sides.here, POLLIN, 0};
       return checked_poll(&one, 1, -1, sizeof one) == 1 && one.revents == POLLIN;
     },
     writes},
    {"mq_receive", no_message,
     [](both& sides) {
       char text[8];
       unsigned priority = 0;
       return mq_receive(sides.here, text, sizeof text, &priority) == 2 && text[1] == mark && priority == 5;
     },
     [](both& sides) { CHECK(mq_send(sides.there, "mm", 2, 5) == 0); }},
    {"mq_send", a_full_queue, [](both& sides) { return mq_send(sides.here, "mm", 2, 5) == 0; }, receives},
    {"mq_timedsend", a_full_queue,
     [](both& sides) {
       const timespec limit = in(patience);
       return mq_timedsend(sides.here, "mm", 2, 5, &limit) == 0;
     },
     receives},
    // A process has such a lock, not a thread.
    {"lockf",
     [](both& sides) {
       const int file = memfd_create("weir", 0);
       const bool so = a_child(sides, [file] { CHECK(lockf(file, F_LOCK, 0) == 0); });
       close(std::exchange(sides.here, file));
       return so;
     },
     [](both& sides) { return lockf(sides.here, F_LOCK, 0) == 0 && lockf(sides.here, F_ULOCK, 0) == 0; }, writes},
    // An open file has it.
    {"fcntl64",
     [](both& sides) {
       if (!digits(sides)) return false;
       sides.there = open(("/proc/self/fd/" + std::to_string(sides.here)).c_str(), O_RDWR);
       flock64 lock{};
       lock.l_type = F_WRLCK;
       return fcntl64(sides.there, F_OFD_SETLK, &lock) == 0;
     },
     [](both& sides) {
       flock64 lock{};
       lock.l_type = F_WRLCK;
       return fcntl64(sides.here, F_OFD_SETLKW, &lock) == 0;
     },
     closes},
    {"wait3", a_child,
     [](both& sides) {
       int status = 0;
       rusage used{};
       const pid_t which = wait3(&status, 0, &used);
       return ended_well(sides, which, status) && used.ru_maxrss > 0;
     },
     writes, true},
    {"wait4", a_child,
     [](both& sides) {
       int status = 0;
       rusage used{};
       const pid_t which = wait4(sides.child, &status, 0, &used);
       return ended_well(sides, which, status) && used.ru_maxrss > 0;
     },
     writes},
    {"waitid", a_child,
     [](both& sides) {
       siginfo_t how{};
       return waitid(P_PID, static_cast<id_t>(sides.child), &how, WEXITED) == 0 && how.si_pid == sides.child &&
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
     [](both& sides) { CHECK(pthread_kill(sides.caller, SIGUSR1) == 0); }},
    {"tgkill", a_blocked_signal,
     [](both&) {
       sigset_t one;
       sigemptyset(&one);
       sigaddset(&one, SIGUSR1);
       int which = 0;
       return sigwait(&one, &which) == 0 && which == SIGUSR1;
     },
     [](both& sides) { CHECK(tgkill(getpid(), sides.number, SIGUSR1) == 0); }},

    // Where a file is read or written at a place, nobody waits for another thread.
    {"pread64", digits,
     [](both& sides) {
       char text[4];
       return is(pread64(sides.here, text, 3, 4), text) && lseek(sides.here, 0, SEEK_CUR) == 0;
     },
     nullptr},
    {"__pread_chk", digits,
     [](both& sides) {
       char text[4];
       return is(checked_pread(sides.here, text, 3, 4, sizeof text), text);
     },
     nullptr},
    {"__pread64_chk", digits,
     [](both& sides) {
       char text[4];
       return is(checked_pread64(sides.here, text, 3, 4, sizeof text), text);
     },
     nullptr},
    {"preadv", digits,
     [](both& sides) {
       char text[4];
       const iovec to[] = {first_of(text), rest_of(text)};
       return is(preadv(sides.here, to, 2, 4), text);
     },
     nullptr},
    {"preadv64", digits,
     [](both& sides) {
       char text[4];
       const iovec to[] = {first_of(text), rest_of(text)};
       return is(preadv64(sides.here, to, 2, 4), text);
     },
     nullptr},
    {"pwrite", digits, [](both& sides) { return has_written(sides, pwrite(sides.here, "xyz", 3, 4)); }, nullptr},
    {"pwrite64", digits, [](both& sides) { return has_written(sides, pwrite64(sides.here, "xyz", 3, 4)); }, nullptr},
    {"pwritev", digits,
     [](both& sides) {
       char text[] = "xyz";
       const iovec from[] = {first_of(text), rest_of(text)};
       return has_written(sides, pwritev(sides.here, from, 2, 4));
     },
     nullptr},
    {"pwritev64", digits,
     [](both& sides) {
       char text[] = "xyz";
       const iovec from[] = {first_of(text), rest_of(text)};
       return has_written(sides, pwritev64(sides.here, from, 2, 4));
     },
     nullptr},
    {"copy_file_range", two_files,
     [](both& sides) {
       off64_t from = 4;
       char text[4];
       return copy_file_range(sides.here, &from, sides.there, nullptr, 3, 0) == 3 && from == 7 &&
              is(pread(sides.there, text, 3, 0), text);
     },
     nullptr},
    {"fsync", digits, [](both& sides) { return fsync(sides.here) == 0; }, nullptr},
    {"fdatasync", digits, [](both& sides) { return fdatasync(sides.here) == 0; }, nullptr},
    // A page of a file that two have mapped.
    {"mmap64", digits,
     [](both& sides) {
       const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
       char* const one = static_cast<char*>(mmap64(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, sides.here, 0));
       char* const other = static_cast<char*>(mmap64(nullptr, bytes, PROT_READ, MAP_SHARED, sides.here, 0));
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
    for (const failing& entry : of_no_file) {
      for (int i = 0; i < 3; ++i) all_meet.arrive();
      errno = 0;
      const bool so = entry.make() == -1 && errno == entry.error;
      if (!so) std::fprintf(stderr, "%s: %s\n", entry.name, std::strerror(errno));
      CHECK(so);
    }
  });
}

// ---- rounds

constexpr int rounds = 6;

void calls_once(const call& what, both& sides, int round) {
  sides.acted = false;
  const bool prepared = what.prepare(sides), makes_it = prepared && !sides.missing;
  CHECK(prepared);
  sides.acted = !makes_it;  // nobody is to act
  sides.round = round;
  if (!makes_it) return;
  const int before = 1 + round * 7;
  errno = before;
  const bool right = what.make(sides);
  const int after = errno;
  if (!right || after != before) std::fprintf(stderr, "%s: errno was %d, now %d\n", what.name, before, after);
  CHECK(right && after == before);
  CHECK(sides.acted || what.act == nullptr);
}
void acts_once(const call& what, both& sides, int round) {
  while (sides.round != round) sched_yield();
  if (sides.acted || what.act == nullptr) return;
  for (int i = 0; i < 20 && round % 3 == 1; ++i) sched_yield();
  if (round % 3 == 2) sleep_for(0.002);  // it has blocked
  sides.acted = true;
  what.act(sides);
}
void clean_up(both& sides) {
  for (int* const end : {&sides.here, &sides.there})
    if (const int one = std::exchange(*end, -1); one >= 0) close(one);
  if (sides.child > 0) waitpid(std::exchange(sides.child, -1), nullptr, 0);  // unless the call has waited for it
}

void in_pairs(const call& what) {
  std::vector<both> pairs(static_cast<std::size_t>(what.alone ? 1 : members / 2));
  meeting all_meet;
  team([&](int me) {
    const auto place = static_cast<std::size_t>(me / 2);
    for (int round = 1; round <= rounds; ++round) {
      for (int i = 0; i < 5; ++i) all_meet.arrive();  // those that have blocked are members again
      if (place < pairs.size()) me % 2 == 0 ? calls_once(what, pairs[place], round) : acts_once(what, pairs[place], round);
      all_meet.arrive();
      if (place < pairs.size() && me % 2 == 0) clean_up(pairs[place]);
    }
  });
}

template <std::size_t... index>
int run(std::index_sequence<index...>) {
  return run_all({{"calls that fail", fail}, {calls[index].name, [] { in_pairs(calls[index]); }}...});
}

}  // namespace

int main() { return run(std::make_index_sequence<std::size(calls)>()); }
