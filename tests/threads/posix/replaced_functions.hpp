// A call of each function of the C library that Weir replaces: one that ends at once. Nothing here needs to be destroyed, so the
// calls may be cancelled anywhere.
#pragma once

#include "../checked_reads.hpp"
#include "threads.hpp"

#include <csetjmp>
#include <cstdarg>
#include <set>
#include <string_view>

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
} its;
inline int ready[2], stream[2], null_file, message_queue, semaphores, queue;  // a pipe with bytes, and connected sockets
inline char bytes[64];
inline const timespec at_once{0, 1}, past{1, 0};

inline void make_things() {
  its = things{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, {}, {},
               PTHREAD_ONCE_INIT, {}, {}, {}, ONCE_FLAG_INIT, 0};
  pthread_spin_init(&its.spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&its.barrier, nullptr, 1);
  sem_init(&its.some, 0, 1);
  mtx_init(&its.mutex_of_c11, mtx_plain);
  cnd_init(&its.changed_of_c11);
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
};
// Rows of functions that can only be called after others have both, as pthread_mutex_unlock, mtx_unlock, pthread_rwlock_unlock,
// pthread_detach and thrd_detach. Not here: pthread_cond_wait, cnd_wait and pause, which do not end by themselves
// (cancelled_anywhere.cpp), _exit and _Exit, after which nobody is left to be cancelled, thrd_exit, which is pthread_exit, and
// initgroups, which reads files for some 100,000 instructions.
#define ROW(name, ...) {#name, [] { __VA_ARGS__; }}
#define JUMP(name, set)                        \
  {#name, [] {                                 \
     static jmp_buf to;                        \
     if (set == 0) name(to, 1);                \
   }}

inline const row rows[] = {
    ROW(pthread_mutex_lock, pthread_mutex_lock(&its.mutex); pthread_mutex_unlock(&its.mutex)),
    ROW(pthread_mutex_trylock, pthread_mutex_trylock(&its.mutex)),
    ROW(pthread_mutex_timedlock, pthread_mutex_timedlock(&its.mutex, &past)),
    ROW(pthread_mutex_clocklock, pthread_mutex_clocklock(&its.mutex, CLOCK_MONOTONIC, &past)),
    ROW(pthread_mutexattr_setprotocol, pthread_mutexattr_t a; pthread_mutexattr_init(&a);
        pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_NONE)),
    ROW(pthread_spin_lock, pthread_spin_lock(&its.spin)),
    ROW(pthread_cond_timedwait, pthread_mutex_lock(&its.kept); pthread_cond_timedwait(&its.changed, &its.kept, &past)),
    ROW(pthread_cond_clockwait, pthread_mutex_lock(&its.kept);
        pthread_cond_clockwait(&its.changed, &its.kept, CLOCK_MONOTONIC, &past)),
    ROW(pthread_cond_init, pthread_cond_init(&its.changed, nullptr)),
    ROW(pthread_cond_destroy, pthread_cond_destroy(&its.changed)),
    ROW(pthread_cond_signal, pthread_cond_signal(&its.changed)),
    ROW(pthread_cond_broadcast, pthread_cond_broadcast(&its.changed)),
    ROW(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&its.lock); pthread_rwlock_unlock(&its.lock)),
    ROW(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&its.lock)),
    ROW(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&its.lock, &past)),
    ROW(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&its.lock, &past)),
    ROW(pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock(&its.lock, CLOCK_MONOTONIC, &past)),
    ROW(pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock(&its.lock, CLOCK_MONOTONIC, &past)),
    ROW(sem_wait, sem_wait(&its.some)),
    ROW(sem_timedwait, sem_timedwait(&its.some, &past)),
    ROW(sem_clockwait, sem_clockwait(&its.some, CLOCK_MONOTONIC, &past)),
    ROW(sem_post, sem_post(&its.some)),
    ROW(pthread_barrier_init, pthread_barrier_init(&its.barrier, nullptr, 1)),
    ROW(pthread_barrier_wait, pthread_barrier_wait(&its.barrier)),
    ROW(pthread_barrier_destroy, pthread_barrier_destroy(&its.barrier)),
    ROW(pthread_once, pthread_once(&its.once, no_routine)),
    ROW(sched_yield, sched_yield()),
    ROW(mtx_lock, mtx_lock(&its.mutex_of_c11); mtx_unlock(&its.mutex_of_c11)),
    ROW(mtx_timedlock, mtx_timedlock(&its.mutex_of_c11, &past)),
    ROW(cnd_timedwait, mtx_lock(&its.mutex_of_c11); cnd_timedwait(&its.changed_of_c11, &its.mutex_of_c11, &past)),
    ROW(cnd_signal, cnd_signal(&its.changed_of_c11)),
    ROW(cnd_broadcast, cnd_broadcast(&its.changed_of_c11)),
    ROW(call_once, call_once(&its.once_of_c11, no_routine)),
    ROW(thrd_yield, thrd_yield()),
    ROW(thrd_sleep, thrd_sleep(&at_once, nullptr)),
    ROW(pthread_create, pthread_t t; if (pthread_create(&t, nullptr, nothing, nullptr) == 0) pthread_detach(t)),
    ROW(thrd_create, thrd_t t; if (thrd_create(&t, nothing_of_c11, nullptr) == thrd_success) thrd_detach(t)),
    ROW(pthread_cancel, pthread_t t;
        if (pthread_create(&t, nullptr, nothing, nullptr) == 0) pthread_cancel(t), pthread_detach(t)),
    {"pthread_exit", [] { pthread_exit(nullptr); }, true},
    ROW(pthread_join, pthread_join(pthread_self(), nullptr)),
    ROW(thrd_join, thrd_join(thrd_current(), nullptr)),
    ROW(pthread_timedjoin_np, pthread_timedjoin_np(pthread_self(), nullptr, &past)),
    ROW(pthread_clockjoin_np, pthread_clockjoin_np(pthread_self(), nullptr, CLOCK_MONOTONIC, &past)),
    ROW(pthread_setcancelstate, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr)),
    ROW(pthread_setcanceltype, pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr)),
    ROW(pthread_testcancel, pthread_testcancel()),
    ROW(pthread_kill, pthread_kill(pthread_self(), 0)),
    ROW(raise, raise(SIGWINCH)),
    ROW(tgkill, tgkill(getpid(), gettid(), 0)),
    ROW(pthread_sigqueue, sigval none{}; pthread_sigqueue(pthread_self(), SIGWINCH, none)),
    ROW(syscall, syscall(SYS_futex, &its.word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); syscall(SYS_getpid)),
    // ---- calls that block in the system
    ROW(read, read(null_file, bytes, 1)),
    ROW(__read_chk, __read_chk(null_file, bytes, 1, 8)),
    ROW(pread, pread(null_file, bytes, 1, 0)),
    ROW(pread64, pread64(null_file, bytes, 1, 0)),
    ROW(__pread_chk, __pread_chk(null_file, bytes, 1, 0, 8)),
    ROW(__pread64_chk, __pread64_chk(null_file, bytes, 1, 0, 8)),
    ROW(readv, iovec v{bytes, 1}; readv(null_file, &v, 1)),
    ROW(preadv, iovec v{bytes, 1}; preadv(null_file, &v, 1, 0)),
    ROW(preadv64, iovec v{bytes, 1}; preadv64(null_file, &v, 1, 0)),
    ROW(write, (void)!write(null_file, bytes, 1)),
    ROW(pwrite, (void)!pwrite(null_file, bytes, 1, 0)),
    ROW(pwrite64, (void)!pwrite64(null_file, bytes, 1, 0)),
    ROW(writev, iovec v{bytes, 1}; (void)!writev(null_file, &v, 1)),
    ROW(pwritev, iovec v{bytes, 1}; (void)!pwritev(null_file, &v, 1, 0)),
    ROW(pwritev64, iovec v{bytes, 1}; (void)!pwritev64(null_file, &v, 1, 0)),
    ROW(sendfile, sendfile(null_file, null_file, nullptr, 1)),
    ROW(sendfile64, sendfile64(null_file, null_file, nullptr, 1)),
    ROW(splice, splice(ready[0], nullptr, null_file, nullptr, 0, 0)),
    ROW(copy_file_range, copy_file_range(null_file, nullptr, null_file, nullptr, 1, 0)),
    ROW(getrandom, (void)!getrandom(bytes, 1, 0)),
    ROW(recv, recv(stream[0], bytes, 1, 0)),
    ROW(__recv_chk, __recv_chk(stream[0], bytes, 1, 8, 0)),
    ROW(recvfrom, recvfrom(stream[0], bytes, 1, 0, nullptr, nullptr)),
    ROW(__recvfrom_chk, __recvfrom_chk(stream[0], bytes, 1, 8, 0, nullptr, nullptr)),
    ROW(recvmsg, msghdr m{}; recvmsg(stream[0], &m, 0)),
    ROW(recvmmsg, mmsghdr m{}; recvmmsg(stream[0], &m, 1, 0, nullptr)),
    ROW(send, send(stream[0], bytes, 0, 0)),
    ROW(sendto, sendto(stream[0], bytes, 0, 0, nullptr, 0)),
    ROW(sendmsg, msghdr m{}; sendmsg(stream[0], &m, 0)),
    ROW(sendmmsg, mmsghdr m{}; sendmmsg(stream[0], &m, 1, 0)),
    ROW(accept, accept(stream[0], nullptr, nullptr)),
    ROW(accept4, accept4(stream[0], nullptr, nullptr, 0)),
    ROW(connect, sockaddr a{}; connect(stream[0], &a, sizeof a)),
    ROW(poll, pollfd f{ready[0], POLLIN, 0}; poll(&f, 1, 1)),
    ROW(__poll_chk, pollfd f{ready[0], POLLIN, 0}; __poll_chk(&f, 1, 1, sizeof f)),
    ROW(ppoll, pollfd f{ready[0], POLLIN, 0}; ppoll(&f, 1, &at_once, nullptr)),
    ROW(__ppoll_chk, pollfd f{ready[0], POLLIN, 0}; __ppoll_chk(&f, 1, &at_once, nullptr, sizeof f)),
    ROW(select, timeval t{0, 1}; select(0, nullptr, nullptr, nullptr, &t)),
    ROW(pselect, pselect(0, nullptr, nullptr, nullptr, &at_once, nullptr)),
    ROW(epoll_wait, epoll_event e; epoll_wait(null_file, &e, 1, 0)),
    ROW(epoll_pwait, epoll_event e; epoll_pwait(null_file, &e, 1, 0, nullptr)),
    ROW(epoll_pwait2, epoll_event e; epoll_pwait2(null_file, &e, 1, &at_once, nullptr)),
    ROW(nanosleep, nanosleep(&at_once, nullptr)),
    ROW(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &at_once, nullptr)),
    ROW(usleep, usleep(1)),
    ROW(sleep, sleep(0)),
    ROW(semop, sembuf b{}; semop(semaphores, &b, 1)),
    ROW(semtimedop, sembuf b{}; semtimedop(semaphores, &b, 1, &at_once)),
    ROW(msgrcv, msgrcv(queue, bytes, 1, 0, IPC_NOWAIT)),
    ROW(msgsnd, msgsnd(queue, bytes, 1, IPC_NOWAIT)),
    ROW(mq_receive, mq_receive(message_queue, bytes, 8, nullptr)),
    ROW(mq_timedreceive, mq_timedreceive(message_queue, bytes, 8, nullptr, &past)),
    ROW(mq_send, mq_send(message_queue, bytes, 1, 0)),
    ROW(mq_timedsend, mq_timedsend(message_queue, bytes, 1, 0, &past)),
    ROW(flock, flock(null_file, LOCK_UN)),
    ROW(lockf, (void)!lockf(null_file, F_ULOCK, 0)),
    ROW(fsync, fsync(null_file)),
    ROW(fdatasync, fdatasync(null_file)),
    ROW(wait, wait(nullptr)),
    ROW(waitpid, waitpid(-1, nullptr, WNOHANG)),
    ROW(wait3, wait3(nullptr, WNOHANG, nullptr)),
    ROW(wait4, wait4(-1, nullptr, WNOHANG, nullptr)),
    ROW(waitid, siginfo_t i; waitid(P_ALL, 0, &i, WEXITED | WNOHANG)),
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
    ROW(setgroups, gid_t all[64]; const int n = getgroups(64, all); setgroups(n < 0 ? 0 : static_cast<size_t>(n), all)),
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
    ROW(fcntl, fcntl(null_file, F_GETFL)),
    ROW(fcntl64, fcntl64(null_file, F_GETFL)),
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
    ROW(sigtimedwait, sigset_t s; sigemptyset(&s); sigtimedwait(&s, nullptr, &at_once)),
    ROW(sigwait, send_blocked(SIGUSR2); sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); int which; sigwait(&s, &which)),
    ROW(sigwaitinfo, send_blocked(SIGUSR2); sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); sigwaitinfo(&s, nullptr)),
    ROW(sigsuspend, send_blocked(SIGUSR2); sigset_t s; sigemptyset(&s); sigsuspend(&s)),
    ROW(sigpause, send_blocked(SIGUSR2); sigpause(SIGUSR2)),
    ROW(__xpg_sigpause, send_blocked(SIGUSR2); __xpg_sigpause(SIGUSR2)),
    ROW(signalfd, sigset_t s; sigemptyset(&s); close(signalfd(-1, &s, 0))),
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
    ROW(_Fork, if (_Fork() == 0) _exit(0); wait(nullptr)),
    ROW(fork, if (fork() == 0) _exit(0); wait(nullptr)),
    ROW(vfork, if (vfork() == 0) _exit(0); wait(nullptr)),
    ROW(clone, if (clone(ends_at_once, stack_of_child + sizeof stack_of_child, SIGCHLD, nullptr) > 0) wait(nullptr)),
    ROW(system, (void)!system("")),
    ROW(popen, if (FILE* const its_output = popen("", "r")) pclose(its_output)),
    ROW(posix_spawn, char* none[] = {nullptr}; pid_t p; posix_spawn(&p, "/none", nullptr, nullptr, none, none)),
    ROW(posix_spawnp, char* none[] = {nullptr}; pid_t p; posix_spawnp(&p, "/none", nullptr, nullptr, none, none)),
    ROW(execlp, execlp("/none", "none", nullptr)),
};
#undef ROW
#undef JUMP

/// The cancellation points among the functions, and in the calls of the others.
inline const std::set<std::string_view> points = {"pthread_cond_timedwait",
                                                  "pthread_cond_clockwait",
                                                  "sem_wait",
                                                  "sem_timedwait",
                                                  "sem_clockwait",
                                                  "cnd_timedwait",
                                                  "thrd_sleep",
                                                  "pthread_setcanceltype",
                                                  "pthread_join",
                                                  "thrd_join",
                                                  "pthread_timedjoin_np",
                                                  "pthread_clockjoin_np",
                                                  "pthread_testcancel",
                                                  "read",
                                                  "__read_chk",
                                                  "pread",
                                                  "pread64",
                                                  "__pread_chk",
                                                  "__pread64_chk",
                                                  "readv",
                                                  "preadv",
                                                  "preadv64",
                                                  "write",
                                                  "pwrite",
                                                  "pwrite64",
                                                  "writev",
                                                  "pwritev",
                                                  "pwritev64",
                                                  "splice",
                                                  "copy_file_range",
                                                  "getrandom",
                                                  "recv",
                                                  "__recv_chk",
                                                  "recvfrom",
                                                  "__recvfrom_chk",
                                                  "recvmsg",
                                                  "recvmmsg",
                                                  "send",
                                                  "sendto",
                                                  "sendmsg",
                                                  "sendmmsg",
                                                  "accept",
                                                  "accept4",
                                                  "connect",
                                                  "poll",
                                                  "__poll_chk",
                                                  "ppoll",
                                                  "__ppoll_chk",
                                                  "select",
                                                  "pselect",
                                                  "epoll_wait",
                                                  "epoll_pwait",
                                                  "epoll_pwait2",
                                                  "nanosleep",
                                                  "clock_nanosleep",
                                                  "usleep",
                                                  "sleep",
                                                  "msgrcv",
                                                  "msgsnd",
                                                  "mq_receive",
                                                  "mq_timedreceive",
                                                  "mq_send",
                                                  "mq_timedsend",
                                                  "lockf",
                                                  "fsync",
                                                  "fdatasync",
                                                  "wait",
                                                  "waitpid",
                                                  "wait3",
                                                  "wait4",
                                                  "waitid",
                                                  "fcntl",
                                                  "fcntl64",
                                                  "sigtimedwait",
                                                  "sigwait",
                                                  "sigwaitinfo",
                                                  "sigsuspend",
                                                  "sigpause",
                                                  "__xpg_sigpause",
                                                  "signalfd",
                                                  "_Fork",
                                                  "fork",
                                                  "vfork",
                                                  "clone",
                                                  "system",
                                                  "popen"};

}  // namespace replaced
