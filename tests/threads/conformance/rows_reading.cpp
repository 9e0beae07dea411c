// Calls that wait for bytes.
#include "../checked_reads.hpp"
#include "row.hpp"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

namespace {

void own(place& p, const int (&ends)[2]) {
  p.here = ends[0], p.there = ends[1];
  p.files.insert(p.files.end(), {ends[0], ends[1]});
}
void a_pipe(place& p) {
  int ends[2];
  if (pipe(ends) == 0) own(p, ends);
}
void a_stream(place& p) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) own(p, ends);
}
void some(place& p) { (void)!write(p.there, "some", 4); }
void close_there(place& p) { shutdown(p.there, SHUT_RDWR), close(p.there), p.files.pop_back(), p.there = -1; }
void close_pipe(place& p) { close(p.there), p.files.pop_back(), p.there = -1; }
void at_once_only(place& p) { fcntl(p.here, F_SETFL, fcntl(p.here, F_GETFL) | O_NONBLOCK); }
void digits(place& p) {
  const int file = memfd_create("conformance", 0);
  (void)!write(file, "0123456789", 10);
  lseek(file, 0, SEEK_SET);
  p.here = file;
  p.files.push_back(file);
}
void only_to_write(place& p) {
  p.here = open("/dev/null", O_WRONLY);
  p.files.push_back(p.here);
}
void nothing_open(place& p) { p.here = -1; }
act then(act first, act second) {
  return [=](place& p) { first(p), second(p); };
}
void say_bytes(place& p) { p.note("[%s]", p.bytes); }

/// Every form of read on a pipe, and on a file.
void add_pipe(row& to, const call& run) {
  to.ways.push_back({"at once", run, then(a_pipe, some)});
  to.ways.push_back({"is woken", run, a_pipe, {}, some});
  to.ways.push_back({"ended", run, then(a_pipe, close_pipe)});
  to.ways.push_back({"end wakes", run, a_pipe, {}, close_pipe, no_signals});
  to.ways.push_back({"EAGAIN", run, then(a_pipe, at_once_only)});
  to.ways.push_back({"EBADF", run, nothing_open});
  to.ways.push_back({"EBADF of a file", run, only_to_write});
}
void add_file(row& to, const call& run) {
  to.ways.push_back({"of a file", run, digits});
  to.ways.push_back({"ESPIPE", run, then(a_pipe, some)});
  to.ways.push_back({"EBADF", run, nothing_open});
  to.ways.push_back({"EBADF of a file", run, only_to_write});
}
void add_stream(row& to, const call& run) {
  to.ways.push_back({"at once", run, then(a_stream, some)});
  to.ways.push_back({"is woken", run, a_stream, {}, some});
  to.ways.push_back({"end wakes", run, a_stream, {}, close_there, no_signals});
  to.ways.push_back({"EAGAIN", run, then(a_stream, at_once_only)});
  to.ways.push_back({"ENOTSOCK", run, a_pipe});
  to.ways.push_back({"EBADF", run, nothing_open});
  const act limited = [](place& p) {
    a_stream(p);
    const timeval limit{0, 5000};
    setsockopt(p.here, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  };
  to.ways.push_back({"limit", run, limited});
}

rows of_pipes() {
  rows made;
  const auto reads = [&made](const char* name, const call& run, bool at_a_place, const act& state = say_bytes) {
    row one{name, returns::minus_one, point, {}, state};
    if (at_a_place) add_file(one, run);
    else add_pipe(one, run), one.ways.push_back({"of a file", run, digits});
    made.push_back(one);
    return &made.back();
  };
  row* const of_read = reads("read", [](place& p) { return read(p.here, p.bytes, 8); }, false);
  of_read->ways.push_back({"EFAULT", [](place& p) { return read(p.here, reinterpret_cast<void*>(8), 8); }, then(a_pipe, some)});
  of_read->ways.push_back({"nothing", [](place& p) { return read(p.here, p.bytes, 0); }, a_pipe});
  of_read->ways.push_back({"EISDIR", [](place& p) { return read(p.here, p.bytes, 8); }, [](place& p) {
                             p.here = open("/", O_RDONLY);
                             p.files.push_back(p.here);
                           }});
  reads("__read_chk", [](place& p) { return __read_chk(p.here, p.bytes, 8, sizeof p.bytes); }, false);
  const auto in_two = [](place& p, auto function) {
    iovec parts[2] = {{p.bytes, 3}, {p.bytes + 3, 5}};
    return function(parts);
  };
  row* const of_readv = reads("readv", [=](place& p) { return in_two(p, [&](iovec* v) { return readv(p.here, v, 2); }); }, false);
  of_readv->ways.push_back(
      {"EINVAL", [=](place& p) { return in_two(p, [&](iovec* v) { return readv(p.here, v, -1); }); }, a_pipe});
  reads("pread", [](place& p) { return pread(p.here, p.bytes, 4, 2); }, true)->ways.push_back(
      {"EINVAL", [](place& p) { return pread(p.here, p.bytes, 4, -1); }, digits});
  reads("pread64", [](place& p) { return pread64(p.here, p.bytes, 4, 2); }, true)->ways.push_back(
      {"EINVAL", [](place& p) { return pread64(p.here, p.bytes, 4, -1); }, digits});
  reads("__pread_chk", [](place& p) { return __pread_chk(p.here, p.bytes, 4, 2, sizeof p.bytes); }, true);
  reads("__pread64_chk", [](place& p) { return __pread64_chk(p.here, p.bytes, 4, 2, sizeof p.bytes); }, true);
  reads("preadv", [=](place& p) { return in_two(p, [&](iovec* v) { return preadv(p.here, v, 2, 1); }); }, true);
  reads("preadv64", [=](place& p) { return in_two(p, [&](iovec* v) { return preadv64(p.here, v, 2, 1); }); }, true);
  return made;
}

rows of_sockets() {
  rows made;
  const auto receives = [&made](const char* name, const call& run, const act& state = say_bytes) {
    row one{name, returns::minus_one, point, {}, state};
    add_stream(one, run);
    made.push_back(one);
    return &made.back();
  };
  row* const of_recv = receives("recv", [](place& p) { return recv(p.here, p.bytes, 8, 0); });
  of_recv->ways.push_back({"peeks", [](place& p) { return recv(p.here, p.bytes, 8, MSG_PEEK); }, then(a_stream, some)});
  of_recv->ways.push_back({"does not wait", [](place& p) { return recv(p.here, p.bytes, 8, MSG_DONTWAIT); }, a_stream});
  of_recv->ways.push_back({"all, in two parts",
                           [](place& p) { return recv(p.here, p.bytes, 8, MSG_WAITALL); },
                           then(a_stream, some),
                           {},
                           some,
                           no_signals | no_cancel});
  of_recv->ways.push_back({"ENOTCONN", [](place& p) { return recv(p.here, p.bytes, 8, 0); }, [](place& p) {
                             p.here = socket(AF_INET, SOCK_STREAM, 0);
                             p.files.push_back(p.here);
                           }});
  receives("__recv_chk", [](place& p) { return __recv_chk(p.here, p.bytes, 8, sizeof p.bytes, 0); });
  receives("recvfrom", [](place& p) { return recvfrom(p.here, p.bytes, 8, 0, nullptr, nullptr); });
  receives("__recvfrom_chk", [](place& p) { return __recvfrom_chk(p.here, p.bytes, 8, sizeof p.bytes, 0, nullptr, nullptr); });
  receives("recvmsg", [](place& p) {
    iovec part{p.bytes, 8};
    msghdr message{};
    message.msg_iov = &part, message.msg_iovlen = 1;
    return recvmsg(p.here, &message, 0);
  });
  receives("recvmmsg", [](place& p) {
    iovec part{p.bytes, 8};
    mmsghdr message{};
    message.msg_hdr.msg_iov = &part, message.msg_hdr.msg_iovlen = 1;
    const int found = recvmmsg(p.here, &message, 1, 0, nullptr);
    const int error = errno;
    if (found == 1) p.note("%u bytes", message.msg_len);
    errno = error;
    return found;
  });
  const act listener = [](place& p) {
    sockaddr_un any{};
    any.sun_family = AF_UNIX;
    p.here = socket(AF_UNIX, SOCK_STREAM, 0), p.there = socket(AF_UNIX, SOCK_STREAM, 0);
    p.files.insert(p.files.end(), {p.here, p.there});
    bind(p.here, reinterpret_cast<sockaddr*>(&any), sizeof(sa_family_t));
    listen(p.here, 4);
  };
  const act connects = [](place& p) {
    sockaddr_un to{};
    socklen_t length = sizeof to;
    getsockname(p.here, reinterpret_cast<sockaddr*>(&to), &length);
    connect(p.there, reinterpret_cast<sockaddr*>(&to), length);
  };
  const auto accepts = [](bool four) -> call {
    return [four](place& p) {
      const int found = four ? accept4(p.here, nullptr, nullptr, SOCK_CLOEXEC) : accept(p.here, nullptr, nullptr);
      if (found == -1) return -1;
      const int error = errno;
      p.note("close on exec %d", (fcntl(found, F_GETFD) & FD_CLOEXEC) != 0);
      p.files.push_back(found);
      errno = error;
      return 0;
    };
  };
  for (const bool four : {false, true}) {
    const call run = accepts(four);
    made.push_back({four ? "accept4" : "accept", returns::minus_one, point,
                    {{"at once", run, then(listener, connects)},
                     {"is woken", run, listener, {}, connects},
                     {"EAGAIN", run, then(listener, at_once_only)},
                     {"EINVAL", run, [](place& p) {
                        p.here = socket(AF_UNIX, SOCK_STREAM, 0);
                        p.files.push_back(p.here);
                      }},
                     {"EOPNOTSUPP", run, [](place& p) {
                        p.here = socket(AF_UNIX, SOCK_DGRAM, 0);
                        p.files.push_back(p.here);
                      }},
                     {"ENOTSOCK", run, a_pipe},
                     {"EBADF", run, nothing_open}}});
  }
  return made;
}

/// A queue of one message.
act a_queue(bool full, int how = 0) {
  return [=](place& p) {
    static std::atomic<int> number{0};
    char name[64];
    std::snprintf(name, sizeof name, "/conformance-%d-%d", getpid(), number++);
    mq_attr attributes{};
    attributes.mq_maxmsg = 1, attributes.mq_msgsize = 8;
    p.here = mq_open(name, O_CREAT | O_RDWR | how, 0600, &attributes);
    p.third = 0;
    if (p.here == -1) p.note("no queue: %s", strerrorname_np(errno));
    else p.files.push_back(p.here);
    mq_unlink(name);
    if (full) mq_send(p.here, "four", 4, 3);
  };
}

rows of_queues() {
  rows made;
  const act sends = [](place& p) { mq_send(p.here, "four", 4, 3); };
  const act receives = [](place& p) {
    char text[8];
    mq_receive(p.here, text, sizeof text, nullptr);
  };
  const auto receive = [](place& p) {
    unsigned priority = 0;
    const auto found = mq_receive(p.here, p.bytes, 8, &priority);
    const int error = errno;
    if (found != -1) p.note("priority %u", priority);
    errno = error;
    return found;
  };
  made.push_back({"mq_receive", returns::minus_one, point,
                  {{"at once", receive, a_queue(true)},
                   {"is woken", receive, a_queue(false), {}, sends},
                   {"EAGAIN", receive, a_queue(false, O_NONBLOCK)},
                   {"EMSGSIZE", [](place& p) { return mq_receive(p.here, p.bytes, 7, nullptr); }, a_queue(true)},
                   {"EBADF", receive, nothing_open}}, say_bytes});
  row timed{"mq_timedreceive", returns::minus_one, point, {}, say_bytes};
  add_limits(timed.ways, {CLOCK_REALTIME,
                          [](place& p) { return mq_timedreceive(p.here, p.bytes, 8, nullptr, &p.time); },
                          a_queue(true),
                          a_queue(false),
                          {},
                          sends});
  made.push_back(timed);
  const auto send = [](place& p) { return mq_send(p.here, "five!", 5, 1); };
  made.push_back({"mq_send", returns::minus_one, point,
                  {{"at once", send, a_queue(false)},
                   {"is woken", send, a_queue(true), {}, receives},
                   {"EAGAIN", send, a_queue(true, O_NONBLOCK)},
                   {"EMSGSIZE", [](place& p) { return mq_send(p.here, p.bytes, 9, 0); }, a_queue(false)},
                   {"EINVAL", [](place& p) { return mq_send(p.here, p.bytes, 1, 1u << 20); }, a_queue(false)},
                   {"EBADF", send, nothing_open}}});
  row timed_send{"mq_timedsend", returns::minus_one, point, {}};
  add_limits(timed_send.ways, {CLOCK_REALTIME,
                               [](place& p) { return mq_timedsend(p.here, "five!", 5, 1, &p.time); },
                               a_queue(false),
                               a_queue(true),
                               {},
                               receives});
  made.push_back(timed_send);
  return made;
}

}  // namespace

rows rows_of_reading() {
  rows made = of_pipes();
  for (const auto part : {of_sockets, of_queues})
    for (row& each : part()) made.push_back(each);
  const auto random = [](unsigned how) -> call { return [how](place& p) { return getrandom(p.bytes, 8, how); }; };
  made.push_back({"getrandom", returns::minus_one, point, {{"at once", random(0)}, {"EINVAL", random(0x100)}}});
  return made;
}
