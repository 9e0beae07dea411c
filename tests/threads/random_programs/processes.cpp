// Forks, threads and locks.
#include "member.hpp"

#include <semaphore.h>
#include <spawn.h>

extern char** environ;

namespace {

std::string ended(int status) {
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status));
}
void wait_for(pid_t child) {
  int status = 0;
  pid_t got = 0;
  do got = waitpid(child, &status, 0); while (got == -1 && errno == EINTR);
  say(" %s %s", got == child ? "waited" : "not waited", ended(status).c_str());
}

void fork_a_child() {
  const unsigned how = draw(4), number = draw(200);
  const std::string mask = mask_digits();
  const pid_t child = fork();
  if (child == 0) {
    if (how == 0) _exit(static_cast<int>(number));
    if (how == 1) _exit(mask_digits() == mask ? 20 : 21);
    if (how == 2) {
      signal(SIGTERM, SIG_DFL);
      unblock(SIGTERM);
      raise(SIGTERM);
      _exit(99);
    }
    pthread_t thread;
    int result = 0;
    pthread_create(&thread, nullptr, [](void* into) -> void* {
      *static_cast<int*>(into) = 30;
      return nullptr;
    }, &result);
    pthread_join(thread, nullptr);
    _exit(result);
  }
  if (child < 0) return say(" no child");
  wait_for(child);
  say_result("waitpid", waitpid(child, nullptr, 0));
}

void run_a_program() {
  char shell[] = "/bin/sh", option[] = "-c", text[32];
  std::snprintf(text, sizeof text, "exit %u", draw(100));
  char* words[] = {shell, option, text, nullptr};
  pid_t child = 0;
  if (draw(2) == 0) {
    say_error("posix_spawn", posix_spawn(&child, shell, nullptr, nullptr, words, environ));
    wait_for(child);
  } else {
    say(" system %s", ended(system(text)).c_str());
  }
}

/// What a thread of the member finds, which knows nothing of teams.
struct found {
  int give;
  std::string mask;
  bool is_self;
};
void* look(void* given) {
  auto* const answer = static_cast<found*>(given);
  answer->mask = mask_digits();
  answer->is_self = pthread_equal(pthread_self(), pthread_self()) != 0 && self == nullptr;
  for (int i = 0; i < answer->give; ++i) sched_yield();
  return reinterpret_cast<void*>(static_cast<long>(answer->give) * 3);
}
void make_threads() {
  const unsigned count = 1 + draw(3);
  pthread_t threads[3];
  found answers[3];
  for (unsigned i = 0; i < count; ++i) {
    answers[i].give = static_cast<int>(draw(50));
    say_error("create", pthread_create(&threads[i], nullptr, look, &answers[i]));
  }
  for (unsigned i = 0; i < count; ++i) {
    void* result = nullptr;
    say_error("join", pthread_join(threads[i], &result));
    say(" %ld %s %d", reinterpret_cast<long>(result), answers[i].mask.c_str(), answers[i].is_self);
  }
}

void cancel_a_thread() {
  pthread_t thread;
  sem_t never;
  sem_init(&never, 0, 0);
  pthread_create(&thread, nullptr, [](void* given) -> void* {
    sem_wait(static_cast<sem_t*>(given));
    return nullptr;
  }, &never);
  if (draw(2) == 0) compute(0.0003);
  say_error("cancel", pthread_cancel(thread));
  void* result = nullptr;
  say_error("join", pthread_join(thread, &result));
  say(" %s", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
  sem_destroy(&never);
}

pthread_mutex_t a_mutex(int kind) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, kind);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &how);
  pthread_mutexattr_destroy(&how);
  return mutex;
}
void use_mutexes() {
  pthread_mutex_t checking = a_mutex(PTHREAD_MUTEX_ERRORCHECK), recursive = a_mutex(PTHREAD_MUTEX_RECURSIVE);
  say_error("unlock", pthread_mutex_unlock(&checking));
  say_error("lock", pthread_mutex_lock(&checking));
  say_error("lock", pthread_mutex_lock(&checking));
  if (draw(2) == 0) compute(0.001);
  say_error("unlock", pthread_mutex_unlock(&checking));
  for (int i = 0; i < 3; ++i) say_error("lock", pthread_mutex_trylock(&recursive));
  pthread_t thread;
  pthread_create(&thread, nullptr, [](void* given) -> void* {
    return reinterpret_cast<void*>(static_cast<long>(pthread_mutex_trylock(static_cast<pthread_mutex_t*>(given))));
  }, &recursive);
  void* result = nullptr;
  pthread_join(thread, &result);
  say_error("another's", static_cast<int>(reinterpret_cast<long>(result)));
  for (int i = 0; i < 4; ++i) say_error("unlock", pthread_mutex_unlock(&recursive));
}

void use_semaphores() {
  sem_t semaphore;
  say_result("init", sem_init(&semaphore, 0, draw(3)));
  say_result("trywait", sem_trywait(&semaphore));
  say_result("trywait", sem_trywait(&semaphore));
  pthread_t thread;
  pthread_create(&thread, nullptr, [](void* given) -> void* {
    compute(0.0003);
    sem_post(static_cast<sem_t*>(given));
    return nullptr;
  }, &semaphore);
  pthread_join(thread, nullptr);
  say_result("wait", sem_wait(&semaphore));
  int value = -1;
  sem_getvalue(&semaphore, &value);
  say(" value %d", value);
  sem_destroy(&semaphore);
}

/// A thread that answers each turn.
struct game {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  unsigned turn = 0, turns = 0;
};
void play(game& shared, unsigned side) {
  pthread_mutex_lock(&shared.mutex);
  for (;;) {
    while (shared.turn < shared.turns && shared.turn % 2 != side) pthread_cond_wait(&shared.changed, &shared.mutex);
    if (shared.turn >= shared.turns) break;
    ++shared.turn;
    pthread_cond_signal(&shared.changed);
  }
  pthread_cond_signal(&shared.changed);
  pthread_mutex_unlock(&shared.mutex);
}
void use_conditions() {
  game shared;
  shared.turns = draw(12);
  pthread_t thread;
  pthread_create(&thread, nullptr, [](void* given) -> void* {
    play(*static_cast<game*>(given), 1);
    return nullptr;
  }, &shared);
  play(shared, 0);
  pthread_join(thread, nullptr);
  say(" %u turns", shared.turn);
}

// What all members share.
pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
void enter_the_shared_lock() {
  say_error("lock", pthread_mutex_lock(&shared));
  static int inside;
  say(" alone %d", ++inside == 1);
  if (draw(2) == 0) compute(0.0005);
  else sched_yield();
  --inside;
  say_error("unlock", pthread_mutex_unlock(&shared));
}

constexpr call rows[] = {
    {"fork", 2, fork_a_child},      {"program", 1, run_a_program},   {"threads", 2, make_threads},
    {"cancel", 1, cancel_a_thread}, {"mutexes", 2, use_mutexes},     {"semaphores", 2, use_semaphores},
    {"conditions", 2, use_conditions}, {"lock", 3, enter_the_shared_lock},
};

}  // namespace

std::span<const call> calls_of_processes() { return rows; }
