// Taskgroups that are cancelled, with OMP_CANCELLATION=true: each copy of an object that a task has is destroyed, and a
// cancellation in tasks that reduce for a construct reaches the program's taskgroup. Settings are read from the environment, so
// the program executes itself once more.
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <unistd.h>

#include "check.h"

namespace {

int made, destroyed;

struct counted {
  int value;
  explicit counted(int v) : value(v) { add(&made, 1); }
  counted(const counted& other) : value(other.value) { add(&made, 1); }
  ~counted() {
    CHECK(value == 7);
    add(&destroyed, 1);
  }
};

// Each after the one before; the fourth cancels.
void copies_of_tasks() {
  int whole = 0;
  made = destroyed = 0;
#pragma omp parallel
#pragma omp single
  {
    const counted object(7);
    int order = 0;
#pragma omp taskgroup
    for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(object, i) depend(inout : order) shared(whole) priority(i % 3)
      {
        CHECK(object.value == 7);
        if (i == 3) {
#pragma omp cancel taskgroup
        }
#pragma omp cancellation point taskgroup
        add(&whole, 1);
      }
    }
  }
  CHECK(whole == 3 && made > 4 && made == destroyed);
}

void copies_of_taskloops() {
  int whole = 0;
  made = destroyed = 0;
#pragma omp parallel
#pragma omp single
  {
    const counted object(7);
#pragma omp taskloop firstprivate(object) shared(whole) grainsize(1)
    for (int i = 0; i < 50; ++i) {
#pragma omp cancel taskgroup if (object.value == 7)
      add(&whole, 1);
    }
  }
  CHECK(whole == 0 && made > 1 && made == destroyed);
}

// A task of the construct cancels the group around the construct: none of that group's tasks begins, which its thread generates
// then.
void out_of_reductions() {
  int left = 0, begun = 0;
  long sum = 0;
#pragma omp parallel
#pragma omp taskgroup
  {
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < 2 * asked(); ++i) {
#pragma omp task in_reduction(+ : sum) shared(left)
      {
        sum += 1;
#pragma omp cancel taskgroup
        add(&left, 1);
      }
#pragma omp taskwait
    }
#pragma omp task shared(begun)
    add(&begun, 1);
  }
  CHECK(left == 0 && begun == 0 && sum == asked());
}

}  // namespace

int main(int, char** arguments) {
  const char* const before = std::getenv("OMP_CANCELLATION");
  if (before == nullptr || std::strcmp(before, "true") != 0) {
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", arguments);
    perror("exec");
    return 2;
  }
  for (int i = 0; i < 20; ++i) {
    copies_of_tasks();
    copies_of_taskloops();
    out_of_reductions();
  }
  return verdict();
}
