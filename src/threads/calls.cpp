// Functions that wait, and that a signal might end early, or when only a part is done [signal(7), "Interruption of system calls
// and library functions by signal handlers"].
#include "threads/calls.hpp"

#include <cerrno>

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

namespace {

using weir::threads::next_function;
using weir::threads::without_ticks;

}  // namespace

// The symbol has the name, the function another one: the headers may declare it with attributes of their own.
#define WAITS(result, name, parameters, arguments) WAITS_WITH_MASK(result, name, parameters, arguments, nullptr)
// With another signal mask meanwhile: signals for this thread alone that it has blocked wait for its own kernel thread.
#define WAITS_WITH_MASK(result, name, parameters, arguments, mask)          \
  extern "C" [[gnu::visibility("default")]] result weir_before_##name parameters asm(#name); \
  extern "C" result weir_before_##name parameters {                         \
    static constinit next_function<result parameters> next(#name);          \
    auto* const call = next.get();                                          \
    if (call == nullptr) return errno = ENOSYS, static_cast<result>(-1);    \
    if (mask != nullptr) weir::threads::pin();                              \
    const without_ticks meanwhile;                                          \
    return call arguments;                                                  \
  }

WAITS(ssize_t, read, (int f, void* to, size_t n), (f, to, n))
WAITS(ssize_t, pread, (int f, void* to, size_t n, off_t at), (f, to, n, at))
WAITS(ssize_t, pread64, (int f, void* to, size_t n, off_t at), (f, to, n, at))
WAITS(ssize_t, readv, (int f, const iovec* to, int n), (f, to, n))
WAITS(ssize_t, preadv, (int f, const iovec* to, int n, off_t at), (f, to, n, at))
WAITS(ssize_t, preadv64, (int f, const iovec* to, int n, off_t at), (f, to, n, at))
WAITS(ssize_t, write, (int f, const void* from, size_t n), (f, from, n))
WAITS(ssize_t, pwrite, (int f, const void* from, size_t n, off_t at), (f, from, n, at))
WAITS(ssize_t, pwrite64, (int f, const void* from, size_t n, off_t at), (f, from, n, at))
WAITS(ssize_t, writev, (int f, const iovec* from, int n), (f, from, n))
WAITS(ssize_t, pwritev, (int f, const iovec* from, int n, off_t at), (f, from, n, at))
WAITS(ssize_t, pwritev64, (int f, const iovec* from, int n, off_t at), (f, from, n, at))
WAITS(ssize_t, sendfile, (int to, int from, off_t* at, size_t n), (to, from, at, n))
WAITS(ssize_t, sendfile64, (int to, int from, off_t* at, size_t n), (to, from, at, n))
WAITS(ssize_t, splice, (int a, off_t* at, int b, off_t* bt, size_t n, unsigned how), (a, at, b, bt, n, how))
WAITS(ssize_t, copy_file_range, (int a, off_t* at, int b, off_t* bt, size_t n, unsigned how), (a, at, b, bt, n, how))
WAITS(ssize_t, getrandom, (void* to, size_t n, unsigned how), (to, n, how))
WAITS(ssize_t, recv, (int s, void* to, size_t n, int how), (s, to, n, how))
WAITS(ssize_t, recvfrom, (int s, void* to, size_t n, int how, sockaddr* who, socklen_t* length), (s, to, n, how, who, length))
WAITS(ssize_t, recvmsg, (int s, msghdr* to, int how), (s, to, how))
WAITS(int, recvmmsg, (int s, mmsghdr* to, unsigned n, int how, timespec* most), (s, to, n, how, most))
WAITS(ssize_t, send, (int s, const void* from, size_t n, int how), (s, from, n, how))
WAITS(ssize_t, sendto, (int s, const void* from, size_t n, int how, const sockaddr* to, socklen_t length),
      (s, from, n, how, to, length))
WAITS(ssize_t, sendmsg, (int s, const msghdr* from, int how), (s, from, how))
WAITS(int, sendmmsg, (int s, mmsghdr* from, unsigned n, int how), (s, from, n, how))
WAITS(int, accept, (int s, sockaddr* who, socklen_t* length), (s, who, length))
WAITS(int, accept4, (int s, sockaddr* who, socklen_t* length, int how), (s, who, length, how))
WAITS(int, connect, (int s, const sockaddr* to, socklen_t length), (s, to, length))
WAITS(int, poll, (pollfd* of, nfds_t n, int ms), (of, n, ms))
WAITS_WITH_MASK(int, ppoll, (pollfd* of, nfds_t n, const timespec* most, const sigset_t* mask), (of, n, most, mask), mask)
WAITS(int, select, (int n, fd_set* r, fd_set* w, fd_set* e, timeval* most), (n, r, w, e, most))
WAITS_WITH_MASK(int, pselect, (int n, fd_set* r, fd_set* w, fd_set* e, const timespec* most, const sigset_t* mask),
                (n, r, w, e, most, mask), mask)
WAITS(int, epoll_wait, (int f, epoll_event* to, int n, int ms), (f, to, n, ms))
WAITS_WITH_MASK(int, epoll_pwait, (int f, epoll_event* to, int n, int ms, const sigset_t* mask), (f, to, n, ms, mask), mask)
WAITS_WITH_MASK(int, epoll_pwait2, (int f, epoll_event* to, int n, const timespec* most, const sigset_t* mask),
                (f, to, n, most, mask), mask)
WAITS(int, nanosleep, (const timespec* time, timespec* left), (time, left))
WAITS(int, clock_nanosleep, (clockid_t clock, int how, const timespec* time, timespec* left), (clock, how, time, left))
WAITS(int, usleep, (useconds_t us), (us))
WAITS(unsigned, sleep, (unsigned s), (s))
WAITS(int, pause, (), ())
WAITS_WITH_MASK(int, sigsuspend, (const sigset_t* mask), (mask), mask)
WAITS(int, sem_wait, (sem_t* s), (s))
WAITS(int, sem_timedwait, (sem_t* s, const timespec* until), (s, until))
WAITS(int, sem_clockwait, (sem_t* s, clockid_t clock, const timespec* until), (s, clock, until))
WAITS(int, semop, (int s, sembuf* what, size_t n), (s, what, n))
WAITS(int, semtimedop, (int s, sembuf* what, size_t n, const timespec* most), (s, what, n, most))
WAITS(ssize_t, msgrcv, (int q, void* to, size_t n, long type, int how), (q, to, n, type, how))
WAITS(int, msgsnd, (int q, const void* from, size_t n, int how), (q, from, n, how))
WAITS(int, flock, (int f, int how), (f, how))
WAITS(int, lockf, (int f, int how, off_t n), (f, how, n))
WAITS(int, fsync, (int f), (f))
WAITS(int, fdatasync, (int f), (f))
WAITS(pid_t, wait, (int* how), (how))
WAITS(pid_t, waitpid, (pid_t p, int* how, int what), (p, how, what))
WAITS(int, waitid, (idtype_t kind, id_t of, siginfo_t* to, int what), (kind, of, to, what))

#undef WAITS
#undef WAITS_WITH_MASK
