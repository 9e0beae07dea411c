// The first thread has been cancelled, and creates another one: that is no cancellation point, whatever Weir looks at then.
#include <cstdio>

#include <pthread.h>
#include <unistd.h>

int main() {
  pthread_cancel(pthread_self());
  pthread_t other;
  const auto says = [](void*) -> void* {
    std::puts("ok");
    std::fflush(stdout);
    _exit(0);
  };
  if (pthread_create(&other, nullptr, says, nullptr) != 0) return 1;
  for (;;) pause();
}
