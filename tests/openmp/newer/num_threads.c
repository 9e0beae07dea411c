/* num_threads with a list, with strict, severity and message, as Clang compiles it since version 21. */
#include "check.h"
#include "kmpc.h"
#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void __kmpc_push_num_threads(place *, int, int);
void __kmpc_push_num_threads_list(place *, int, unsigned count, int *);
void __kmpc_push_num_threads_strict(place *, int, int, int severity, const char *message);
void __kmpc_push_num_threads_list_strict(place *, int, unsigned count, int *, int severity, const char *message);
enum { warning = 1, fatal = 2 };

static int me(void) { return __kmpc_global_thread_num(&here); }

static int size_of_next(void) {
  int size = 0;
#pragma omp parallel
#pragma omp masked
  size = omp_get_num_threads();
  return size;
}

static void by_level(void) {
  int list[] = {2, 3, 4};
  __kmpc_push_num_threads_list(&here, me(), 3, list);
  list[0] = list[1] = list[2] = 1; /* its memory is the program's again */
#pragma omp parallel
  {
    CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == 3);
#pragma omp parallel
    {
      CHECK(omp_get_num_threads() == 3 && omp_get_max_threads() == 4);
#pragma omp parallel
      {
        CHECK(omp_get_num_threads() == 4 && omp_get_max_threads() == 4);
        CHECK(size_of_next() == 4); /* the last holds for all below */
      }
    }
    omp_set_num_threads(2); /* of this task's regions alone */
#pragma omp parallel
    CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == 4);
#pragma omp parallel num_threads(1)
    CHECK(omp_get_max_threads() == 4);
#pragma omp parallel if (0)
    CHECK(omp_get_max_threads() == 4);
  }
  CHECK(size_of_next() == asked() && omp_get_max_threads() == asked());
#pragma omp parallel
  CHECK(omp_get_max_threads() == asked());
}

static void inner_lists(void) {
  int outer[] = {2, 3}, inner[] = {1, 2, 3};
  __kmpc_push_num_threads_list(&here, me(), 2, outer);
#pragma omp parallel
  {
    __kmpc_push_num_threads_list(&here, me(), 3, inner);
#pragma omp parallel
    {
      CHECK(omp_get_num_threads() == 1 && omp_get_max_threads() == 2);
#pragma omp parallel
      CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == 3);
    }
    CHECK(omp_get_max_threads() == 3);
  }
  int one[] = {2};
  __kmpc_push_num_threads_list(&here, me(), 1, one);
#pragma omp parallel
  CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == asked());
}

static void not_for_another(void) {
  int list[] = {2, 3};
  __kmpc_push_num_threads_list_strict(&here, me(), 2, list, fatal, NULL);
#pragma omp parallel if (0)
  CHECK(omp_get_num_threads() == 1 && omp_get_max_threads() == asked());
  CHECK(size_of_next() == asked());
  __kmpc_push_num_threads_strict(&here, me(), 3, fatal, NULL);
  __kmpc_push_num_threads(&here, me(), 2);
  CHECK(size_of_next() == 2);
}

static int ask_strictly(int threads, int severity, const char *message) {
  __kmpc_push_num_threads_strict(&here, me(), threads, severity, message);
  return size_of_next();
}

/* What it writes in a process of its own, whose status it returns. */
static int said(char *text, size_t most, int threads, int severity, const char *message) {
  int ends[2], status = 0;
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp masked
    ask_strictly(threads, severity, message);
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; length + 1 < most && (got = read(ends[0], text + length, most - 1 - length)) > 0;) length += (size_t)got;
  text[length] = '\0';
  close(ends[0]);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void strictly(void) {
  for (int threads = 1; threads < 5; ++threads) CHECK(ask_strictly(threads, fatal, "no") == threads);
  int list[] = {3, 2};
  __kmpc_push_num_threads_list_strict(&here, me(), 2, list, fatal, "no");
#pragma omp parallel
  CHECK(omp_get_num_threads() == 3 && omp_get_max_threads() == 2);
  static char text[2000];
  CHECK(said(text, sizeof text, 1, warning, "apples") == 0 && strlen(text) == 0);
  CHECK(said(text, sizeof text, 4, warning, "apples") == 0);
  CHECK(strstr(text, "apples") != NULL && strstr(text, "num_threads(strict: 4)") != NULL && strstr(text, "size is 1") != NULL);
  CHECK(said(text, sizeof text, 4, warning, NULL) == 0 && strlen(text) > 0);
  CHECK(said(text, sizeof text, 4, fatal, "pears") != 0 && strstr(text, "pears") != NULL);
}

typedef int routine(int, void *);
void *__kmpc_omp_task_alloc(place *, int, int flags, size_t bytes, size_t shared, routine *);
int __kmpc_omp_task(place *, int, void *);
static int executed;
static int count(int thread, void *task) {
  (void)thread, (void)task;
  add(&executed, 1);
  return 0;
}
/* threadset(omp_pool): a task that free-agent threads may execute, of which there are none. */
static void tasks_of_the_pool(void) {
  enum { tied = 1, free_agents = 0x80 };
#pragma omp parallel
  for (int i = 0; i < 50; ++i) __kmpc_omp_task(&here, me(), __kmpc_omp_task_alloc(&here, me(), tied | free_agents, 40, 0, count));
  CHECK(executed == 50 * asked());
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(4);
  for (int round = 0; round < 2; ++round) {
    by_level();
    inner_lists();
    not_for_another();
  }
  omp_set_max_active_levels(1);
  strictly();
  tasks_of_the_pool();
  return verdict();
}
