/* error at(execution): a warning is printed, and an error ends the program. */
#include "check.h"
#include <omp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void warn(void) {
#ifdef __clang__ /* it accepts only a string literal */
#pragma omp error at(execution) severity(warning) message("3 apples")
#else
  char text[32];
  snprintf(text, sizeof text, "%d apples", 3);
#pragma omp error at(execution) severity(warning) message(text)
#endif
}
static void warn_without_words(void) {
#pragma omp error at(execution) severity(warning)
}
static void fail(void) {
#pragma omp error at(execution) severity(fatal) message("no more pears")
}

/* Returns whether `from` returns, and checks its message. */
static int comes_back(void (*from)(void), const char *says) {
  int ends[2], status = 0;
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(ends[1], STDERR_FILENO);
    from();
    _exit(0);
  }
  close(ends[1]);
  char text[4096];
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;) length += (size_t)got;
  text[length] = '\0';
  close(ends[0]);
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(length > 0 && strstr(text, says) != NULL);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void) {
  CHECK(comes_back(warn, "3 apples"));
  CHECK(comes_back(warn_without_words, ""));
  CHECK(!comes_back(fail, "no more pears"));
  return verdict();
}
