// Conditions and semaphores.
#include "row.hpp"

namespace {

void lock(place& p) { pthread_mutex_lock(&p.mutex); }
void wake_by_signal(place& p) {
  lock(p);
  p.flag = true;
  pthread_cond_signal(&p.changed);
  pthread_mutex_unlock(&p.mutex);
}
void wake_by_broadcast(place& p) {
  lock(p);
  p.flag = true;
  pthread_cond_broadcast(&p.changed);
  pthread_mutex_unlock(&p.mutex);
}
/// It is held by the caller.
void say_held(place& p) {
  p.note("mutex %s, flag %d", strerrorname_np(pthread_mutex_trylock(&p.mutex)), p.flag);
}
template <int kind>
void lock_of_kind(place& p) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, kind);
  pthread_mutex_init(&p.mutex, &how);
  lock(p);
}
void say_own(place& p) {
  p.note("unlock %s", strerrorname_np(pthread_mutex_unlock(&p.mutex)));
}
/// As programs wait: a wait may end without a signal.
template <class Wait>
call until_flag(Wait wait) {
  return [wait](place& p) {
    int found = 0;
    while (!p.flag && found == 0) found = wait(p);
    return found;
  };
}
void by_monotonic(place& p) {
  pthread_condattr_t how;
  pthread_condattr_init(&how);
  pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
  pthread_cond_init(&p.changed, &how);
}

rows conditions() {
  rows made;
  const unsigned how = point | restarts_not;
  const call waits = until_flag([](place& p) { return pthread_cond_wait(&p.changed, &p.mutex); });
  made.push_back(
      {"pthread_cond_wait",
       returns::error,
       how,
       {{"is signalled", waits, {}, lock, wake_by_signal}, {"is woken by broadcast", waits, {}, lock, wake_by_broadcast}},
       say_held});
  // What a mutex of these kinds says of its owner.
  made.push_back({"pthread_cond_wait", returns::error, how,
                  {{"checking", waits, {}, lock_of_kind<PTHREAD_MUTEX_ERRORCHECK>, wake_by_signal, no_child},
                   {"recursive", waits, {}, lock_of_kind<PTHREAD_MUTEX_RECURSIVE>, wake_by_signal, no_child}},
                  say_own});
  const call timed = until_flag([](place& p) { return pthread_cond_timedwait(&p.changed, &p.mutex, &p.time); });
  row timedwait{"pthread_cond_timedwait", returns::error, how, {}, say_held};
  add_limits(timedwait.ways, {CLOCK_REALTIME, timed, {}, {}, lock, wake_by_signal});
  add_limits(timedwait.ways, {CLOCK_MONOTONIC, timed, {}, by_monotonic, lock, wake_by_broadcast}, "monotonic: ");
  made.push_back(timedwait);
  row clockwait{"pthread_cond_clockwait", returns::error, how, {}, say_held};
  const auto clocked = [](clockid_t clock) {
    return until_flag([clock](place& p) { return pthread_cond_clockwait(&p.changed, &p.mutex, clock, &p.time); });
  };
  add_limits(clockwait.ways, {CLOCK_MONOTONIC, clocked(CLOCK_MONOTONIC), {}, {}, lock, wake_by_signal});
  add_limits(clockwait.ways, {CLOCK_REALTIME, clocked(CLOCK_REALTIME), {}, by_monotonic, lock, wake_by_signal}, "realtime: ");
  clockwait.ways.push_back({"EINVAL of a clock", clocked(CLOCK_THREAD_CPUTIME_ID), {}, lock});
  made.push_back(clockwait);
  const auto once = [](int (*function)(pthread_cond_t*)) -> call {
    return [function](place& p) { return function(&p.changed); };
  };
  made.push_back({"pthread_cond_signal", returns::error, 0, {{"nobody waits", once(pthread_cond_signal)}}});
  made.push_back({"pthread_cond_broadcast", returns::error, 0, {{"nobody waits", once(pthread_cond_broadcast)}}});
  made.push_back(
      {"pthread_cond_init", returns::error, 0, {{"at once", [](place& p) { return pthread_cond_init(&p.changed, nullptr); }}}});
  made.push_back({"pthread_cond_destroy",
                  returns::error,
                  0,
                  {{"at once", once(pthread_cond_destroy)}, {"monotonic", once(pthread_cond_destroy), by_monotonic}}});
  return made;
}

rows c11_conditions() {
  rows made;
  const act make = [](place& p) { mtx_init(&p.c11_mutex, mtx_timed), cnd_init(&p.c11_changed); };
  const act lock_it = [](place& p) { mtx_lock(&p.c11_mutex); };
  const act wake = [](place& p) {
    mtx_lock(&p.c11_mutex);
    p.flag = true;
    cnd_signal(&p.c11_changed);
    mtx_unlock(&p.c11_mutex);
  };
  const act wake_everybody = [](place& p) {
    mtx_lock(&p.c11_mutex);
    p.flag = true;
    cnd_broadcast(&p.c11_changed);
    mtx_unlock(&p.c11_mutex);
  };
  const act say = [](place& p) { p.note("mutex %d, flag %d", mtx_trylock(&p.c11_mutex), p.flag); };
  const call waits = until_flag([](place& p) { return cnd_wait(&p.c11_changed, &p.c11_mutex); });
  made.push_back({"cnd_wait",
                  returns::c11,
                  point | restarts_not,
                  {{"is signalled", waits, make, lock_it, wake}, {"is woken by broadcast", waits, make, lock_it, wake_everybody}},
                  say});
  row timed{"cnd_timedwait", returns::c11, point | restarts_not, {}, say};
  add_limits(timed.ways, {CLOCK_REALTIME,
                          until_flag([](place& p) { return cnd_timedwait(&p.c11_changed, &p.c11_mutex, &p.time); }),
                          {},
                          make,
                          lock_it,
                          wake});
  made.push_back(timed);
  made.push_back({"cnd_signal", returns::c11, 0, {{"nobody waits", [](place& p) { return cnd_signal(&p.c11_changed); }, make}}});
  made.push_back(
      {"cnd_broadcast", returns::c11, 0, {{"nobody waits", [](place& p) { return cnd_broadcast(&p.c11_changed); }, make}}});
  return made;
}

act semaphore_of(unsigned value) {
  return [value](place& p) { sem_init(&p.semaphore, 0, value); };
}
void post(place& p) { sem_post(&p.semaphore); }
void say_value(place& p) {
  int value = -1;
  sem_getvalue(&p.semaphore, &value);
  p.note("value %d", value);
}

}  // namespace

rows rows_of_conditions() {
  rows made = conditions();
  for (row& each : c11_conditions()) made.push_back(each);
  return made;
}

rows rows_of_semaphores() {
  rows made;
  const call waits = [](place& p) { return sem_wait(&p.semaphore); };
  const act shared = [](place& p) { sem_init(&p.semaphore, 1, 0); };
  made.push_back({"sem_wait",
                  returns::minus_one,
                  point,
                  {{"at once", waits, semaphore_of(2)},
                   {"is woken", waits, semaphore_of(0), {}, post},
                   {"shared, is woken", waits, shared, {}, post}},
                  say_value});
  row timed{"sem_timedwait", returns::minus_one, point | never_restarts, {}, say_value};
  add_limits(timed.ways, {CLOCK_REALTIME,
                          [](place& p) { return sem_timedwait(&p.semaphore, &p.time); },
                          semaphore_of(1),
                          semaphore_of(0),
                          {},
                          post});
  made.push_back(timed);
  row clocked{"sem_clockwait", returns::minus_one, point | never_restarts, {}, say_value};
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME})
    add_limits(clocked.ways,
               {clock,
                [clock](place& p) { return sem_clockwait(&p.semaphore, clock, &p.time); },
                semaphore_of(1),
                semaphore_of(0),
                {},
                post},
               clock == CLOCK_REALTIME ? "realtime: " : "");
  const call other_clock = [](place& p) { return sem_clockwait(&p.semaphore, CLOCK_THREAD_CPUTIME_ID, &p.time); };
  clocked.ways.push_back({"EINVAL of a clock", other_clock, semaphore_of(1)});
  clocked.ways.push_back({"EINVAL of a clock, zero", other_clock, semaphore_of(0)});
  made.push_back(clocked);
  const call posts = [](place& p) { return sem_post(&p.semaphore); };
  made.push_back({"sem_post",
                  returns::minus_one,
                  0,
                  {{"at once", posts, semaphore_of(0)}, {"EOVERFLOW", posts, semaphore_of(SEM_VALUE_MAX)}},
                  say_value});
  return made;
}
