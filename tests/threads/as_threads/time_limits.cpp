// Calls with a time limit end when it is over: not before, not much later, and by EINTR only where a signal has come.
#include "team.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>

namespace {

constexpr double limit = 0.03;
constexpr double early = 0.010;  // clocks of the kernel that count jiffies
constexpr double late = patience;

/// Nothing comes in any of these, which each member has for itself.
struct silent {
  int socket[2], pipe_ends[2], epoll, event, listening, semaphores;
  sem_t semaphore;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
  unsigned word = 0;

  silent() {
    const timeval t{0, static_cast<suseconds_t>(limit * 1e6)};
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, socket) == 0 && pipe(pipe_ends) == 0);
    CHECK(setsockopt(socket[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0);
    CHECK((epoll = epoll_create1(0)) >= 0 && (event = eventfd(0, 0)) >= 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK((listening = ::socket(AF_INET, SOCK_STREAM, 0)) >= 0);
    CHECK(bind(listening, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0 && listen(listening, 1) == 0);
    CHECK(setsockopt(listening, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&taken);
  }
  silent(const silent&) = delete;
  ~silent() {
    for (const int descriptor : {socket[0], socket[1], pipe_ends[0], pipe_ends[1], epoll, event, listening}) close(descriptor);
    semctl(semaphores, 0, IPC_RMID);
    pthread_mutex_unlock(&taken);
  }
};

timespec at(clockid_t clock) { return timespec_of(now_s(clock) + limit); }
/// As system calls say it.
int of_error(int error) {
  errno = error;
  return error == 0 ? 0 : -1;
}

/// How it waits, and what errno says when its time is over; 0: it returns 0.
struct call {
  const char* name;
  int over;
  long (*wait)(silent&);
};
const call calls[] = {
    {"recv", EAGAIN, [](silent& s) -> long {
       char byte;
       return recv(s.socket[0], &byte, 1, 0);
     }},
    {"read of a socket", EAGAIN, [](silent& s) -> long {
       char byte;
       return read(s.socket[0], &byte, 1);
     }},
    {"recvmsg", EAGAIN, [](silent& s) -> long {
       char byte;
       iovec part{&byte, 1};
       msghdr message{};
       message.msg_iov = &part;
       message.msg_iovlen = 1;
       return recvmsg(s.socket[0], &message, 0);
     }},
    {"accept", EAGAIN, [](silent& s) -> long { return accept(s.listening, nullptr, nullptr); }},
    {"semtimedop", EAGAIN, [](silent& s) -> long {
       sembuf take{0, -1, 0};
       const timespec t = timespec_of(limit);
       return semtimedop(s.semaphores, &take, 1, &t);
     }},
    {"sem_timedwait", ETIMEDOUT, [](silent& s) -> long {
       const timespec t = at(CLOCK_REALTIME);
       return sem_timedwait(&s.semaphore, &t);
     }},
    {"sem_clockwait", ETIMEDOUT, [](silent& s) -> long {
       const timespec t = at(CLOCK_MONOTONIC);
       return sem_clockwait(&s.semaphore, CLOCK_MONOTONIC, &t);
     }},
    {"futex", ETIMEDOUT, [](silent& s) -> long {
       const timespec t = timespec_of(limit);
       return syscall(SYS_futex, &s.word, FUTEX_WAIT_PRIVATE, 0, &t, nullptr, 0);
     }},
    {"futex until a time", ETIMEDOUT, [](silent& s) -> long {
       const timespec t = at(CLOCK_MONOTONIC);
       return syscall(SYS_futex, &s.word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, nullptr, FUTEX_BITSET_MATCH_ANY);
     }},
    {"epoll_wait", 0, [](silent& s) -> long {
       epoll_event event;
       return epoll_wait(s.epoll, &event, 1, static_cast<int>(limit * 1000));
     }},
#if defined(SYS_epoll_pwait2)
    {"epoll_pwait2", 0, [](silent& s) -> long {
       epoll_event event;
       const timespec t = timespec_of(limit);
       const long result = syscall(SYS_epoll_pwait2, s.epoll, &event, 1, &t, nullptr, 8);
       if (result == -1 && errno == ENOSYS) return sleep_for(limit), 0;
       return result;
     }},
#endif
    {"poll", 0, [](silent& s) -> long {
       pollfd polled{s.pipe_ends[0], POLLIN, 0};
       return poll(&polled, 1, static_cast<int>(limit * 1000));
     }},
    {"ppoll", 0, [](silent& s) -> long {
       pollfd polled{s.event, POLLIN, 0};
       const timespec t = timespec_of(limit);
       return ppoll(&polled, 1, &t, nullptr);
     }},
    {"select", 0, [](silent& s) -> long {
       fd_set descriptors;
       FD_ZERO(&descriptors);
       FD_SET(s.pipe_ends[0], &descriptors);
       timeval t{0, static_cast<suseconds_t>(limit * 1e6)};
       return select(s.pipe_ends[0] + 1, &descriptors, nullptr, nullptr, &t);
     }},
    {"nanosleep", 0, [](silent&) -> long {
       const timespec t = timespec_of(limit);
       return nanosleep(&t, nullptr);
     }},
    {"clock_nanosleep", 0, [](silent&) -> long {
       const timespec t = timespec_of(limit);
       return of_error(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr));
     }},
    {"clock_nanosleep until a time", 0, [](silent&) -> long {
       const timespec t = at(CLOCK_REALTIME);
       return of_error(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, nullptr));
     }},
    {"usleep", 0, [](silent&) -> long { return usleep(static_cast<useconds_t>(limit * 1e6)); }},
    {"pthread_cond_timedwait", ETIMEDOUT, [](silent& s) -> long {
       const timespec t = at(CLOCK_REALTIME);
       pthread_mutex_lock(&s.mutex);
       int error = 0;
       do error = pthread_cond_timedwait(&s.condition, &s.mutex, &t); while (error == 0);  // it may wake for no reason
       pthread_mutex_unlock(&s.mutex);
       return of_error(error);
     }},
    {"pthread_mutex_timedlock", ETIMEDOUT, [](silent& s) -> long {
       const timespec t = at(CLOCK_REALTIME);
       return of_error(pthread_mutex_timedlock(&s.taken, &t));
     }},
    {"sigtimedwait", EAGAIN, [](silent&) -> long {
       const sigset_t signals = set_of({SIGUSR2});
       const timespec t = timespec_of(limit);
       return sigtimedwait(&signals, nullptr, &t);
     }},
    {"mq_timedreceive", ETIMEDOUT, [](silent&) -> long {
       char name[64], byte[64];
       std::snprintf(name, sizeof name, "/weir-as-threads-%d-%d", getpid(), member_here);
       mq_attr how{};
       how.mq_maxmsg = 1;
       how.mq_msgsize = sizeof byte;
       const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &how);
       if (queue == -1) return sleep_for(limit), of_error(ETIMEDOUT);  // none on this system
       mq_unlink(name);
       const timespec t = at(CLOCK_REALTIME);
       const long result = mq_timedreceive(queue, byte, sizeof byte, nullptr, &t);
       const int why = errno;
       mq_close(queue);
       errno = why;
       return result;
     }},
};

/// Repeats it where EINTR has ended it, as textbooks do, and counts that.
void keeps_its_limit(const call& entry, silent& s) {
  int interrupted = 0;
  long result = 0;
  int why = 0;
  const double begin = now_s();
  do {
    errno = 0;
    result = entry.wait(s);
    why = errno;
  } while (result == -1 && why == EINTR && ++interrupted < 1000 && now_s() - begin < late);
  const double lasted = now_s() - begin;
  const bool over = entry.over == 0 ? result == 0 : result == -1 && why == entry.over;
  if (!over || interrupted != 0 || lasted < limit - early || lasted > limit + late) {
    std::fprintf(stderr, "%s: %ld, %s, %d times interrupted, %.0f ms of %.0f\n", entry.name, result, std::strerror(why),
                 interrupted, lasted * 1e3, limit * 1e3);
    CHECK(over && interrupted == 0 && lasted > limit - early && lasted < limit + late);
  }
}

/// Of two parts of the members, of which each waits while the other does something else.
template <class Meanwhile>
void half_of_them(Meanwhile meanwhile) {
  block(SIGUSR2);
  for (int part = 0; part < 2; ++part) {
    std::atomic<int> waiting{(members + 1 - part) / 2};
    team([&](int me) {
      silent s;
      if (me % 2 == part) {
        for (std::size_t i = 0; i < std::size(calls); ++i) {
          keeps_its_limit(calls[(i + static_cast<std::size_t>(me)) % std::size(calls)], s);
        }
        --waiting;
      } else {
        meanwhile(waiting);
      }
      meet();
    });
  }
}

void others_compute() {
  half_of_them([](std::atomic<int>& waiting) {
    while (waiting > 0) compute(0.001);
  });
}
void others_wait_for_them() {
  half_of_them([](std::atomic<int>&) {});
}

void all_of_them_between_barriers() {
  block(SIGUSR2);
  team([](int me) {
    silent s;
    for (std::size_t i = 0; i < std::size(calls); ++i) {
      keeps_its_limit(calls[i], s);
      if (static_cast<int>(i) % members == me) compute(0.01);
      meet();
    }
  });
}

// The best of many is near the limit: none is waited for twice. Beside other programs it takes some rounds until one is.
void none_lasts_twice_as_long() {
  static std::atomic<double> best[std::size(calls)];
  const auto is_near = [](double seconds) { return seconds <= 1.9 * limit; };
  for (auto& shortest : best) shortest = 1e9;
  block(SIGUSR2);
  for (int round = 0; round < 20 && !std::ranges::all_of(best, is_near); ++round)
    team([](int me) {
      silent s;
      for (std::size_t i = 0; i < std::size(calls); ++i) {
        if (me % 2 == 0) compute(0.02);
        const double begin = now_s();
        calls[i].wait(s);
        const double lasted = now_s() - begin;
        for (double so_far = best[i]; lasted < so_far && !best[i].compare_exchange_weak(so_far, lasted);) {
        }
      }
    });
  for (std::size_t i = 0; i < std::size(calls); ++i) {
    if (!is_near(best[i])) std::fprintf(stderr, "%s: at best %.0f ms of %.0f\n", calls[i].name, best[i] * 1e3, limit * 1e3);
    CHECK(is_near(best[i]));
  }
}

}  // namespace

int main() {
  subject("others compute", others_compute);
  subject("others wait for them", others_wait_for_them);
  subject("all of them between barriers", all_of_them_between_barriers);
  subject("none lasts twice as long", none_lasts_twice_as_long);
  return verdict();
}
