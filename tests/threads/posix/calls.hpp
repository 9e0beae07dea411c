// Two threads, of which one makes a call of the system that blocks, and the other lets it go on.
#pragma once

#include "threads.hpp"

#include <utility>

#include <fcntl.h>
#include <mqueue.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

inline constexpr char mark = 'm';  // what comes or goes in the call that is looked at

/// What two threads share in one round: the one that calls, and the other, by which it may go on.
struct both {
  int here = -1, there = -1;  // the caller's and the other's end
  std::size_t marks = 1;      // the other reads so many before it returns
  pthread_t caller{};
  pid_t number = 0, child = -1;
  bool missing = false;  // this system does not have what the call needs
  std::atomic<int> round{0};
  std::atomic<bool> acted{false};
};

// ---- preparations, by the caller; false: they fail

inline bool sockets(both& sides, int kind) {
  int ends[2];
  if (socketpair(AF_UNIX, kind, 0, ends) != 0) return false;
  return sides.here = ends[0], sides.there = ends[1], true;
}
inline bool a_stream(both& sides) { return sockets(sides, SOCK_STREAM); }
inline bool datagrams(both& sides) { return sockets(sides, SOCK_DGRAM); }
inline bool a_full_end(int end) {
  const int flags = fcntl(end, F_GETFL);
  fcntl(end, F_SETFL, flags | O_NONBLOCK);
  for (const std::size_t bytes : {4096, 1})
    for (const char none[4096] = {}; write(end, none, bytes) > 0;) {
    }
  return fcntl(end, F_SETFL, flags) == 0;
}
inline bool a_full_stream(both& sides) { return a_stream(sides) && a_full_end(sides.here); }
inline bool full_datagrams(both& sides) { return sides.marks = 2, datagrams(sides) && a_full_end(sides.here); }
inline bool one_full_datagram(both& sides) { return datagrams(sides) && a_full_end(sides.here); }
inline bool a_full_pipe(both& sides) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  return sides.here = ends[1], sides.there = ends[0], a_full_end(sides.here);
}
inline bool digits(both& sides) {
  sides.here = memfd_create("weir", 0);
  return write(sides.here, "0123456789", 10) == 10 && lseek(sides.here, 0, SEEK_SET) == 0;
}
inline bool two_files(both& sides) {
  sides.there = memfd_create("weir", 0);
  return digits(sides);
}
/// It does `first`, says so, and what it does afterwards it does when it is told.
template <class First>
bool a_child(both& sides, First first) {
  if (!a_stream(sides)) return false;
  sides.child = fork();
  if (sides.child == 0) {
    first();
    char byte = 'x';
    _exit(write(sides.here, &byte, 1) == 1 && read(sides.here, &byte, 1) == 1 ? 7 : 1);
  }
  char byte = 0;
  return read(sides.there, &byte, 1) == 1;
}
inline bool a_child(both& sides) {
  return a_child(sides, [] {});
}
/// The signal comes to nobody but who asks for it.
inline bool a_blocked_signal(both& sides) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  sides.caller = pthread_self(), sides.number = gettid();
  return pthread_sigmask(SIG_BLOCK, &one, nullptr) == 0;
}
inline bool messages(both& sides, bool full) {
  char name[64];
  std::snprintf(name, sizeof name, "/weir-calls-%d-%d", getpid(), gettid());
  mq_attr how{};
  how.mq_maxmsg = 1;
  how.mq_msgsize = 8;
  sides.here = mq_open(name, O_CREAT | O_RDWR, 0600, &how);
  sides.missing = sides.here == -1 && errno == ENOSYS;
  if (sides.here == -1) return sides.missing;
  mq_unlink(name);
  sides.there = dup(sides.here);
  return !full || mq_send(sides.here, "full", 4, 0) == 0;
}
inline bool no_message(both& sides) { return messages(sides, false); }
inline bool a_full_queue(both& sides) { return messages(sides, true); }

inline sockaddr_un address_of(int socket) {
  sockaddr_un address{};
  socklen_t length = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  return address;
}
inline constexpr socklen_t unnamed = sizeof(sa_family_t), named = unnamed + 6;  // the kernel names it with five digits
inline bool a_listener(both& sides) {
  sockaddr_un any{};
  any.sun_family = AF_UNIX;
  sides.here = socket(AF_UNIX, SOCK_STREAM, 0), sides.there = socket(AF_UNIX, SOCK_STREAM, 0);
  return bind(sides.here, reinterpret_cast<sockaddr*>(&any), unnamed) == 0 && listen(sides.here, 0) == 0;
}
/// One more waits until the other thread accepts: one may, and two are there.
inline bool a_full_listener(both& sides) {
  if (!a_listener(sides)) return false;
  std::swap(sides.here, sides.there);
  const sockaddr_un to = address_of(sides.there);
  for (int connected = 0; connected < 10; ++connected) {
    const int one = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const bool went = connect(one, reinterpret_cast<const sockaddr*>(&to), named) == 0;
    close(one);
    if (!went) return errno == EAGAIN;
  }
  return false;
}

// ---- what the other thread does

inline void writes(both& sides) { CHECK(write(sides.there, &mark, 1) == 1); }
inline void sends_two(both& sides) { writes(sides), writes(sides); }
inline void reads_all(both& sides) {
  char some[4096];
  for (std::size_t seen = 0; seen < sides.marks;) {
    const ssize_t count = read(sides.there, some, sizeof some);
    if (count <= 0) return CHECK(count > 0);
    for (ssize_t i = 0; i < count; ++i) seen += some[i] == mark;
  }
}
inline void receives(both& sides) {
  char text[8];
  CHECK(mq_receive(sides.there, text, sizeof text, nullptr) == 4);
}
inline void closes(both& sides) { CHECK(close(std::exchange(sides.there, -1)) == 0); }
