// Threads: how they begin and end, who waits for that, barriers, once, yields.
#include "row.hpp"

namespace {

/// Another thread, which ends when it is told to.
struct other_thread {
  static void* run(void* given) {
    place& p = *static_cast<place*>(given);
    while (!p.goes_on) {
      const timespec moment{0, 200'000};
      nanosleep(&moment, nullptr);
    }
    return &p;
  }
};
bool is_there(pid_t thread) {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/self/task/%d", thread);
  return access(name, F_OK) == 0;
}
void with_other(place& p) { pthread_create(&p.other, nullptr, other_thread::run, &p); }
void let_other_end(place& p) { p.goes_on = true; }
/// It has ended, and nobody has joined it.
void with_ended(place& p) {
  std::atomic<pid_t> number{0};
  pthread_create(&p.other, nullptr, [](void* given) -> void* {
    *static_cast<std::atomic<pid_t>*>(given) = gettid();
    return nullptr;
  }, &number);
  while (number == 0 || is_there(number)) usleep(200);
}
void with_detached(place& p) {
  with_other(p);
  pthread_detach(p.other);
}
void* end_of(place& p, long found, void* end) {
  if (found == 0) p.note("value %s", end == &p ? "own" : "another");
  return end;
}

rows joins() {
  rows made;
  const call join = [](place& p) {
    void* end = nullptr;
    const int found = pthread_join(p.other, &end);
    return end_of(p, found, end), found;
  };
  const call of_itself = [](place&) { return pthread_join(pthread_self(), nullptr); };
  made.push_back({"pthread_join", returns::error, point | restarts_not | no_child,
                  {{"is woken", join, with_other, {}, let_other_end},
                   {"of one that has ended", join, with_ended},
                   {"EDEADLK", of_itself},
                   {"EINVAL", [](place& p) { return pthread_join(p.other, nullptr); }, with_detached}}});
  struct timed {
    const char* name;
    clockid_t clock;
    int (*join)(pthread_t, void**, const timespec*);
  };
  const timed functions[] = {
      {"pthread_timedjoin_np", CLOCK_REALTIME, pthread_timedjoin_np},
      {"pthread_clockjoin_np", CLOCK_MONOTONIC,
       [](pthread_t t, void** end, const timespec* until) { return pthread_clockjoin_np(t, end, CLOCK_MONOTONIC, until); }},
  };
  for (const timed& each : functions) {
    const call run = [function = each.join](place& p) {
      void* end = nullptr;
      const int found = function(p.other, &end, &p.time);
      return end_of(p, found, end), found;
    };
    row timed_row{each.name, returns::error, point | restarts_not | no_child, {}};
    // With a bad limit the C library (2.36) polls until the other thread has ended.
    add_limits(timed_row.ways, {each.clock, run, {}, with_other, {}, let_other_end, 0, false});
    timed_row.ways.push_back({"EDEADLK", [function = each.join, clock = each.clock](place&) {
                                const timespec until = far(clock);
                                return function(pthread_self(), nullptr, &until);
                              }});
    timed_row.ways.push_back({"of one that has ended, past limit", run, with_ended, [](place& p) { p.time = {1, 0}; }});
    timed_row.ways.push_back({"of one that has ended, bad limit", run, with_ended, [](place& p) { p.time = {1, -1}; }});
    timed_row.ways.push_back({"EINVAL", run, with_detached, [clock = each.clock](place& p) { p.time = far(clock); }});
    if (each.clock == CLOCK_MONOTONIC)
      timed_row.ways.push_back({"EINVAL of a clock", [](place& p) {
                                  const timespec until{1, 0};
                                  return pthread_clockjoin_np(p.other, nullptr, CLOCK_THREAD_CPUTIME_ID, &until);
                                }, with_other});
    made.push_back(timed_row);
  }
  const act c11_other = [](place& p) {
    thrd_create(&p.other, [](void* given) { return other_thread::run(given) != nullptr ? 42 : 0; }, &p);
  };
  made.push_back({"thrd_join", returns::c11, point | restarts_not | no_child,
                  {{"is woken", [](place& p) {
                      int end = -1;
                      const int found = thrd_join(p.other, &end);
                      return p.note("value %d", end), found;
                    }, c11_other, {}, let_other_end},
                   {"of itself", [](place&) { return thrd_join(thrd_current(), nullptr); }}}});
  return made;
}

rows begins() {
  rows made;
  made.push_back({"pthread_create", returns::error, 0,
                  {{"at once", [](place& p) {
                      const int found = pthread_create(&p.other, nullptr, [](void* given) { return given; }, &p);
                      int before = 0;
                      void* end = nullptr;
                      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
                      p.note("joined %d, %s", pthread_join(p.other, &end), end == &p ? "own value" : "another");
                      pthread_setcancelstate(before, nullptr);
                      return found;
                    }},
                   {"inherits the mask", [](place& p) {
                      int before = 0;
                      sigset_t found;
                      const int error = pthread_create(&p.other, nullptr, [](void* given) -> void* {
                        pthread_sigmask(SIG_SETMASK, nullptr, static_cast<sigset_t*>(given));
                        return nullptr;
                      }, &found);
                      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
                      pthread_join(p.other, nullptr);
                      pthread_setcancelstate(before, nullptr);
                      for (int number = 1; number < 65; ++number)
                        if (sigismember(&found, number) == 1) p.note("blocks %d", number);
                      return error;
                    }},
                   {"EINVAL", [](place& p) {
                      pthread_attr_t how;
                      pthread_attr_init(&how);
                      sched_param least{};
                      pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
                      pthread_attr_setschedpolicy(&how, SCHED_FIFO);
                      const int found = pthread_attr_setschedparam(&how, &least);
                      return p.note("%d", found), 0;
                    }},
                   {"EAGAIN", [](place& p) {
                      pthread_attr_t how;
                      pthread_attr_init(&how);
                      pthread_attr_setstacksize(&how, std::size_t{1} << 46);
                      return pthread_create(&p.other, &how, [](void* given) { return given; }, &p);
                    }}}});
  made.push_back({"thrd_create", returns::c11, 0,
                  {{"at once", [](place& p) {
                      const int found = thrd_create(&p.other, [](void*) { return 43; }, nullptr);
                      int end = 0, before = 0;
                      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
                      p.note("joined %d with %d", thrd_join(p.other, &end), end);
                      pthread_setcancelstate(before, nullptr);
                      return found;
                    }}}});
  made.push_back({"pthread_detach", returns::error, no_child,
                  {{"at once", [](place& p) { return pthread_detach(p.other); }, with_other},
                   {"of one that has ended", [](place& p) { return pthread_detach(p.other); }, with_ended},
                   {"EINVAL", [](place& p) { return pthread_detach(p.other); }, with_detached}}, let_other_end});
  made.push_back({"thrd_detach", returns::c11, no_child,
                  {{"at once", [](place& p) { return thrd_detach(p.other); }, with_other},
                   {"of a detached one", [](place& p) { return thrd_detach(p.other); }, with_detached}}, let_other_end});
  return made;
}

/// What becomes of a thread that ends by this function, with a cleanup handler and a destructor.
call ends_by(void (*end)(place&)) {
  return [end](place& p) {
    struct given {
      place* p;
      void (*end)(place&);
    } what{&p, end};
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_create(&p.other, nullptr, [](void* to) -> void* {
      const given what = *static_cast<given*>(to);
      pthread_cleanup_push([](void* into) { static_cast<place*>(into)->note("cleaned up"); }, what.p);
      what.end(*what.p);
      pthread_cleanup_pop(0);
      return nullptr;
    }, &what);
    void* end_found = nullptr;
    const int found = pthread_join(p.other, &end_found);
    pthread_setcancelstate(before, nullptr);
    p.note("value %ld", end_found == PTHREAD_CANCELED ? -1 : reinterpret_cast<long>(end_found));
    return found;
  };
}

rows ends() {
  rows made;
  made.push_back(
      {"pthread_exit", returns::error, 0, {{"in a thread", ends_by([](place&) { pthread_exit(reinterpret_cast<void*>(7)); })}}});
  made.push_back({"thrd_exit", returns::error, 0, {{"in a thread", ends_by([](place&) { thrd_exit(8); })}}});
  made.push_back({"pthread_cancel", returns::error, 0,
                  {{"itself", ends_by([](place& p) {
                      p.note("%d", pthread_cancel(pthread_self()));
                      pthread_testcancel();
                      p.note("goes on");
                    })},
                   {"itself, anywhere", ends_by([](place& p) {
                      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
                      pthread_cancel(pthread_self());
                      p.note("goes on");
                    })},
                   {"another", [](place& p) { return pthread_cancel(p.other); }, with_other, {}, {}, no_child}}});
  const auto sets = [](auto set) {
    return [set](int which) -> call {
      return [set, which](place& p) {
        int before = -1;
        const int found = set(which, &before);
        return p.note("was %d", before), found;
      };
    };
  };
  const auto state = sets([](int which, int* before) { return pthread_setcancelstate(which, before); });
  made.push_back({"pthread_setcancelstate", returns::error, 0,
                  {{"enable", state(PTHREAD_CANCEL_ENABLE)}, {"disable", state(PTHREAD_CANCEL_DISABLE)}, {"EINVAL", state(77)}}});
  const auto type = sets([](int which, int* before) { return pthread_setcanceltype(which, before); });
  made.push_back(
      {"pthread_setcanceltype",
       returns::error,
       0,
       {{"deferred", type(PTHREAD_CANCEL_DEFERRED)}, {"asynchronous", type(PTHREAD_CANCEL_ASYNCHRONOUS)}, {"EINVAL", type(77)}}});
  made.push_back({"pthread_testcancel", returns::nothing, point, {{"at once", [](place&) { return pthread_testcancel(), 0; }}}});
  made.push_back({"sched_yield", returns::minus_one, 0, {{"at once", [](place&) { return sched_yield(); }}}});
  made.push_back({"thrd_yield", returns::nothing, 0, {{"at once", [](place&) { return thrd_yield(), 0; }}}});
  return made;
}

rows barriers_and_once() {
  rows made;
  const auto of = [](unsigned many) -> act {
    return [many](place& p) { pthread_barrier_init(&p.barrier, nullptr, many); };
  };
  // One of the two sees it, either of them.
  const call waits = [](place& p) {
    const int found = pthread_barrier_wait(&p.barrier);
    return found == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : found;
  };
  const call waits_alone = [](place& p) { return pthread_barrier_wait(&p.barrier); };
  made.push_back(
      {"pthread_barrier_wait",
       returns::value,
       restarts_not,
       {{"alone", waits_alone, of(1)}, {"is woken", waits, of(2), {}, [](place& p) { pthread_barrier_wait(&p.barrier); }}}});
  const auto make = [](unsigned many) -> call {
    return [many](place& p) { return pthread_barrier_init(&p.barrier, nullptr, many); };
  };
  made.push_back({"pthread_barrier_init",
                  returns::error,
                  0,
                  {{"at once", make(3)}, {"EINVAL", make(0)}, {"EINVAL of many", make(1u << 31)}}});
  made.push_back({"pthread_barrier_destroy",
                  returns::error,
                  0,
                  {{"at once", [](place& p) { return pthread_barrier_destroy(&p.barrier); }, of(2)}}});
  static thread_local place* of_routine;
  struct routines {
    static void count() { of_routine->note("routine"); }
    /// Of the driver's helper: it runs until it is told.
    static void last() {
      place& p = *of_routine;
      p.routine_runs = true;
      while (!p.goes_on) usleep(200);
    }
    static void end_by_cancel() { pthread_testcancel(); }
  };
  const call once = [](place& p) { return of_routine = &p, pthread_once(&p.once, routines::count); };
  const call c11_once = [](place& p) { return of_routine = &p, call_once(&p.c11_once, routines::count), 0; };
  const act busy = [](place& p) {
    pthread_create(&p.other, nullptr, [](void* given) -> void* {
      place& here = *static_cast<place*>(given);
      of_routine = &here;
      pthread_once(&here.once, routines::last);
      return nullptr;
    }, &p);
    while (!p.routine_runs) usleep(200);
  };
  const act c11_busy = [](place& p) {
    pthread_create(&p.other, nullptr, [](void* given) -> void* {
      place& here = *static_cast<place*>(given);
      of_routine = &here;
      call_once(&here.c11_once, routines::last);
      return nullptr;
    }, &p);
    while (!p.routine_runs) usleep(200);
  };
  made.push_back({"pthread_once", returns::error, restarts_not,
                  {{"at once", once},
                   {"has run", once, [once](place& p) { once(p), p.notes.clear(); }},
                   {"is woken", once, busy, {}, let_other_end}}});
  made.push_back({"call_once", returns::nothing, restarts_not,
                  {{"at once", c11_once},
                   {"has run", c11_once, [c11_once](place& p) { c11_once(p), p.notes.clear(); }},
                   {"is woken", c11_once, c11_busy, {}, let_other_end}}});
  return made;
}

}  // namespace

rows rows_of_ends() {
  rows made = joins();
  for (const auto part : {begins, ends, barriers_and_once})
    for (row& each : part()) made.push_back(each);
  return made;
}
