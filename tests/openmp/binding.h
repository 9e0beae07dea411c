/* On which processors all tasks of the process may run, changed from outside. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* As an administrator does, from another process: a member that binds itself goes on in a kernel thread of its own. */
static inline void bind_all_to(const cpu_set_t *these) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/task", (int)getpid());
  const pid_t other = fork();
  if (other != 0) {
    waitpid(other, NULL, 0);
    return;
  }
  DIR *tasks = opendir(name);
  for (struct dirent *each; (each = readdir(tasks)) != NULL;)
    if (each->d_name[0] != '.') sched_setaffinity(atoi(each->d_name), sizeof *these, these);
  _exit(0);
}

static inline cpu_set_t first_of(const cpu_set_t *these) {
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, these)) {
      CPU_SET(i, &first);
      break;
    }
  return first;
}
