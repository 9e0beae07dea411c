// Members that wait for main's member in the system do not keep it from its own kernel thread: there, and nowhere else, it
// changes what the kernel keeps of a thread. The calls of the others return what they would have returned.
#include "team.hpp"

#include <semaphore.h>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>

namespace {

constexpr int most = 64, limit_s = 20;
int ends[most][2];
pthread_barrier_t barrier;
sem_t semaphore;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
bool is_told = false;
std::atomic<int> goes{0};
int queue, semaphores;
std::FILE* locked;

bool write_to(int me) { return write(ends[me][1], "x", 1) == 1; }
bool read_from(int me) {
  char byte = 0;
  return read(ends[me][0], &byte, 1) == 1 && byte == 'x';
}
timespec in_a_while() { return timespec_of(now_s(CLOCK_REALTIME) + limit_s); }

struct waiting {
  const char* name;
  bool (*wait)(int me);     ///< until main's member lets it
  bool (*release)(int me);  ///< called by main's, for each other
};

const waiting ways[] = {
    {"read()", read_from, write_to},
    {"recv()",
     [](int me) {
       char byte = 0;
       return recv(ends[me][0], &byte, 1, 0) == 1;
     },
     write_to},
    {"poll()",
     [](int me) {
       pollfd polled{ends[me][0], POLLIN, 0};
       return poll(&polled, 1, -1) == 1 && read_from(me);
     },
     write_to},
    {"poll() with a time limit",
     [](int me) {
       pollfd polled{ends[me][0], POLLIN, 0};
       return poll(&polled, 1, limit_s * 1000) == 1 && read_from(me);
     },
     write_to},
    {"ppoll()",
     [](int me) {
       pollfd polled{ends[me][0], POLLIN, 0};
       const timespec time = timespec_of(limit_s);
       return ppoll(&polled, 1, &time, nullptr) == 1 && read_from(me);
     },
     write_to},
    {"select()",
     [](int me) {
       fd_set descriptors;
       FD_ZERO(&descriptors);
       FD_SET(ends[me][0], &descriptors);
       timeval time{limit_s, 0};
       return select(ends[me][0] + 1, &descriptors, nullptr, nullptr, &time) == 1 && read_from(me);
     },
     write_to},
    {"epoll_wait()",
     [](int me) {
       const int epoll = epoll_create1(0);
       epoll_event event{};
       event.events = EPOLLIN;
       epoll_ctl(epoll, EPOLL_CTL_ADD, ends[me][0], &event);
       const bool one = epoll_wait(epoll, &event, 1, -1) == 1;
       close(epoll);
       return one && read_from(me);
     },
     write_to},
    {"pthread_barrier_wait()", [](int) { return pthread_barrier_wait(&barrier) <= 0; },
     [](int me) { return me != members - 1 || pthread_barrier_wait(&barrier) <= 0; }},
    {"sem_wait()", [](int) { return sem_wait(&semaphore) == 0; }, [](int) { return sem_post(&semaphore) == 0; }},
    {"sem_timedwait()",
     [](int) {
       const timespec until = in_a_while();
       return sem_timedwait(&semaphore, &until) == 0;
     },
     [](int) { return sem_post(&semaphore) == 0; }},
    {"pthread_cond_wait()",
     [](int) {
       pthread_mutex_lock(&mutex);
       while (!is_told) pthread_cond_wait(&condition, &mutex);
       return pthread_mutex_unlock(&mutex) == 0;
     },
     [](int) {
       pthread_mutex_lock(&mutex);
       is_told = true;
       pthread_mutex_unlock(&mutex);
       return pthread_cond_broadcast(&condition) == 0;
     }},
    {"msgrcv()",
     [](int me) {
       struct {
         long kind;
         char text[8];
       } message{};
       return msgrcv(queue, &message, sizeof message.text, me, 0) == 2 && message.text[1] == '!';
     },
     [](int me) {
       struct {
         long kind;
         char text[8];
       } message{me, "!!"};
       return msgsnd(queue, &message, 2, 0) == 0;
     }},
    {"semop()",
     [](int) {
       sembuf one{0, -1, 0};
       return semop(semaphores, &one, 1) == 0;
     },
     [](int) {
       sembuf one{0, 1, 0};
       return semop(semaphores, &one, 1) == 0;
     }},
    {"waitpid()",
     [](int me) {
       const pid_t child = fork();
       if (child == 0) _exit(read_from(me) ? 7 : 1);
       int status = 0;
       return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
     },
     write_to},
    {"flock()",
     [](int) {
       const int file = open(("/proc/self/fd/" + std::to_string(fileno(locked))).c_str(), O_RDWR);
       const bool has = flock(file, LOCK_SH) == 0;
       close(file);
       return has;
     },
     [](int) { return flock(fileno(locked), LOCK_UN) == 0; }},
    {"a loop",
     [](int) {
       while (goes == 0) {
       }
       return true;
     },
     [](int) { return ++goes > 0; }},
    // Which ends at its time, and not earlier.
    {"usleep()",
     [](int) {
       const double before = now_s();
       return usleep(150'000) == 0 && now_s() - before >= 0.15;
     },
     [](int) { return true; }},
};

void prepare() {
  for (int m = 0; m < members; ++m) CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[m]) == 0);
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(members));
  sem_init(&semaphore, 0, 0);
  queue = msgget(IPC_PRIVATE, 0600);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  locked = std::tmpfile();
  flock(fileno(locked), LOCK_EX);
}
void clean_up() {
  msgctl(queue, IPC_RMID, nullptr);
  semctl(semaphores, 0, IPC_RMID);
}

std::string name_now() {
  char text[17] = {};
  prctl(PR_GET_NAME, text);
  return text;
}

void wait_for_main(const waiting& method) {
  // On one processor main's kernel thread drives all members.
  cpu_set_t available, one;
  sched_getaffinity(0, sizeof available, &available);
  CPU_ZERO(&one);
  for (int p = 0; CPU_COUNT(&one) == 0; ++p)
    if (CPU_ISSET(p, &available)) CPU_SET(p, &one);
  sched_setaffinity(0, sizeof one, &one);
  prepare();
  const std::string first = name_now();
  team([&](int me) {
    if (me == 0) {
      for (int i = 0; i < 100; ++i) sched_yield();
      prctl(PR_SET_NAME, "changed");
      CHECK(prctl(PR_SET_TIMERSLACK, 70'000ul) == 0);
      for (int m = 1; m < members; ++m) CHECK(method.release(m));
    } else {
      CHECK(method.wait(me));
    }
    for (int i = 0; i < 5; ++i) {
      meet();
      CHECK(name_now() == (me == 0 ? "changed" : first));
      CHECK((prctl(PR_GET_TIMERSLACK) == 70'000) == (me == 0));
    }
  });
#if defined(_OPENMP)
  CHECK(name_now() == "changed" && prctl(PR_GET_TIMERSLACK) == 70'000);
#endif
  clean_up();
}

}  // namespace

int main() {
  if (members > most) return 2;
  for (const waiting& method : ways) subject(method.name, [&] { wait_for_main(method); });
  return verdict();
}
