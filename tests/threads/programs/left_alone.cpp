// Threads that drivers create for themselves stay with the kernel, though others are members, also where a driver is loaded in
// the place of another library. argv: a library, and the same with a driver's name.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "../../openmp/driving_thread.h"

namespace {

std::atomic<bool> is_over, has_found_member;

/// Called by each thread again and again; 0: it ends.
int goes_on() {
  if (driving_thread() != gettid()) has_found_member = true;
  sched_yield();
  return !is_over;
}

using function = void* (*)(void*);

/// Is one of the threads that begin with this function a member within so long? They are more than the processors.
bool are_members(function begin, int milliseconds) {
  has_found_member = is_over = false;
  std::vector<pthread_t> threads(2 * std::thread::hardware_concurrency());
  for (pthread_t& each : threads) pthread_create(&each, nullptr, begin, reinterpret_cast<void*>(&goes_on));
  for (int i = 0; i < milliseconds && !has_found_member; ++i) usleep(1000);
  is_over = true;
  for (const pthread_t each : threads) pthread_join(each, nullptr);
  return has_found_member;
}

struct library {
  explicit library(const char* path) : handle(dlopen(path, RTLD_NOW)) {}
  library(const library&) = delete;
  ~library() { dlclose(handle); }
  function begin() const { return reinterpret_cast<function>(dlsym(handle, "begin")); }
  void* const handle;
};

}  // namespace

int main(int, char** arguments) {
  bool is_right = true;
  {
    const library usual(arguments[1]);
    is_right &= are_members(usual.begin(), 300'000);
  }
  const library driver(arguments[2]);
  is_right &= !are_members(driver.begin(), 200);
  std::puts(is_right ? "ok" : "wrong");
}
