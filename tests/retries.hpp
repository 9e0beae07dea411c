// What the kernel or another program decides, a test tries again: tests/python/retries.py has the reasons, and counts.
#pragma once

#include <cstdio>
#include <string>

#include <limits.h>
#include <unistd.h>

namespace retries {

/// Another try begins. It is noted in the build directory, which is above the program.
inline void note(const char* name) {
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  std::string folder(program, length > 0 ? static_cast<std::size_t>(length) : 0);
  do folder.resize(folder.find_last_of('/') == std::string::npos ? 0 : folder.find_last_of('/'));
  while (!folder.empty() && access((folder + "/CMakeCache.txt").c_str(), F_OK) != 0);
  if (folder.empty()) return;
  if (std::FILE* const file = std::fopen((folder + "/retries").c_str(), "a")) {
    std::fprintf(file, "%s\n", name);
    std::fclose(file);
  }
}

/// Tries it at most so often, until it holds.
template <class Try>
bool holds(const char* name, int most, Try once) {
  for (int i = 0; i < most; ++i) {
    if (i != 0) note(name);
    if (once()) return true;
  }
  return false;
}

}  // namespace retries
