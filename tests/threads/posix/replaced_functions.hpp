// A call of each function of the C library that Weir replaces: one that ends at once. Nothing here needs to be destroyed, so the
// calls may be cancelled anywhere.
#pragma once

#include "../checked_reads.hpp"
#include "threads.hpp"

#include <csetjmp>
#include <cstdarg>

#include <fcntl.h>
#include <grp.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <threads.h>
#include <ucontext.h>

extern "C" {
// Without the attributes of the headers, or not in them.
int __poll_chk(pollfd*, nfds_t, int, size_t);
int __ppoll_chk(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t);
int __sigaction(int, const struct sigaction*, struct sigaction*);
void (*bsd_signal(int, void (*)(int)))(int);
void (*__sysv_signal(int, void (*)(int)))(int);
void __longjmp_chk(jmp_buf, int);
int arch_prctl(int, unsigned long);
int capset(void*, const void*);
[[gnu::weak]] int sched_setattr(pid_t, void*, unsigned);  // not in all C libraries
int __xpg_sigpause(int);
int sigblock(int);
int sigsetmask(int);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace replaced {

// What the calls use. It is made anew for each call that is cancelled.
inline struct things {
  pthread_mutex_t mutex, kept;
  pthread_cond_t changed;
  pthread_rwlock_t lock;
  pthread_spinlock_t spin;
  pthread_barrier_t barrier;
  pthread_once_t once;
  sem_t some;
  mtx_t mutex_of_c11;
  cnd_t changed_of_c11;
  once_flag once_of_c11;
  std::uint32_t word;
} objects;
inline int ready[2], stream[2], null_file, message_queue, semaphores, queue;  // a pipe with bytes, and connected sockets
inline char bytes[64];
inline const timespec at_once{0, 1}, past{1, 0};

inline void make_things() {
  objects = things{PTHREAD_MUTEX_INITIALIZER,
                   PTHREAD_MUTEX_INITIALIZER,
                   PTHREAD_COND_INITIALIZER,
                   PTHREAD_RWLOCK_INITIALIZER,
                   {},
                   {},
                   PTHREAD_ONCE_INIT,
                   {},
                   {},
                   {},
                   ONCE_FLAG_INIT,
                   0};
  pthread_spin_init(&objects.spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&objects.barrier, nullptr, 1);
  sem_init(&objects.some, 0, 1);
  mtx_init(&objects.mutex_of_c11, mtx_plain);
  cnd_init(&objects.changed_of_c11);
}
inline void make_files() {
  CHECK(pipe(ready) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, stream) == 0);
  CHECK(write(ready[1], bytes, sizeof bytes) == sizeof bytes);
  for (const int end : {0, 1}) fcntl(stream[end], F_SETFL, O_NONBLOCK);
  null_file = open("/dev/null", O_RDWR);
  message_queue = -1;
  semaphores = queue = -1;
}
inline void* nothing(void*) { return nullptr; }
inline int nothing_of_c11(void*) { return 0; }
inline void no_routine() {}
inline void no_handler(int) {}

inline int ends_at_once(void*) { return 0; }
inline char stack_of_child[16384];
/// It is pending, and does nothing else.
inline void send_blocked(int which) {
  signal(which, no_handler);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, which);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  raise(which);
}

struct row {
  const char* name;
  void (*call)();
  bool ends_thread = false;
  bool is_point = false;  // of cancellation, or calls one
};
// Rows of functions that can only be called after others have both, as pthread_mutex_unlock, mtx_unlock, pthread_rwlock_unlock,
// pthread_detach and thrd_detach. Not here: pthread_cond_wait, cnd_wait and pause, which do not end by themselves
// (endless_calls.hpp), _exit and _Exit, after which nobody is left to be cancelled, thrd_exit, which is pthread_exit, and
// initgroups, which reads files for some 100,000 instructions.
#define ROW(name, ...) {#name, [] { __VA_ARGS__; }}
#define POINT(name, ...) {#name, [] { __VA_ARGS__; }, false, true}
#define JUMP(name, set)                        \
  {#name, [] {                                 \
     static jmp_buf to;                        \
     if (set == 0) name(to, 1);                \
   }}

inline const row rows[] = {
    ROW(pthread_mutex_lock, pthread_mutex_lock(&objects.mutex); pthread_mutex_unlock(&objects.mutex)),
    ROW(pthread_mutex_trylock, pthread_mutex_trylock(&objects.mutex)),
    ROW(pthread_mutex_timedlock, pthread_mutex_timedlock(&objects.mutex, &past)),
    ROW(pthread_mutex_clocklock, pthread_mutex_clocklock(&objects.mutex, CLOCK_MONOTONIC, &past)),
    ROW(pthread_mutexattr_setprotocol, pthread_mutexattr_t a; pthread_mutexattr_init(&a);
        pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_NONE)),
    ROW(pthread_spin_lock, pthread_spin_lock(&objects.spin)),
    POINT(pthread_cond_timedwait, pthread_mutex_lock(&objects.kept);
        pthread_cond_timedwait(&objects.changed, &objects.kept, &past)),
    POINT(pthread_cond_clockwait, pthread_mutex_lock(&objects.kept);
        pthread_cond_clockwait(&objects.changed, &objects.kept, CLOCK_MONOTONIC, &past)),
    ROW(pthread_cond_init, pthread_cond_init(&objects.changed, nullptr)),
    ROW(pthread_cond_destroy, pthread_cond_destroy(&objects.changed)),
    ROW(pthread_cond_signal, pthread_cond_signal(&objects.changed)),
    ROW(pthread_cond_broadcast, pthread_cond_broadcast(&objects.changed)),
    ROW(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&objects.lock); pthread_rwlock_unlock(&objects.lock)),
    ROW(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&objects.lock)),
    ROW(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&objects.lock, &past)),
    ROW(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&objects.lock, &past)),
    ROW(pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock(&objects.lock, CLOCK_MONOTONIC, &past)),
    ROW(pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock(&objects.lock, CLOCK_MONOTONIC, &past)),
    POINT(sem_wait, sem_wait(&objects.some)),
    POINT(sem_timedwait, sem_timedwait(&objects.some, &past)),
    POINT(sem_clockwait, sem_clockwait(&objects.some, CLOCK_MONOTONIC, &past)),
    ROW(sem_post, sem_post(&objects.some)),
    ROW(pthread_barrier_init, pthread_barrier_init(&objects.barrier, nullptr, 1)),
    ROW(pthread_barrier_wait, pthread_barrier_wait(&objects.barrier)),
    ROW(pthread_barrier_destroy, pthread_barrier_destroy(&objects.barrier)),
    ROW(pthread_once, pthread_once(&objects.once, no_routine)),
    ROW(sched_yield, sched_yield()),
    ROW(mtx_lock, mtx_lock(&objects.mutex_of_c11); mtx_unlock(&objects.mutex_of_c11)),
    ROW(mtx_timedlock, mtx_timedlock(&objects.mutex_of_c11, &past)),
    POINT(cnd_timedwait, mtx_lock(&objects.mutex_of_c11); cnd_timedwait(&objects.changed_of_c11, &objects.mutex_of_c11, &past)),
    ROW(cnd_signal, cnd_signal(&objects.changed_of_c11)),
    ROW(cnd_broadcast, cnd_broadcast(&objects.changed_of_c11)),
    ROW(call_once, call_once(&objects.once_of_c11, no_routine)),
    ROW(thrd_yield, thrd_yield()),
    POINT(thrd_sleep, thrd_sleep(&at_once, nullptr)),
    ROW(pthread_create, pthread_t t; if (pthread_create(&t, nullptr, nothing, nullptr) == 0) pthread_detach(t)),
    ROW(thrd_create, thrd_t t; if (thrd_create(&t, nothing_of_c11, nullptr) == thrd_success) thrd_detach(t)),
    ROW(pthread_cancel, pthread_t t;
        if (pthread_create(&t, nullptr, nothing, nullptr) == 0) pthread_cancel(t), pthread_detach(t)),
    {"pthread_exit", [] { pthread_exit(nullptr); }, true},
    POINT(pthread_join, pthread_join(pthread_self(), nullptr)),
    POINT(thrd_join, thrd_join(thrd_current(), nullptr)),
    POINT(pthread_timedjoin_np, pthread_timedjoin_np(pthread_self(), nullptr, &past)),
    POINT(pthread_clockjoin_np, pthread_clockjoin_np(pthread_self(), nullptr, CLOCK_MONOTONIC, &past)),
    ROW(pthread_setcancelstate, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr)),
    POINT(pthread_setcanceltype, pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr)),
    POINT(pthread_testcancel, pthread_testcancel()),
    ROW(pthread_kill, pthread_kill(pthread_self(), 0)),
    ROW(raise, raise(SIGWINCH)),
    ROW(tgkill, tgkill(getpid(), gettid(), 0)),
    ROW(pthread_sigqueue, sigval none{}; pthread_sigqueue(pthread_self(), SIGWINCH, none)),
    ROW(syscall, syscall(SYS_futex, &objects.word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); syscall(SYS_getpid)),
    // ---- calls that block in the system
    POINT(read, read(null_file, bytes, 1)),
    POINT(__read_chk, __read_chk(null_file, bytes, 1, 8)),
    POINT(pread, pread(null_file, bytes, 1, 0)),
    POINT(pread64, pread64(null_file, bytes, 1, 0)),
    POINT(__pread_chk, __pread_chk(null_file, bytes, 1, 0, 8)),
    POINT(__pread64_chk, __pread64_chk(null_file, bytes, 1, 0, 8)),
    POINT(readv, iovec v{bytes, 1}; readv(null_file, &v, 1)),
    POINT(preadv, iovec v{bytes, 1}; preadv(null_file, &v, 1, 0)),
    POINT(preadv64, iovec v{bytes, 1}; preadv64(null_file, &v, 1, 0)),
    POINT(write, (void)!write(null_file, bytes, 1)),
    POINT(pwrite, (void)!pwrite(null_file, bytes, 1, 0)),
    POINT(pwrite64, (void)!pwrite64(null_file, bytes, 1, 0)),
    POINT(writev, iovec v{bytes, 1}; (void)!writev(null_file, &v, 1)),
    POINT(pwritev, iovec v{bytes, 1}; (void)!pwritev(null_file, &v, 1, 0)),
    POINT(pwritev64, iovec v{bytes, 1}; (void)!pwritev64(null_file, &v, 1, 0)),
    ROW(sendfile, sendfile(null_file, null_file, nullptr, 1)),
    ROW(sendfile64, sendfile64(null_file, null_file, nullptr, 1)),
    POINT(splice, splice(ready[0], nullptr, null_file, nullptr, 0, 0)),
    POINT(copy_file_range, copy_file_range(null_file, nullptr, null_file, nullptr, 1, 0)),
    POINT(getrandom, (void)!getrandom(bytes, 1, 0)),
    POINT(recv, recv(stream[0], bytes, 1, 0)),
    POINT(__recv_chk, __recv_chk(stream[0], bytes, 1, 8, 0)),
    POINT(recvfrom, recvfrom(stream[0], bytes, 1, 0, nullptr, nullptr)),
    POINT(__recvfrom_chk, __recvfrom_chk(stream[0], bytes, 1, 8, 0, nullptr, nullptr)),
    POINT(recvmsg, msghdr m{}; recvmsg(stream[0], &m, 0)),
    POINT(recvmmsg, mmsghdr m{}; recvmmsg(stream[0], &m, 1, 0, nullptr)),
    POINT(send, send(stream[0], bytes, 0, 0)),
    POINT(sendto, sendto(stream[0], bytes, 0, 0, nullptr, 0)),
    POINT(sendmsg, msghdr m{}; sendmsg(stream[0], &m, 0)),
    POINT(sendmmsg, mmsghdr m{}; sendmmsg(stream[0], &m, 1, 0)),
    POINT(accept, accept(stream[0], nullptr, nullptr)),
    POINT(accept4, accept4(stream[0], nullptr, nullptr, 0)),
    POINT(connect, sockaddr a{}; connect(stream[0], &a, sizeof a)),
    POINT(poll, pollfd f{ready[0], POLLIN, 0}; poll(&f, 1, 1)),
    POINT(__poll_chk, pollfd f{ready[0], POLLIN, 0}; __poll_chk(&f, 1, 1, sizeof f)),
    POINT(ppoll, pollfd f{ready[0], POLLIN, 0}; ppoll(&f, 1, &at_once, nullptr)),
    POINT(__ppoll_chk, pollfd f{ready[0], POLLIN, 0}; __ppoll_chk(&f, 1, &at_once, nullptr, sizeof f)),
    POINT(select, timeval t{0, 1}; select(0, nullptr, nullptr, nullptr, &t)),
    POINT(pselect, pselect(0, nullptr, nullptr, nullptr, &at_once, nullptr)),
    POINT(epoll_wait, epoll_event e; epoll_wait(null_file, &e, 1, 0)),
    POINT(epoll_pwait, epoll_event e; epoll_pwait(null_file, &e, 1, 0, nullptr)),
    POINT(epoll_pwait2, epoll_event e; epoll_pwait2(null_file, &e, 1, &at_once, nullptr)),
    POINT(nanosleep, nanosleep(&at_once, nullptr)),
    POINT(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &at_once, nullptr)),
    POINT(usleep, usleep(1)),
    POINT(sleep, sleep(0)),
    ROW(semop, sembuf b{}; semop(semaphores, &b, 1)),
    ROW(semtimedop, sembuf b{}; semtimedop(semaphores, &b, 1, &at_once)),
    POINT(msgrcv, msgrcv(queue, bytes, 1, 0, IPC_NOWAIT)),
    POINT(msgsnd, msgsnd(queue, bytes, 1, IPC_NOWAIT)),
    POINT(mq_receive, mq_receive(message_queue, bytes, 8, nullptr)),
    POINT(mq_timedreceive, mq_timedreceive(message_queue, bytes, 8, nullptr, &past)),
    POINT(mq_send, mq_send(message_queue, bytes, 1, 0)),
    POINT(mq_timedsend, mq_timedsend(message_queue, bytes, 1, 0, &past)),
    ROW(flock, flock(null_file, LOCK_UN)),
    POINT(lockf, (void)!lockf(null_file, F_ULOCK, 0)),
    POINT(fsync, fsync(null_file)),
    POINT(fdatasync, fdatasync(null_file)),
    POINT(wait, wait(nullptr)),
    POINT(waitpid, waitpid(-1, nullptr, WNOHANG)),
    POINT(wait3, wait3(nullptr, WNOHANG, nullptr)),
    POINT(wait4, wait4(-1, nullptr, WNOHANG, nullptr)),
    POINT(waitid, siginfo_t i; waitid(P_ALL, 0, &i, WEXITED | WNOHANG)),
    // ---- a thread's state
    ROW(gettid, gettid()),
    ROW(sched_setaffinity, cpu_set_t s; sched_getaffinity(0, sizeof s, &s); sched_setaffinity(0, sizeof s, &s)),
    ROW(pthread_setaffinity_np, cpu_set_t s; pthread_getaffinity_np(pthread_self(), sizeof s, &s);
        pthread_setaffinity_np(pthread_self(), sizeof s, &s)),
    ROW(pthread_attr_setaffinity_np, cpu_set_t s; CPU_ZERO(&s); pthread_attr_t a; pthread_attr_init(&a);
        pthread_attr_setaffinity_np(&a, sizeof s, &s)),
    ROW(sched_setscheduler, sched_param p{}; sched_setscheduler(0, SCHED_OTHER, &p)),
    ROW(sched_setparam, sched_param p{}; sched_setparam(0, &p)),
    ROW(pthread_setschedparam, sched_param p{}; pthread_setschedparam(pthread_self(), SCHED_OTHER, &p)),
    ROW(pthread_setschedprio, pthread_setschedprio(pthread_self(), 0)),
    ROW(setpriority, setpriority(PRIO_PROCESS, 0, 0)),
    ROW(nice, (void)!nice(0)),
    ROW(pthread_setname_np, pthread_setname_np(pthread_self(), "one")),
    ROW(pthread_getname_np, char n[16]; pthread_getname_np(pthread_self(), n, sizeof n)),
    ROW(setfsuid, setfsuid(geteuid())),
    ROW(setfsgid, setfsgid(getegid())),
    ROW(capset, capset(nullptr, nullptr)),
    ROW(personality, syscall(SYS_getppid)),
    ROW(setuid, setuid(getuid())),
    ROW(seteuid, seteuid(geteuid())),
    ROW(setreuid, setreuid(getuid(), geteuid())),
    ROW(setresuid, setresuid(getuid(), geteuid(), getuid())),
    ROW(setgid, setgid(getgid())),
    ROW(setegid, setegid(getegid())),
    ROW(setregid, setregid(getgid(), getegid())),
    ROW(setresgid, setresgid(getgid(), getegid(), getgid())),
    ROW(sched_setattr, if (sched_setattr != nullptr) sched_setattr(0, nullptr, 0)),
    ROW(setgroups, gid_t groups[64]; const int n = getgroups(64, groups); setgroups(n < 0 ? 0 : static_cast<size_t>(n), groups)),
#if defined(__x86_64__)
    ROW(iopl, iopl(0)),
    ROW(ioperm, ioperm(0, 1, 0)),
    ROW(arch_prctl, unsigned long gs; arch_prctl(0x1004, reinterpret_cast<unsigned long>(&gs))),
#endif
    ROW(unshare, unshare(0)),
    ROW(setns, setns(-1, 0)),
    ROW(close_range, close_range(1 << 20, 1 << 20, 0)),
    ROW(sigaltstack, stack_t s; sigaltstack(nullptr, &s)),
    ROW(prctl, prctl(PR_GET_DUMPABLE)),
    ROW(ptrace, ptrace(PTRACE_CONT, 0, 0, 0)),
    POINT(fcntl, fcntl(null_file, F_GETFL)),
    POINT(fcntl64, fcntl64(null_file, F_GETFL)),
    ROW(timer_create, timer_t t; timer_create(77, nullptr, &t)),
    ROW(clock_gettime, timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)),
    ROW(pthread_getcpuclockid, clockid_t c; pthread_getcpuclockid(pthread_self(), &c)),
    ROW(getrusage, rusage u; getrusage(RUSAGE_THREAD, &u)),
    ROW(pkey_alloc, pkey_alloc(7, 7)),
    ROW(pkey_set, pkey_set(99, 0)),
    ROW(pkey_get, pkey_get(99)),
    // ---- signals
    ROW(pthread_sigmask, sigset_t s; sigemptyset(&s); pthread_sigmask(SIG_BLOCK, &s, nullptr)),
    ROW(sigprocmask, sigset_t s; sigemptyset(&s); sigprocmask(SIG_BLOCK, &s, nullptr)),
    ROW(sighold, sighold(SIGWINCH)),
    ROW(sigrelse, sigrelse(SIGWINCH)),
    ROW(sigblock, sigblock(0)),
    ROW(sigsetmask, sigsetmask(0)),
    JUMP(longjmp, setjmp(to)),
    JUMP(_longjmp, _setjmp(to)),
    JUMP(siglongjmp, sigsetjmp(to, 1)),
    JUMP(__longjmp_chk, sigsetjmp(to, 1)),
    ROW(
        setcontext, static thread_local volatile bool back; static ucontext_t c; back = false; getcontext(&c); if (!back) {
          back = true;
          setcontext(&c);
        }),
    ROW(
        swapcontext, static thread_local volatile bool back; static ucontext_t c, d; back = false; getcontext(&c); if (!back) {
          back = true;
          swapcontext(&d, &c);
        }),
    ROW(sigaction, struct sigaction a; sigaction(SIGWINCH, nullptr, &a)),
    ROW(__sigaction, struct sigaction a; __sigaction(SIGWINCH, nullptr, &a)),
    ROW(signal, signal(SIGUSR2, no_handler)),
    ROW(bsd_signal, bsd_signal(SIGUSR2, no_handler)),
    ROW(ssignal, ssignal(SIGUSR2, no_handler)),
    ROW(sysv_signal, sysv_signal(SIGUSR2, no_handler)),
    ROW(__sysv_signal, __sysv_signal(SIGUSR2, no_handler)),
    ROW(sigset, sigset(SIGUSR2, no_handler)),
    ROW(sigignore, sigignore(SIGUSR2)),
    ROW(siginterrupt, siginterrupt(SIGUSR2, 0)),
    ROW(sigpending, sigset_t s; sigpending(&s)),
    POINT(sigtimedwait, sigset_t s; sigemptyset(&s); sigtimedwait(&s, nullptr, &at_once)),
    POINT(sigwait, send_blocked(SIGUSR2); sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); int which; sigwait(&s, &which)),
    POINT(sigwaitinfo, send_blocked(SIGUSR2); sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); sigwaitinfo(&s, nullptr)),
    POINT(sigsuspend, send_blocked(SIGUSR2); sigset_t s; sigemptyset(&s); sigsuspend(&s)),
    POINT(sigpause, send_blocked(SIGUSR2); sigpause(SIGUSR2)),
    POINT(__xpg_sigpause, send_blocked(SIGUSR2); __xpg_sigpause(SIGUSR2)),
    POINT(signalfd, sigset_t s; sigemptyset(&s); close(signalfd(-1, &s, 0))),
    // ---- the process
    ROW(sysconf, sysconf(_SC_NPROCESSORS_ONLN)),
    ROW(get_nprocs, get_nprocs()),
    ROW(get_nprocs_conf, get_nprocs_conf()),
    ROW(sched_getaffinity, cpu_set_t s; sched_getaffinity(0, sizeof s, &s)),
    ROW(pthread_getaffinity_np, cpu_set_t s; pthread_getaffinity_np(pthread_self(), sizeof s, &s)),
    ROW(mmap, void* const at = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(at, 4096)),
    ROW(mmap64, void* const at = mmap64(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(at, 4096)),
    ROW(mremap, (void)mremap(nullptr, 0, 0, 0)),
    ROW(shmat, (void)shmat(-1, nullptr, 0)),
    ROW(execve, char* none[] = {nullptr}; execve("/none", none, none)),
    ROW(execv, char* none[] = {nullptr}; execv("/none", none)),
    ROW(execvp, char* none[] = {nullptr}; execvp("/none", none)),
    ROW(execl, execl("/none", "none", nullptr)),
    ROW(execle, execle("/none", "none", nullptr, environ)),
    ROW(execvpe, char* none[] = {nullptr}; execvpe("/none", none, none)),
    ROW(fexecve, char* none[] = {nullptr}; fexecve(-1, none, none)),
    ROW(execveat, char* none[] = {nullptr}; execveat(-1, "none", none, none, 0)),
    POINT(_Fork, if (_Fork() == 0) _exit(0); wait(nullptr)),
    POINT(fork, if (fork() == 0) _exit(0); wait(nullptr)),
    POINT(vfork, if (vfork() == 0) _exit(0); wait(nullptr)),
    POINT(clone, if (clone(ends_at_once, stack_of_child + sizeof stack_of_child, SIGCHLD, nullptr) > 0) wait(nullptr)),
    POINT(system, (void)!system("")),
    POINT(popen, if (FILE* const its_output = popen("", "r")) pclose(its_output)),
    ROW(posix_spawn, char* none[] = {nullptr}; pid_t p; posix_spawn(&p, "/none", nullptr, nullptr, none, none)),
    ROW(posix_spawnp, char* none[] = {nullptr}; pid_t p; posix_spawnp(&p, "/none", nullptr, nullptr, none, none)),
    ROW(execlp, execlp("/none", "none", nullptr)),
};
#undef ROW
#undef POINT
#undef JUMP

}  // namespace replaced
