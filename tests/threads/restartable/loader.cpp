// Loads a plugin that has crowds (main.cpp). It knows nothing of Weir.
#include "areas.h"

#include <cstdio>

#include <dlfcn.h>

int main(int, char** words) {
  area_of_thread();  // its library is the program's, too
  void* const plugin = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  void* const count = plugin != nullptr ? dlsym(plugin, "count_in_plugin") : nullptr;
  if (count == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  return reinterpret_cast<int (*)(char**)>(count)(words);
}
