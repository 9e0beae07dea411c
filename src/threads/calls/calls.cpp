// Functions that wait, and that a signal might end early, or when only a part is done [signal(7), "Interruption of system calls
// and library functions by signal handlers"].
#include "threads/posix/interpose.hpp"

#include <cerrno>
#include <type_traits>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "system/raw_call.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/claimant.hpp"
#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/in_handler.hpp"
#include "threads/support/code.hpp"

namespace {

using weir::threads::next_function;
using weir::threads::this_body;
using weir::threads::without_ticks;

// How a call can be known to block.
struct if_so {
  bool so;
  bool blocks() const { return so; }
};
constexpr if_so always{true}, perhaps{false};  // perhaps: the monitor will see
// The same, where another thread of the program may have to end the call.
struct perhaps_for_another : if_so {};
constexpr perhaps_for_another until_another{perhaps};
template <class How>
constexpr bool waits_for_another(const How&) {
  return std::is_same_v<How, perhaps_for_another>;
}
bool none_is_ready(pollfd* of, nfds_t n) {
  timespec none{};
  return weir::raw_call(SYS_ppoll, weir::as_argument(of), static_cast<long>(n), weir::as_argument(&none), 0, 0) == 0;
}
struct unless_ready {
  int file;
  short how;
  bool blocks() const {
    pollfd polled{file, how, 0};
    return none_is_ready(&polled, 1) && (weir::raw_call(SYS_fcntl, file, F_GETFL) & O_NONBLOCK) == 0;
  }
};
unless_ready to_read(int file) { return {file, POLLIN}; }
unless_ready to_write(int file) { return {file, POLLOUT}; }
struct unless_any_ready {
  pollfd* of;
  nfds_t n;
  bool waits;
  bool blocks() const { return waits && none_is_ready(of, n); }
};
unless_any_ready for_any(pollfd* of, nfds_t n, bool waits) { return {of, n, waits}; }
bool is_no_time(const timespec* t) { return t != nullptr && t->tv_sec == 0 && t->tv_nsec == 0; }
bool is_no_time(const timeval* t) { return t != nullptr && t->tv_sec == 0 && t->tv_usec == 0; }

/// Does the calling member, still on its processor, block in this call?
template <class How>
bool is_going_to_block(How how, const void* return_address) {
  if (weir::threads::is_called_by_allocator(return_address)) return false;
  weir::threads::detach_if_asked();  // the call is a cancellation point
  if (this_body == nullptr) return false;
  const bool blocks = how.blocks();
  if ((!blocks && !waits_for_another(how)) || weir::threads::is_in_child()) return false;
  if (blocks && weir::threads::detach_to_block()) return false;
  // The kernel thread's own body may need it before this call ends: to change its state, and only then to let the call end.
  if (weir::threads::is_in_lent_thread() && !weir::threads::waits_in_handler(*this_body)) weir::threads::block_in_own_thread();
  return blocks && this_body != nullptr;
}

}  // namespace

#define WAITS(result, name, parameters, arguments, blocks) WAITS_WITH_MASK(result, name, parameters, arguments, blocks, nullptr)
// With another signal mask meanwhile: signals for this thread alone that it has blocked wait for its own kernel thread.
#define WAITS_WITH_MASK(result, name, parameters, arguments, blocks, mask)  \
  INTERPOSE_WAITING(result, name, parameters) {                             \
    auto* const call = next_##name.get();                                   \
    if (call == nullptr) return errno = ENOSYS, static_cast<result>(-1);    \
    if (mask != nullptr) weir::threads::pin();                              \
    const weir::threads::blocking_call begun(is_going_to_block(blocks, __builtin_return_address(0))); \
    const without_ticks meanwhile;                                          \
    return call arguments;                                                  \
  }

WAITS(ssize_t, read, (int f, void* to, size_t n), (f, to, n), to_read(f))
WAITS(ssize_t, pread, (int f, void* to, size_t n, off_t at), (f, to, n, at), to_read(f))
WAITS(ssize_t, pread64, (int f, void* to, size_t n, off_t at), (f, to, n, at), to_read(f))
WAITS(ssize_t, readv, (int f, const iovec* to, int n), (f, to, n), to_read(f))
WAITS(ssize_t, preadv, (int f, const iovec* to, int n, off_t at), (f, to, n, at), to_read(f))
WAITS(ssize_t, preadv64, (int f, const iovec* to, int n, off_t at), (f, to, n, at), to_read(f))
WAITS(ssize_t, write, (int f, const void* from, size_t n), (f, from, n), to_write(f))
WAITS(ssize_t, pwrite, (int f, const void* from, size_t n, off_t at), (f, from, n, at), to_write(f))
WAITS(ssize_t, pwrite64, (int f, const void* from, size_t n, off_t at), (f, from, n, at), to_write(f))
WAITS(ssize_t, writev, (int f, const iovec* from, int n), (f, from, n), to_write(f))
WAITS(ssize_t, pwritev, (int f, const iovec* from, int n, off_t at), (f, from, n, at), to_write(f))
WAITS(ssize_t, pwritev64, (int f, const iovec* from, int n, off_t at), (f, from, n, at), to_write(f))
WAITS(ssize_t, sendfile, (int to, int from, off_t* at, size_t n), (to, from, at, n), until_another)
WAITS(ssize_t, sendfile64, (int to, int from, off_t* at, size_t n), (to, from, at, n), until_another)
WAITS(ssize_t, splice, (int a, off_t* at, int b, off_t* bt, size_t n, unsigned how), (a, at, b, bt, n, how), until_another)
WAITS(ssize_t, copy_file_range, (int a, off_t* at, int b, off_t* bt, size_t n, unsigned how), (a, at, b, bt, n, how), perhaps)
WAITS(ssize_t, getrandom, (void* to, size_t n, unsigned how), (to, n, how), perhaps)
WAITS(ssize_t, recv, (int s, void* to, size_t n, int how), (s, to, n, how), to_read(s))
WAITS(ssize_t, recvfrom, (int s, void* to, size_t n, int how, sockaddr* who, socklen_t* length), (s, to, n, how, who, length),
      to_read(s))
WAITS(ssize_t, recvmsg, (int s, msghdr* to, int how), (s, to, how), to_read(s))
WAITS(int, recvmmsg, (int s, mmsghdr* to, unsigned n, int how, timespec* most), (s, to, n, how, most), to_read(s))
WAITS(ssize_t, send, (int s, const void* from, size_t n, int how), (s, from, n, how), to_write(s))
WAITS(ssize_t, sendto, (int s, const void* from, size_t n, int how, const sockaddr* to, socklen_t length),
      (s, from, n, how, to, length), to_write(s))
WAITS(ssize_t, sendmsg, (int s, const msghdr* from, int how), (s, from, how), to_write(s))
WAITS(int, sendmmsg, (int s, mmsghdr* from, unsigned n, int how), (s, from, n, how), to_write(s))
WAITS(int, accept, (int s, sockaddr* who, socklen_t* length), (s, who, length), to_read(s))
WAITS(int, accept4, (int s, sockaddr* who, socklen_t* length, int how), (s, who, length, how), to_read(s))
WAITS(int, connect, (int s, const sockaddr* to, socklen_t length), (s, to, length), until_another)
WAITS(int, poll, (pollfd* of, nfds_t n, int ms), (of, n, ms), for_any(of, n, ms != 0))
WAITS_WITH_MASK(int, ppoll, (pollfd * of, nfds_t n, const timespec* most, const sigset_t* mask), (of, n, most, mask),
                for_any(of, n, !is_no_time(most)), mask)
WAITS(int, select, (int n, fd_set* r, fd_set* w, fd_set* e, timeval* most), (n, r, w, e, most), if_so{!is_no_time(most)})
WAITS_WITH_MASK(int, pselect, (int n, fd_set* r, fd_set* w, fd_set* e, const timespec* most, const sigset_t* mask),
                (n, r, w, e, most, mask), if_so{!is_no_time(most)}, mask)
WAITS(int, epoll_wait, (int f, epoll_event* to, int n, int ms), (f, to, n, ms), if_so{ms != 0 && to_read(f).blocks()})
WAITS_WITH_MASK(int, epoll_pwait, (int f, epoll_event* to, int n, int ms, const sigset_t* mask), (f, to, n, ms, mask),
                if_so{ms != 0 && to_read(f).blocks()}, mask)
WAITS_WITH_MASK(int, epoll_pwait2, (int f, epoll_event* to, int n, const timespec* most, const sigset_t* mask),
                (f, to, n, most, mask), if_so{!is_no_time(most) && to_read(f).blocks()}, mask)
// By which the headers replace those above, where the size of the memory is known [LSB 5.0, "_FORTIFY_SOURCE"].
WAITS(ssize_t, __read_chk, (int f, void* to, size_t n, size_t room), (f, to, n, room), to_read(f))
WAITS(ssize_t, __pread_chk, (int f, void* to, size_t n, off_t at, size_t room), (f, to, n, at, room), to_read(f))
WAITS(ssize_t, __pread64_chk, (int f, void* to, size_t n, off_t at, size_t room), (f, to, n, at, room), to_read(f))
WAITS(ssize_t, __recv_chk, (int s, void* to, size_t n, size_t room, int how), (s, to, n, room, how), to_read(s))
WAITS(ssize_t, __recvfrom_chk, (int s, void* to, size_t n, size_t room, int how, sockaddr* who, socklen_t* length),
      (s, to, n, room, how, who, length), to_read(s))
WAITS(int, __poll_chk, (pollfd* of, nfds_t n, int ms, size_t room), (of, n, ms, room), for_any(of, n, ms != 0))
WAITS_WITH_MASK(int, __ppoll_chk, (pollfd* of, nfds_t n, const timespec* most, const sigset_t* mask, size_t room),
                (of, n, most, mask, room), for_any(of, n, !is_no_time(most)), mask)
WAITS(int, nanosleep, (const timespec* time, timespec* left), (time, left), always)
WAITS(int, clock_nanosleep, (clockid_t clock, int how, const timespec* time, timespec* left), (clock, how, time, left), always)
WAITS(int, thrd_sleep, (const timespec* time, timespec* left), (time, left), always)
WAITS(int, usleep, (useconds_t us), (us), always)
WAITS(unsigned, sleep, (unsigned s), (s), always)
WAITS(int, pause, (), (), always)
WAITS_WITH_MASK(int, sigsuspend, (const sigset_t* mask), (mask), always, mask)
WAITS(int, semop, (int s, sembuf* what, size_t n), (s, what, n), until_another)
WAITS(int, semtimedop, (int s, sembuf* what, size_t n, const timespec* most), (s, what, n, most), until_another)
WAITS(ssize_t, msgrcv, (int q, void* to, size_t n, long type, int how), (q, to, n, type, how), until_another)
WAITS(int, msgsnd, (int q, const void* from, size_t n, int how), (q, from, n, how), until_another)
WAITS(ssize_t, mq_receive, (int q, char* to, size_t n, unsigned* priority), (q, to, n, priority), to_read(q))
WAITS(ssize_t, mq_timedreceive, (int q, char* to, size_t n, unsigned* priority, const timespec* most), (q, to, n, priority, most),
      to_read(q))
WAITS(int, mq_send, (int q, const char* from, size_t n, unsigned priority), (q, from, n, priority), to_write(q))
WAITS(int, mq_timedsend, (int q, const char* from, size_t n, unsigned priority, const timespec* most),
      (q, from, n, priority, most), to_write(q))
WAITS(int, flock, (int f, int how), (f, how), until_another)
WAITS(int, lockf, (int f, int how, off_t n), (f, how, n), until_another)
WAITS(int, fsync, (int f), (f), always)
WAITS(int, fdatasync, (int f), (f), always)
WAITS(pid_t, wait, (int* how), (how), always)
WAITS(pid_t, waitpid, (pid_t p, int* how, int what), (p, how, what), if_so{(what & WNOHANG) == 0})
WAITS(pid_t, wait3, (int* how, int what, rusage* used), (how, what, used), if_so{(what & WNOHANG) == 0})
WAITS(pid_t, wait4, (pid_t p, int* how, int what, rusage* used), (p, how, what, used), if_so{(what & WNOHANG) == 0})
WAITS(int, waitid, (idtype_t kind, id_t of, siginfo_t* to, int what), (kind, of, to, what), if_so{(what & WNOHANG) == 0})

#undef WAITS
#undef WAITS_WITH_MASK
