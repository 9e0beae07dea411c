// Mutexes, spin locks and read-write locks.
#include "row.hpp"

namespace {

void mutex_of(place& p, int type, int robust = PTHREAD_MUTEX_STALLED, int protocol = PTHREAD_PRIO_NONE) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, type);
  pthread_mutexattr_setrobust(&how, robust);
  if (protocol != PTHREAD_PRIO_NONE) pthread_mutexattr_setprotocol(&how, protocol);
  pthread_mutex_init(&p.mutex, &how);
  pthread_mutexattr_destroy(&how);
}
void normal(place& p) { mutex_of(p, PTHREAD_MUTEX_NORMAL); }
void recursive(place& p) { mutex_of(p, PTHREAD_MUTEX_RECURSIVE); }
void checking(place& p) { mutex_of(p, PTHREAD_MUTEX_ERRORCHECK); }
void adaptive(place& p) { mutex_of(p, PTHREAD_MUTEX_ADAPTIVE_NP); }
void robust(place& p) { mutex_of(p, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST); }
void lock(place& p) { pthread_mutex_lock(&p.mutex); }
void unlock(place& p) { pthread_mutex_unlock(&p.mutex); }
act then(act first, act second) {
  return [=](place& p) { first(p), second(p); };
}
/// Its owner has ended.
void orphaned(place& p) {
  robust(p);
  pthread_t owner;
  pthread_create(&owner, nullptr, [](void* given) -> void* {
    pthread_mutex_lock(&static_cast<place*>(given)->mutex);
    return nullptr;
  }, &p);
  pthread_join(owner, nullptr);
}
void lost(place& p) {
  orphaned(p);
  pthread_mutex_lock(&p.mutex);
  pthread_mutex_unlock(&p.mutex);  // not made consistent
}
/// Whether it is free, for a third thread.
void say_mutex(place& p) {
  int found = -1;
  pthread_t looks;
  struct look {
    pthread_mutex_t* at;
    int* found;
  } given{&p.mutex, &found};
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_create(&looks, nullptr, [](void* to) -> void* {
    const look& looked_at = *static_cast<look*>(to);
    if ((*looked_at.found = pthread_mutex_trylock(looked_at.at)) == 0) pthread_mutex_unlock(looked_at.at);
    return nullptr;
  }, &given);
  pthread_join(looks, nullptr);
  pthread_setcancelstate(before, nullptr);
  p.note("mutex %s", found == 0 ? "free" : strerrorname_np(found));
}

struct lock_kind {
  const char* name;
  act make;
};
const lock_kind kinds[] = {
    {"", normal}, {"recursive: ", recursive}, {"checking: ", checking}, {"adaptive: ", adaptive}, {"robust: ", robust}};

using timed_lock = int (*)(pthread_mutex_t*, const timespec*);
row timed_row(const char* name, clockid_t clock, timed_lock function) {
  row made{name, returns::error, restarts_not, {}, say_mutex};
  const call run = [function](place& p) { return function(&p.mutex, &p.time); };
  for (const lock_kind& kind : kinds)
    add_limits(made.ways, {clock, run, kind.make, then(kind.make, lock), {}, unlock}, kind.name);
  made.ways.push_back({"recursive, again", run, {}, [clock](place& p) { recursive(p), lock(p), p.time = far(clock); }});
  made.ways.push_back({"EDEADLK", run, {}, [clock](place& p) { checking(p), lock(p), p.time = far(clock); }});
  made.ways.push_back(
      {"own, limit", run, {}, [clock](place& p) { normal(p), lock(p), p.keep(clock, p.time = at(clock, a_moment)); }});
  made.ways.push_back({"EOWNERDEAD", run, orphaned, [clock](place& p) { p.time = far(clock); }, {}, no_child});
  made.ways.push_back({"ENOTRECOVERABLE", run, lost, [clock](place& p) { p.time = far(clock); }, {}, no_child});
  return made;
}

rows mutexes() {
  rows made;
  const call locks = [](place& p) { return pthread_mutex_lock(&p.mutex); };
  row lock_row{"pthread_mutex_lock", returns::error, restarts_not, {}, say_mutex};
  for (const lock_kind& kind : kinds) {
    lock_row.ways.push_back({std::string(kind.name) + "at once", locks, kind.make});
    lock_row.ways.push_back({std::string(kind.name) + "is woken", locks, then(kind.make, lock), {}, unlock});
  }
  lock_row.ways.push_back({"recursive, again", locks, {}, then(recursive, lock)});
  lock_row.ways.push_back({"EDEADLK", locks, {}, then(checking, lock)});
  lock_row.ways.push_back({"robust EDEADLK", locks, {},
                           [](place& p) { mutex_of(p, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST), lock(p); }});
  lock_row.ways.push_back({"EOWNERDEAD", locks, orphaned, {}, {}, no_child});
  lock_row.ways.push_back({"ENOTRECOVERABLE", locks, lost, {}, {}, no_child});
  made.push_back(lock_row);
  made.push_back(timed_row("pthread_mutex_timedlock", CLOCK_REALTIME, pthread_mutex_timedlock));
  row clocked = timed_row("pthread_mutex_clocklock", CLOCK_MONOTONIC, [](pthread_mutex_t* m, const timespec* t) {
    return pthread_mutex_clocklock(m, CLOCK_MONOTONIC, t);
  });
  const timed_lock by_realtime = [](pthread_mutex_t* m, const timespec* t) {
    return pthread_mutex_clocklock(m, CLOCK_REALTIME, t);
  };
  for (way& each : timed_row("", CLOCK_REALTIME, by_realtime).ways)
    each.name = "realtime: " + each.name, clocked.ways.push_back(each);
  const call other_clock = [](place& p) { return pthread_mutex_clocklock(&p.mutex, CLOCK_PROCESS_CPUTIME_ID, &p.time); };
  clocked.ways.push_back({"EINVAL of a clock", other_clock, normal});
  clocked.ways.push_back({"EINVAL of a clock, taken", other_clock, then(normal, lock)});
  made.push_back(clocked);
  const call tries = [](place& p) { return pthread_mutex_trylock(&p.mutex); };
  row trylock{"pthread_mutex_trylock", returns::error, 0, {}, say_mutex};
  for (const lock_kind& kind : kinds) {
    trylock.ways.push_back({std::string(kind.name) + "at once", tries, kind.make});
    trylock.ways.push_back({std::string(kind.name) + "EBUSY", tries, then(kind.make, lock), {}, {}, no_child});
  }
  trylock.ways.push_back({"own", tries, {}, then(normal, lock)});
  trylock.ways.push_back({"own, checking", tries, {}, then(checking, lock)});
  trylock.ways.push_back({"own, recursive", tries, {}, then(recursive, lock)});
  trylock.ways.push_back({"EOWNERDEAD", tries, orphaned, {}, {}, no_child});
  trylock.ways.push_back({"ENOTRECOVERABLE", tries, lost, {}, {}, no_child});
  made.push_back(trylock);
  const call unlocks = [](place& p) { return pthread_mutex_unlock(&p.mutex); };
  row unlock_row{"pthread_mutex_unlock", returns::error, 0, {}, say_mutex};
  for (const lock_kind& kind : kinds) unlock_row.ways.push_back({std::string(kind.name) + "at once", unlocks, kind.make, lock});
  unlock_row.ways.push_back({"EPERM", unlocks, checking});
  unlock_row.ways.push_back({"EPERM, recursive", unlocks, recursive});
  unlock_row.ways.push_back({"EPERM of another's", unlocks, then(checking, lock)});
  unlock_row.ways.push_back({"EPERM of another's, robust", unlocks, then(robust, lock)});
  unlock_row.ways.push_back({"recursive, one of two", unlocks, recursive, then(lock, lock)});
  made.push_back(unlock_row);
  const auto protocol = [](int which) -> call {
    return [which](place&) {
      pthread_mutexattr_t how;
      pthread_mutexattr_init(&how);
      return pthread_mutexattr_setprotocol(&how, which);
    };
  };
  made.push_back(
      {"pthread_mutexattr_setprotocol",
       returns::error,
       alone,
       {{"none", protocol(PTHREAD_PRIO_NONE)}, {"protect", protocol(PTHREAD_PRIO_PROTECT)}, {"EINVAL", protocol(77)}}});
  const call spins = [](place& p) { return pthread_spin_lock(&p.spin); };
  const act spin = [](place& p) { pthread_spin_init(&p.spin, PTHREAD_PROCESS_PRIVATE); };
  made.push_back({"pthread_spin_lock", returns::error, restarts_not,
                  {{"at once", spins, spin},
                   {"is woken", spins, then(spin, [](place& p) { pthread_spin_lock(&p.spin); }), {},
                    [](place& p) { pthread_spin_unlock(&p.spin); }}},
                  [](place& p) { p.note("%s", strerrorname_np(pthread_spin_trylock(&p.spin))); }});
  return made;
}

rows c11_mutexes() {
  rows made;
  const auto kind = [](int type) -> act {
    return [type](place& p) { mtx_init(&p.c11_mutex, type); };
  };
  const act take = [](place& p) { mtx_lock(&p.c11_mutex); }, give = [](place& p) { mtx_unlock(&p.c11_mutex); };
  const call locks = [](place& p) { return mtx_lock(&p.c11_mutex); };
  const act plain = kind(mtx_plain), timed = kind(mtx_timed), again_too = kind(mtx_plain | mtx_recursive);
  made.push_back({"mtx_lock", returns::c11, restarts_not,
                  {{"at once", locks, plain},
                   {"is woken", locks, then(plain, take), {}, give},
                   {"timed, is woken", locks, then(timed, take), {}, give},
                   {"recursive, again", locks, {}, then(again_too, take)}}});
  row timedlock{"mtx_timedlock", returns::c11, restarts_not, {}};
  add_limits(timedlock.ways,
             {CLOCK_REALTIME, [](place& p) { return mtx_timedlock(&p.c11_mutex, &p.time); }, timed, then(timed, take), {}, give});
  made.push_back(timedlock);
  const call unlocks = [](place& p) { return mtx_unlock(&p.c11_mutex); };
  made.push_back({"mtx_unlock",
                  returns::c11,
                  0,
                  {{"at once", unlocks, plain, take},
                   {"recursive", unlocks, again_too, then(take, take)},
                   {"not its owner", unlocks, again_too}}});
  return made;
}

void read_lock(place& p) { pthread_rwlock_rdlock(&p.lock); }
void write_lock(place& p) { pthread_rwlock_wrlock(&p.lock); }
void give_lock(place& p) { pthread_rwlock_unlock(&p.lock); }
void lock_for_writers(place& p) {
  pthread_rwlockattr_t how;
  pthread_rwlockattr_init(&how);
  pthread_rwlockattr_setkind_np(&how, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&p.lock, &how);
}
/// What a third thread could have.
void say_lock(place& p) {
  const int to_write = pthread_rwlock_trywrlock(&p.lock);
  if (to_write == 0) return p.note("lock free");
  p.note("lock %s", pthread_rwlock_tryrdlock(&p.lock) == 0 ? "read" : "written");
}
void nothing(place&) {}

rows rwlocks() {
  rows made;
  const call reads = [](place& p) { return pthread_rwlock_rdlock(&p.lock); };
  const call writes = [](place& p) { return pthread_rwlock_wrlock(&p.lock); };
  made.push_back({"pthread_rwlock_rdlock", returns::error, restarts_not,
                  {{"at once", reads},
                   {"beside a reader", reads, read_lock},
                   {"own", reads, {}, read_lock},
                   {"is woken", reads, write_lock, {}, give_lock},
                   {"EDEADLK", reads, {}, write_lock},
                   {"writers first, is woken", reads, then(lock_for_writers, write_lock), {}, give_lock}},
                  say_lock});
  made.push_back({"pthread_rwlock_wrlock", returns::error, restarts_not,
                  {{"at once", writes},
                   {"is woken", writes, write_lock, {}, give_lock},
                   {"is woken by a reader", writes, read_lock, {}, give_lock},
                   {"EDEADLK", writes, {}, write_lock},
                   {"writers first, is woken", writes, then(lock_for_writers, read_lock), {}, give_lock}},
                  say_lock});
  struct timed {
    const char* name;
    clockid_t clock;
    bool to_read;
    int (*function)(pthread_rwlock_t*, const timespec*);
  };
  const timed functions[] = {
      {"pthread_rwlock_timedrdlock", CLOCK_REALTIME, true, pthread_rwlock_timedrdlock},
      {"pthread_rwlock_timedwrlock", CLOCK_REALTIME, false, pthread_rwlock_timedwrlock},
      {"pthread_rwlock_clockrdlock", CLOCK_MONOTONIC, true,
       [](pthread_rwlock_t* l, const timespec* t) { return pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, t); }},
      {"pthread_rwlock_clockwrlock", CLOCK_MONOTONIC, false,
       [](pthread_rwlock_t* l, const timespec* t) { return pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, t); }},
  };
  for (const timed& each : functions) {
    row made_row{each.name, returns::error, restarts_not, {}, say_lock};
    const call run = [function = each.function](place& p) { return function(&p.lock, &p.time); };
    add_limits(made_row.ways, {each.clock, run, nothing, write_lock, {}, give_lock});
    if (!each.to_read) add_limits(made_row.ways, {each.clock, run, {}, read_lock, {}, give_lock}, "beside a reader: ");
    made_row.ways.push_back({"EDEADLK", run, {}, [clock = each.clock](place& p) { write_lock(p), p.time = far(clock); }});
    if (each.clock == CLOCK_MONOTONIC) {
      const bool to_read = each.to_read;
      const call other_clock = [to_read](place& p) {
        const timespec limit{1, 0};
        return (to_read ? pthread_rwlock_clockrdlock : pthread_rwlock_clockwrlock)(&p.lock, CLOCK_THREAD_CPUTIME_ID, &limit);
      };
      made_row.ways.push_back({"EINVAL of a clock", other_clock});
      made_row.ways.push_back({"EINVAL of a clock, taken", other_clock, write_lock});
    }
    made.push_back(made_row);
  }
  const call unlocks = [](place& p) { return pthread_rwlock_unlock(&p.lock); };
  made.push_back({"pthread_rwlock_unlock",
                  returns::error,
                  0,
                  {{"read", unlocks, {}, read_lock},
                   {"written", unlocks, {}, write_lock},
                   {"one of two", unlocks, {}, then(read_lock, read_lock)}},
                  say_lock});
  return made;
}

}  // namespace

rows rows_of_mutexes() {
  rows made = mutexes();
  for (row& each : c11_mutexes()) made.push_back(each);
  return made;
}
rows rows_of_locks() { return rwlocks(); }
