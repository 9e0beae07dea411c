// Loads a plugin that has a crowd, lets it end, and unloads it, several times; then it does other things for a while: what has
// stayed behind (a thread, a timer, a handler) would execute code that is not there. It knows nothing of Weir.
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>

#include <dlfcn.h>
#include <pthread.h>

namespace {

int failed(const char* what) {
  std::printf("not so: %s\n", what);
  return 1;
}
void compute(double seconds) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  for (const double until = now() + seconds; now() < until;) {
  }
}
int use(const char* path) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return failed(dlerror());
  auto* const counts = reinterpret_cast<int (*)(int, int)>(dlsym(plugin, "counts_by_a_crowd"));
  if (counts == nullptr) return failed(dlerror());
  if (counts(8, 200) != 1600 || counts(8, 200) != 1600) return failed("a crowd of the plugin counts");
  if (dlclose(plugin) != 0) return failed(dlerror());
  return 0;
}
void* use_in_a_thread(void* path) { return use(static_cast<const char*>(path)) == 0 ? path : nullptr; }

}  // namespace

int main(int, char** words) {
  for (int round = 0; round < 10; ++round) {
    if (round % 3 == 2) {
      pthread_t thread;
      void* result = nullptr;
      pthread_create(&thread, nullptr, use_in_a_thread, words[1]);
      pthread_join(thread, &result);
      if (result == nullptr) return 1;
    } else if (use(words[1]) != 0) {
      return 1;
    }
    compute(0.05);  // a quantum that is left over ends here
    raise(SIGURG);
  }
  std::puts("ok");
}
