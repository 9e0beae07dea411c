// Calls that wait until their time is over, and computing that lasts longer than a time slice.
#include "member.hpp"

#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

namespace {

timespec a_moment() { return {0, static_cast<long>(100'000 + draw(12) * 100'000)}; }
timespec a_moment_from(clockid_t clock) {
  timespec duration;
  clock_gettime(clock, &duration);
  duration.tv_nsec += a_moment().tv_nsec;
  if (duration.tv_nsec >= 1'000'000'000) duration.tv_nsec -= 1'000'000'000, ++duration.tv_sec;
  return duration;
}

void sleep_somehow() {
  const timespec duration = a_moment();
  timespec at;
  switch (draw(4)) {
    case 0: return say_result("nanosleep", nanosleep(&duration, nullptr));
    case 1: return say_error("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, nullptr));
    case 2:
      at = a_moment_from(CLOCK_REALTIME);
      return say_error("clock_nanosleep until", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, nullptr));
    default: return say_result("usleep", usleep(static_cast<useconds_t>(duration.tv_nsec / 1000)));
  }
}

void wait_for_no_event() {
  int ends[2];
  if (pipe(ends) != 0) return say(" no pipe");
  pollfd polled{ends[0], POLLIN, 0};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  const timespec limit = a_moment();
  timeval t{0, limit.tv_nsec / 1000};
  switch (draw(4)) {
    case 0: say_result("poll", poll(&polled, 1, 1 + static_cast<int>(draw(2)))); break;
    case 1: say_result("ppoll", ppoll(&polled, 1, &limit, nullptr)); break;
    case 2: say_result("select", select(ends[0] + 1, &set, nullptr, nullptr, &t)); break;
    default: {
      const int epoll = epoll_create1(0);
      epoll_event event{};
      epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
      say_result("epoll_wait", epoll_wait(epoll, &event, 1, 1 + static_cast<int>(draw(2))));
      close(epoll);
    }
  }
  close(ends[0]);
  close(ends[1]);
}

void wait_for_no_bytes() {
  int ends[2];
  if (socketpair(AF_UNIX, draw(2) == 0 ? SOCK_STREAM : SOCK_DGRAM, 0, ends) != 0) return say(" no sockets");
  const timeval limit{0, a_moment().tv_nsec / 1000};
  char byte;
  say_result("setsockopt", setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
  say_result("recv", draw(2) == 0 ? recv(ends[0], &byte, 1, 0) : read(ends[0], &byte, 1));
  close(ends[0]);
  close(ends[1]);
}

void wait_for_no_lock() {
  const timespec at = a_moment_from(CLOCK_REALTIME);
  switch (draw(4)) {
    case 0: {
      sem_t semaphore;
      sem_init(&semaphore, 0, 0);
      say_result("sem_timedwait", sem_timedwait(&semaphore, &at));
      sem_destroy(&semaphore);
      break;
    }
    case 1: {
      pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      pthread_mutex_lock(&mutex);
      say_error("mutex_timedlock", pthread_mutex_timedlock(&mutex, &at));
      pthread_mutex_unlock(&mutex);
      break;
    }
    case 2: {
      pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
      pthread_mutex_lock(&mutex);
      int error = 0;
      do error = pthread_cond_timedwait(&condition, &mutex, &at); while (error == 0);
      say_error("cond_timedwait", error);
      pthread_mutex_unlock(&mutex);
      break;
    }
    default: {
      unsigned word = 0;
      const timespec limit = a_moment();
      say_result("futex", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, nullptr, 0));
    }
  }
}

void wait_for_a_timer() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec soon{{}, a_moment()};
  std::uint64_t expired = 0;
  say_result("timerfd_settime", timerfd_settime(timer, 0, &soon, nullptr));
  say_result("read", read(timer, &expired, sizeof expired));
  say(" expired %d", static_cast<int>(expired));
  close(timer);
}

// Results of arithmetic that is interrupted at any instruction.
void compute_for_a_while() {
  const double begin = now_s(), length = draw(12) == 0 ? 0.008 : 0.0002 * draw(8);
  double last = 0;
  do {
    double x = 0.5 + self->number;
    long double y = 1;
    for (int i = 0; i < 500; ++i) {
      x = 3.7 * x * (1 - x / (10 + self->number));
      y = y * 1.0001L + 1;
    }
    const double found = x + static_cast<double>(y);
    if (last != 0 && found != last) say(" another result");
    last = found;
  } while (now_s() - begin < length);
  std::uint64_t bits;
  std::memcpy(&bits, &last, sizeof bits);
  say(" %016llx", static_cast<unsigned long long>(bits));
}

void yield() { say_result("sched_yield", sched_yield()); }

constexpr call rows[] = {
    {"sleep", 4, sleep_somehow},   {"no event", 3, wait_for_no_event}, {"no bytes", 2, wait_for_no_bytes},
    {"no lock", 3, wait_for_no_lock}, {"timerfd", 1, wait_for_a_timer},   {"compute", 5, compute_for_a_while},
    {"yield", 1, yield},
};

}  // namespace

std::span<const call> calls_with_limits() { return rows; }
