// Objects of classes that tasks have copies of: each copy is constructed once and destroyed once, and is the task's own.
// Exceptions that are in flight while their thread executes other tasks.
#include <mutex>
#include <omp.h>
#include <set>
#include <stdexcept>
#include <vector>

#include "check.h"

namespace {

class registered {
 public:
  explicit registered(int value = 0) : value_(value) { enter(); }
  registered(const registered& other) : value_(other.value()) {
    enter();
    add(&copies, 1);
  }
  registered& operator=(const registered& other) {
    value_ = other.value();
    return *this;
  }
  ~registered() {
    const std::lock_guard guard(mutual);
    CHECK(alive.erase(this) == 1);
    value_ = -1;
  }
  int value() const {
    CHECK(value_ >= 0);
    return value_;
  }
  void set(int value) { value_ = value; }

  static std::size_t count() { return alive.size(); }
  static int copies;

 private:
  void enter() {
    const std::lock_guard guard(mutual);
    CHECK(alive.insert(this).second);
  }
  int value_;
  static std::mutex mutual;
  static std::set<const registered*> alive;
};
int registered::copies = 0;
std::mutex registered::mutual;
std::set<const registered*> registered::alive;

void copies_of_tasks() {
  registered one(0), two(100);
  registered::copies = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; ++i) {
    one.set(i);
#pragma omp task firstprivate(one, two, i) if (i % 5 != 0) final(i % 7 == 0)
    {
      CHECK(one.value() == i && two.value() == 100);
      one.set(1000 + i);
      two.set(0);
#pragma omp task firstprivate(one, i) untied
      CHECK(one.value() == 1000 + i);
      one.set(0);
    }
  }
  CHECK(registered::copies == 3 * 30 && registered::count() == 2);
  CHECK(one.value() == 29 && two.value() == 100);
}

// The tasks begin after the function that generates them has returned, and others have its stack.
void generate(std::vector<int>& seen, int& object, int number) {
  registered many[3] = {registered(number), registered(number + 1), registered(number + 2)};
  const registered last(number + 3);
#pragma omp task firstprivate(many, last, number) shared(seen, object) depend(inout : object)
  {
    CHECK(many[0].value() == number && many[1].value() == number + 1 && many[2].value() == number + 2);
    seen.push_back(last.value());
  }
}

void copies_outlive_their_originals() {
  std::vector<int> seen;
#pragma omp parallel
#pragma omp single
  {
    int object = 0;
    for (int i = 0; i < 40; ++i) generate(seen, object, i);
#pragma omp taskwait
  }
  CHECK(seen.size() == 40 && registered::count() == 0);
  for (int i = 0; i < static_cast<int>(seen.size()); ++i) CHECK(seen[i] == i + 3);
}

void copies_of_taskloops() {
  registered given(7), left(0), own(5);
  std::vector<int> field(200, 1);
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop firstprivate(given) lastprivate(left) num_tasks(9)
    for (int i = 0; i < 100; ++i) {
      CHECK(given.value() >= 7);
      given.set(given.value() + 1);
      left.set(i + 3);
    }
    CHECK(left.value() == 102);
#pragma omp taskloop firstprivate(own) reduction(+ : sum) grainsize(7)
    for (auto at = field.begin(); at < field.end(); at += 2) sum += *at * own.value();
  }
  CHECK(sum == 500 && given.value() == 7 && registered::count() == 3);
}

// While it handles an exception, a thread executes tasks that throw and handle others.
void waits_in_handlers() {
  int kept = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task shared(kept) firstprivate(i)
    try {
      try {
        throw i;
      } catch (int) {
        for (int k = 0; k < 3; ++k) {
#pragma omp task
          try {
            throw std::runtime_error("another");
          } catch (const std::runtime_error&) {
#pragma omp taskyield
          }
        }
#pragma omp taskwait
        throw;
      }
    } catch (int again) {
      CHECK(again == i);
      add(&kept, 1);
    }
  }
  CHECK(kept == 20);
}

// A destructor that waits for tasks while an exception unwinds the stack.
struct waits_at_its_end {
  int* done;
  ~waits_at_its_end() {
    for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i)
      try {
        if (i > 0) throw std::runtime_error("another");
        add(done, 1);
      } catch (const std::runtime_error&) {
        add(done, 1);
      }
    }
#pragma omp taskwait
  }
};

void waits_while_unwinding() {
  int done = 0, caught = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done, caught) firstprivate(i)
    try {
      const waits_at_its_end here{&done};
      throw i;
    } catch (int again) {
      CHECK(again == i);
      add(&caught, 1);
    }
  }
  CHECK(done == 30 && caught == 10);
}

}  // namespace

int main() {
  for (int i = 0; i < 10; ++i) {
    copies_of_tasks();
    copies_outlive_their_originals();
    copies_of_taskloops();
    waits_in_handlers();
    waits_while_unwinding();
  }
  return verdict();
}
