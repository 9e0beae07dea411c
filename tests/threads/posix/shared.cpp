// Objects in memory that other processes map, and words of which the program does not say whether they do.
#include "threads.hpp"

#include <semaphore>

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

namespace {

using word = std::atomic<std::uint32_t>;

long futex(word* place, int what, std::uint32_t value) { return syscall(SYS_futex, place, what, value, nullptr, nullptr, 0); }

/// Two processes take turns: this one's thread makes the number odd, the child makes it even. Nobody looks without being woken.
void take_turns(word* place) {
  constexpr std::uint32_t turns = 200;
  const auto play = [place](std::uint32_t first) {
    for (std::uint32_t turn = first; turn < turns; turn += 2) {
      for (std::uint32_t now; (now = place->load()) != turn;) futex(place, FUTEX_WAIT, now);
      place->store(turn + 1);
      futex(place, FUTEX_WAKE, 1);
    }
  };
  *place = 0;
  std::fflush(nullptr);
  const pid_t other = fork();
  if (other == 0) play(0), _exit(0);
  result_of(start([&] { return play(1), nullptr; }));
  int status = -1;
  while (waitpid(other, &status, 0) == -1 && errno == EINTR) {
  }
  CHECK(status == 0 && *place == turns);
}

constexpr std::size_t bytes = 65536;
void* mapped(int how, void* at = nullptr) {
  void* const mapping = mmap(at, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);
  CHECK(mapping != MAP_FAILED);
  return mapping;
}
/// One that is known to be private: a thread has waited there.
void waits_there(void* at) {
  auto* const common = new (at) word{0};
  const pthread_t one = start([common]() -> void* {
    while (*common == 0) futex(common, FUTEX_WAIT, 0);
    return nullptr;
  });
  sleep_for(0.001);
  *common = 1;
  futex(common, FUTEX_WAKE, 1);
  result_of(one);
}

void words() {
  const others so_many;
  take_turns(new (mapped(MAP_SHARED)) word);
  // Where private memory was.
  void* const was_private = mapped(MAP_PRIVATE);
  waits_there(was_private);
  take_turns(new (mapped(MAP_SHARED | MAP_FIXED, was_private)) word);
  waits_there(mapped(MAP_PRIVATE | MAP_FIXED, was_private));
  auto* const by_call = reinterpret_cast<void*>(
      syscall(SYS_mmap, was_private, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_ANONYMOUS, -1, 0L));
  CHECK(by_call == was_private);
  take_turns(new (by_call) word);
  void* const was_private_too = mapped(MAP_PRIVATE);
  waits_there(was_private_too);
  CHECK(mremap(by_call, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, was_private_too) == was_private_too);
  take_turns(new (was_private_too) word);
  void* const place = mapped(MAP_PRIVATE);
  waits_there(place);
  const int segment = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  CHECK(segment >= 0 && shmat(segment, place, SHM_REMAP) == place);
  take_turns(new (place) word);
  CHECK(shmctl(segment, IPC_RMID, nullptr) == 0);
}

/// As the kernel answers.
void no_words() {
  const others so_many;
  result_of(start([]() -> void* {
    const auto refused = [](std::uintptr_t at, int error) {
      for (const int what : {FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_PRIVATE}) {
        errno = 0;
        CHECK(futex(reinterpret_cast<word*>(at), what, 1) == -1 && errno == error);
      }
    };
    refused(8, EFAULT);
    alignas(8) char two_words[8] = {};
    refused(reinterpret_cast<std::uintptr_t>(two_words) + 1, EINVAL);
    return nullptr;
  }));
}

void semaphores_of_the_standard() {
  constexpr int rounds = 2000;
  std::counting_semaphore<> turn[8] = {std::counting_semaphore<>(0), std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                       std::counting_semaphore<>(0), std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                       std::counting_semaphore<>(0), std::counting_semaphore<>(0)};
  int count = 0;
  const int processes = std::min(members, 8);
  turn[0].release();
  team([&](int me) {
    if (me >= processes) return;
    for (int i = 0; i < rounds; ++i) {
      turn[me].acquire();
      ++count;
      turn[(me + 1) % processes].release();
    }
  });
  CHECK(count == rounds * processes);
}

/// All objects that processes may share.
struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_barrier_t two;
  pthread_rwlock_t lock;
  sem_t posted;
  int count;
};
void objects() {
  const others so_many;
  auto* const objects = static_cast<shared*>(mapped(MAP_SHARED));
  pthread_mutexattr_t of_mutex;
  pthread_condattr_t of_condition;
  pthread_barrierattr_t of_barrier;
  pthread_rwlockattr_t of_lock;
  pthread_mutexattr_init(&of_mutex), pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
  pthread_condattr_init(&of_condition), pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
  pthread_barrierattr_init(&of_barrier), pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
  pthread_rwlockattr_init(&of_lock), pthread_rwlockattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
  CHECK(pthread_mutex_init(&objects->mutex, &of_mutex) == 0 && pthread_cond_init(&objects->changed, &of_condition) == 0 &&
        pthread_barrier_init(&objects->two, &of_barrier, 2) == 0 && pthread_rwlock_init(&objects->lock, &of_lock) == 0 &&
        sem_init(&objects->posted, 1, 0) == 0);
  objects->count = 0;
  constexpr int rounds = 200;
  const auto play = [objects](int side) {
    for (int i = 0; i < rounds; ++i) {
      CHECK(pthread_mutex_lock(&objects->mutex) == 0);
      while (objects->count % 2 != side) CHECK(pthread_cond_wait(&objects->changed, &objects->mutex) == 0);
      ++objects->count;
      CHECK(pthread_cond_signal(&objects->changed) == 0 && pthread_mutex_unlock(&objects->mutex) == 0);
    }
    for (int i = 0; i < rounds; ++i) {
      const int serial = pthread_barrier_wait(&objects->two);
      CHECK(serial == 0 || serial == PTHREAD_BARRIER_SERIAL_THREAD);
      if (i % 2 == side) {
        CHECK(pthread_rwlock_wrlock(&objects->lock) == 0 && ++objects->count > 0 && pthread_rwlock_unlock(&objects->lock) == 0);
        CHECK(sem_post(&objects->posted) == 0);
      } else {
        CHECK(sem_wait(&objects->posted) == 0 && pthread_rwlock_rdlock(&objects->lock) == 0 &&
              pthread_rwlock_unlock(&objects->lock) == 0);
      }
    }
  };
  std::fflush(nullptr);
  const pid_t other = fork();
  if (other == 0) wrongs = 0, play(0), _exit(wrongs != 0);
  result_of(start([&] { return play(1), nullptr; }));
  int status = -1;
  while (waitpid(other, &status, 0) == -1 && errno == EINTR) {
  }
  CHECK(status == 0 && objects->count == 3 * rounds);
}

const subject subjects[] = {{"words", words},
                            {"no words", no_words},
                            {"semaphores of the standard", semaphores_of_the_standard},
                            {"objects", objects}};

}  // namespace

int main() { return run_all(subjects); }
