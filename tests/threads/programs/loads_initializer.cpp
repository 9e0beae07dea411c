// Loads a library whose initializer creates threads and waits for them.
#include <cstdio>

#include <dlfcn.h>

int main(int, char** words) {
  void* const library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  auto* const arrived = library == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(library, "arrived_in_initializer"));
  if (arrived == nullptr) return std::printf("not loaded: %s\n", dlerror()), 1;
  std::puts(arrived() == 8 ? "ok" : "not all threads have arrived");
}
