// Calls that wait for time, or for a signal.
#include "row.hpp"

namespace {

void interrupt(place& p) { pthread_kill(p.caller, SIGUSR1); }
void for_a_moment(place& p) {
  p.time = timespec_of(a_moment);
  p.keep(CLOCK_MONOTONIC, at(CLOCK_MONOTONIC, a_moment));
}
act so_long(timespec time) {
  return [time](place& p) { p.time = time; };
}
/// How much was left, roughly.
template <class Sleep>
call with_rest(Sleep sleep) {
  return [sleep](place& p) -> long {
    timespec rest{-7, -7};
    const long found = sleep(p, &rest);
    const int error = errno;
    p.note("%s", rest.tv_sec == -7 ? "no rest" : rest.tv_sec > 800 && rest.tv_sec <= 1000 ? "most left" : "another rest");
    errno = error;
    return found;
  };
}

}  // namespace

rows rows_of_sleeping() {
  rows made;
  const unsigned how = point | never_restarts;
  const call naps = with_rest([](place& p, timespec* rest) { return nanosleep(&p.time, rest); });
  made.push_back({"nanosleep", returns::minus_one, how,
                  {{"limit", naps, {}, for_a_moment},
                   {"EINTR", naps, {}, so_long({1000, 0}), interrupt, again},
                   {"no time", naps, {}, so_long({0, 0})},
                   {"EINVAL", naps, {}, so_long({0, 1'000'000'000})},
                   {"EINVAL of negative ns", naps, {}, so_long({0, -1})},
                   {"EINVAL of negative s", naps, {}, so_long({-1, 0})},
                   {"EFAULT", [](place&) { return nanosleep(reinterpret_cast<timespec*>(8), nullptr); }}}});
  row by_clock{"clock_nanosleep", returns::error, how, {}};
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI}) {
    const std::string kind = clock == CLOCK_MONOTONIC ? "" : std::to_string(clock) + ": ";
    const call sleeps = with_rest([clock](place& p, timespec* rest) { return clock_nanosleep(clock, 0, &p.time, rest); });
    const call until =
        with_rest([clock](place& p, timespec* rest) { return clock_nanosleep(clock, TIMER_ABSTIME, &p.time, rest); });
    const act in_time = [clock](place& p) { p.keep(clock, p.time = at(clock, a_moment)); };
    by_clock.ways.push_back({kind + "limit", sleeps, {}, for_a_moment});
    by_clock.ways.push_back({kind + "limit, absolute", until, {}, in_time});
    by_clock.ways.push_back({kind + "past limit, absolute", until, {}, so_long({1, 0})});
    by_clock.ways.push_back({kind + "EINTR", sleeps, {}, so_long({1000, 0}), interrupt, again});
    by_clock.ways.push_back({kind + "EINTR, absolute", until, {}, [clock](place& p) { p.time = far(clock); }, interrupt, again});
    by_clock.ways.push_back({kind + "EINVAL", sleeps, {}, so_long({0, 1'000'000'000})});
    by_clock.ways.push_back({kind + "EINVAL, absolute", until, {}, so_long({-1, 0})});
  }
  const auto other = [](clockid_t clock) -> call {
    return [clock](place&) {
      const timespec time{0, 1};
      return clock_nanosleep(clock, 0, &time, nullptr);
    };
  };
  by_clock.ways.push_back({"EINVAL of a clock", other(CLOCK_THREAD_CPUTIME_ID)});
  by_clock.ways.push_back({"EINVAL of no clock", other(77)});
  made.push_back(by_clock);
  made.push_back({"usleep", returns::minus_one, how,
                  {{"limit", [](place& p) { return usleep(static_cast<useconds_t>(p.time.tv_nsec / 1000)); }, {}, for_a_moment},
                   {"EINTR", [](place&) { return usleep(900'000'000); }, {}, {}, interrupt, again}}});
  const call sleeps = [](place& p) {
    const unsigned left = sleep(static_cast<unsigned>(p.time.tv_sec));
    return left == 0 ? 0 : left > 800 ? 1 : 2;
  };
  made.push_back({"sleep", returns::value, how,
                  {{"no time", sleeps, {}, so_long({0, 0})},
                   {"a handler ends it", sleeps, {}, so_long({1000, 0}), interrupt, again}}});
  const call c11 = with_rest([](place& p, timespec* rest) { return thrd_sleep(&p.time, rest); });
  made.push_back({"thrd_sleep", returns::c11, how,
                  {{"limit", c11, {}, for_a_moment},
                   {"a handler ends it", c11, {}, so_long({1000, 0}), interrupt, again},
                   {"bad time", c11, {}, so_long({0, -1})}}});
  made.push_back({"pause", returns::minus_one, how,
                  {{"EINTR", [](place&) { return pause(); }, {}, {}, interrupt, again}}});
  return made;
}
