// Calls that do not end by themselves: of functions that wait for what nobody gives, and of some that go on for ever.
#pragma once

#include "replaced_functions.hpp"

inline pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
inline pthread_rwlock_t taken_lock = PTHREAD_RWLOCK_INITIALIZER;
inline pthread_spinlock_t taken_spin;
inline pthread_barrier_t of_two;
inline sem_t none;
inline mtx_t taken_of_c11;
inline int silent[2];
inline std::uint32_t zero = 0;
inline const timespec late{2'000'000'000, 0}, long_time{1000, 0};
inline void wait_for_ever() {
  for (;;) syscall(SYS_futex, &zero, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}

/// Also the team ends before its primary thread.
[[gnu::noinline]] inline void open_region() {
#pragma omp parallel num_threads(3)
  sched_yield();
}

#define ROW(name, ...) {#name, [] { __VA_ARGS__; }}
inline const replaced::row waits[] = {
    ROW(pthread_mutex_lock, pthread_mutex_lock(&taken)),
    ROW(pthread_mutex_timedlock, pthread_mutex_timedlock(&taken, &late)),
    ROW(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&taken_lock)),
    ROW(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&taken_lock)),
    ROW(pthread_spin_lock, pthread_spin_lock(&taken_spin)),
    ROW(mtx_lock, mtx_lock(&taken_of_c11)),
    ROW(pthread_cond_wait, pthread_mutex_lock(&replaced::objects.mutex);
        for (;;) pthread_cond_wait(&replaced::objects.changed, &replaced::objects.mutex)),
    ROW(cnd_wait, mtx_lock(&replaced::objects.mutex_of_c11);
        for (;;) cnd_wait(&replaced::objects.changed_of_c11, &replaced::objects.mutex_of_c11)),
    ROW(sem_wait, sem_wait(&none)),
    ROW(sem_timedwait, sem_timedwait(&none, &late)),
    ROW(pthread_barrier_wait, pthread_barrier_wait(&of_two)),
    ROW(pthread_once, pthread_once(&replaced::objects.once, wait_for_ever)),
    ROW(call_once, call_once(&replaced::objects.once_of_c11, wait_for_ever)),
    ROW(futex, wait_for_ever()),
    ROW(read, char c; (void)!read(silent[0], &c, 1)),
    ROW(nanosleep, nanosleep(&long_time, nullptr)),
    ROW(sleep, sleep(1000)),
    ROW(pause, pause()),
    ROW(poll, poll(nullptr, 0, -1)),
    ROW(select, select(0, nullptr, nullptr, nullptr, nullptr)),
    ROW(sigsuspend, sigset_t s; sigemptyset(&s); sigsuspend(&s)),
    ROW(sigwait, sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); int which; sigwait(&s, &which)),
    ROW(computing, for (volatile unsigned i = 0;;) i = i + 1),
    ROW(yielding, for (;;) sched_yield()),
    ROW(posting, for (;;) sem_post(&replaced::objects.some)),
    ROW(regions, for (;;) open_region()),
    ROW(forking, for (;;) if (const pid_t one = fork(); one == 0) _exit(0); else waitpid(one, nullptr, 0)),
};
#undef ROW

/// Before the first of them is called.
inline void take_what_they_wait_for() {
  pthread_mutex_lock(&taken);
  pthread_rwlock_wrlock(&taken_lock);
  pthread_spin_init(&taken_spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&taken_spin);
  mtx_init(&taken_of_c11, mtx_plain);
  mtx_lock(&taken_of_c11);
  sem_init(&none, 0, 0);
  CHECK(pipe(silent) == 0);
}
