/* How many threads of the kernel the process has. */
#pragma once

#include <dirent.h>
#include <stddef.h>

static inline int threads_alive(void) {
  DIR *const folder = opendir("/proc/self/task");
  int count = 0;
  for (const struct dirent *it; (it = readdir(folder)) != NULL;) count += it->d_name[0] != '.';
  closedir(folder);
  return count;
}
