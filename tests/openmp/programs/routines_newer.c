/* Routines of OpenMP 5.1 and 5.2, which a compiler's omp.h may not declare yet. */
#include "check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
extern int omp_in_explicit_task(void);

static void tasks(void) {
  CHECK(!omp_in_explicit_task());
#pragma omp parallel
  {
    CHECK(!omp_in_explicit_task());
#pragma omp task
    {
      CHECK(omp_in_explicit_task());
#pragma omp parallel num_threads(2)
      CHECK(!omp_in_explicit_task());
#pragma omp task if (0)
      CHECK(omp_in_explicit_task());
      CHECK(omp_in_explicit_task());
    }
#pragma omp taskwait
    CHECK(!omp_in_explicit_task());
  }
}

static void no_object(void) {
  int code = 7;
  CHECK(omp_get_num_interop_properties(omp_interop_none) == 0);
  CHECK(omp_get_interop_int(omp_interop_none, omp_ipr_fr_id, &code) == 0 && code != omp_irc_success);
  CHECK(omp_get_interop_ptr(omp_interop_none, omp_ipr_device, &code) == NULL && code != omp_irc_success);
  CHECK(omp_get_interop_str(omp_interop_none, omp_ipr_vendor_name, &code) == NULL && code != omp_irc_success);
  CHECK(omp_get_interop_str(omp_interop_none, omp_ipr_vendor_name, NULL) == NULL);
}

static void no_tool(void) { CHECK(omp_control_tool(omp_control_tool_start, 0, NULL) == omp_control_tool_notool); }
#else
static void tasks(void) {}
static void no_object(void) {}
static void no_tool(void) {}
#endif

/* Stores the text that omp_display_env writes to stderr; returns its length. */
static size_t shown(int verbose, char *text, size_t size) {
  int ends[2], before = dup(2);
  CHECK(pipe(ends) == 0);
  dup2(ends[1], 2);
  omp_display_env(verbose);
  fflush(stderr);
  dup2(before, 2);
  close(before);
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; length + 1 < size && (got = read(ends[0], text + length, size - 1 - length)) > 0;) length += (size_t)got;
  text[length] = '\0';
  close(ends[0]);
  return length;
}

static void environment(void) {
  static char text[20000];
  const size_t brief = shown(0, text, sizeof text);
  CHECK(strstr(text, "OPENMP DISPLAY ENVIRONMENT BEGIN") != NULL && strstr(text, "OMP_NUM_THREADS") != NULL);
  CHECK(shown(1, text, sizeof text) > brief);
  CHECK(strstr(text, "OPENMP DISPLAY ENVIRONMENT END") != NULL);
}

static void devices(void) {
  CHECK(omp_get_num_devices() == 0 && omp_get_initial_device() == omp_get_device_num());
}

int main(void) {
  tasks();
  no_object();
  no_tool();
  environment();
  devices();
  return verdict();
}
