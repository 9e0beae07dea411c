// Weir takes one key of thread-specific data, and not the first one, which some programs expect to be theirs. A key's destructor
// finds what the thread was.
#include <atomic>
#include <climits>
#include <cstdio>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace {

std::atomic<int> wrongs{0}, destroyed{0};
pthread_key_t key;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void check(bool is_so, const char* what) {
  if (is_so) return;
  ++wrongs;
  std::fprintf(stderr, "not so: %s\n", what);
}

void destroy(void* of) {
  check(static_cast<pid_t>(reinterpret_cast<long>(of)) == gettid(), "the thread's number in a destructor");
  pthread_mutex_lock(&mutex);
  ++destroyed;
  pthread_mutex_unlock(&mutex);
  sched_yield();
}

}  // namespace

int main() {
  std::vector<pthread_key_t> keys;
  for (pthread_key_t each; pthread_key_create(&each, nullptr) == 0;) keys.push_back(each);
  check(keys.size() + 1 >= PTHREAD_KEYS_MAX, "all keys but one");
  check(!keys.empty() && keys.front() == 0, "the first key is the first one");
  for (const pthread_key_t each : keys) pthread_key_delete(each);
  pthread_key_create(&key, destroy);
  constexpr int threads = 32;
  std::vector<pthread_t> members(threads);
  for (pthread_t& each : members)
    pthread_create(&each, nullptr, [](void*) -> void* {
      pthread_setspecific(key, reinterpret_cast<void*>(long{gettid()}));
      for (int i = 0; i < 100; ++i) {
        pthread_mutex_lock(&mutex);
        sched_yield();
        pthread_mutex_unlock(&mutex);
      }
      return nullptr;
    }, nullptr);
  for (const pthread_t each : members) pthread_join(each, nullptr);
  check(destroyed == threads, "each thread's destructor runs once");
  if (wrongs == 0) std::puts("ok");
  return wrongs != 0;
}
