// Exceptions that are caught inside the construct that throws them: a region, a loop, a critical section, a task.
#include "check.h"

#include <omp.h>
#include <stdexcept>
#include <string>

namespace {

[[noreturn]] void complain(int about) { throw std::runtime_error(std::to_string(about)); }

int caught_from(int number) {
  try {
    complain(number);
  } catch (const std::exception& error) {
    return error.what() == std::to_string(number);
  }
}

}  // namespace

int main() {
  int caught = 0, in_loop = 0, in_critical = 0, in_tasks = 0;
#pragma omp parallel
  {
    add(&caught, caught_from(omp_get_thread_num()));
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
      try {
        if (i % 2) complain(i);
      } catch (const std::runtime_error&) {
        add(&in_loop, 1);
      }
    }
#pragma omp critical
    {
      try {
        complain(1);
      } catch (...) {
        ++in_critical;
      }
    }
#pragma omp single
    for (int i = 0; i < 50; ++i) {
#pragma omp task shared(in_tasks)
      add(&in_tasks, caught_from(i));
    }
  }
  CHECK(caught == asked() && in_loop == 50 && in_critical == asked() && in_tasks == 50);

  // An exception that is thrown after the construct is caught outside of it.
  int behind = 0;
  for (int i = 0; i < 10; ++i) {
    try {
      int members = 0;
#pragma omp parallel
      add(&members, 1);
      complain(members);
    } catch (const std::runtime_error& error) {
      behind += error.what() == std::to_string(asked());
    }
  }
  CHECK(behind == 10);
  return verdict();
}
