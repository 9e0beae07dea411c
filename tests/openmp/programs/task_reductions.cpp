// Task reductions: of classes with constructors, of arrays, declared reductions, in nested groups.
#include <cstring>
#include <omp.h>
#include <sched.h>

#include "check.h"

namespace {

int alive = 0;

// Owns the memory of its count, so a copy that is not constructed, or not destroyed, is detected.
class counter {
 public:
  counter() : count_(new long(0)) { add(&alive, 1); }
  explicit counter(long start) : count_(new long(start)) { add(&alive, 1); }
  counter(const counter& other) : count_(new long(*other.count_)) { add(&alive, 1); }
  counter& operator=(const counter&) = delete;
  ~counter() {
    delete count_;
    add(&alive, -1);
  }
  void count(long by) { *count_ += by; }
  void take(const counter& other) { *count_ += *other.count_; }
  long value() const { return *count_; }

 private:
  long* count_;
};
#pragma omp declare reduction(sum : counter : omp_out.take(omp_in)) initializer(omp_priv = counter())

struct range {
  int least, most, unit;
};
// The initial value of a copy depends on the original variable.
void begin(range* copy, const range* original) { *copy = {1000, -1000, original->unit}; }
#pragma omp declare reduction(span : range : omp_out.least = omp_in.least < omp_out.least ? omp_in.least : omp_out.least, \
                                  omp_out.most = omp_in.most > omp_out.most ? omp_in.most : omp_out.most)               \
    initializer(begin(&omp_priv, &omp_orig))

void look(range& r, int at) {
  CHECK(r.unit == 7);
  if (at < r.least) r.least = at;
  if (at > r.most) r.most = at;
}

void by_one_of_a_team() {
  long sum = 5, product = 1, field[6] = {1, 1, 1, 1, 1, 1};
  counter counted(10);
  range seen = {100, 100, 7};
#pragma omp parallel
#pragma omp single nowait
#pragma omp taskgroup task_reduction(+ : sum, field) task_reduction(* : product) task_reduction(sum : counted) \
    task_reduction(span : seen)
  for (int i = 0; i < 60; ++i) {
#pragma omp task in_reduction(+ : sum, field) in_reduction(* : product) in_reduction(sum : counted) in_reduction(span : seen) \
    firstprivate(i)
    {
      sum += i;
      field[i % 6] += i;
      if (i % 10 == 0) product *= 3;
      counted.count(2);
      look(seen, 8 * i);
#pragma omp task in_reduction(+ : sum) in_reduction(sum : counted)
      {
        sum += 1;
        counted.count(1);
      }
    }
  }
  CHECK(sum == 5 + 1770 + 60 && product == 729 && counted.value() == 190);
  CHECK(seen.least == 0 && seen.most == 472);
  for (int i = 0; i < 6; ++i) CHECK(field[i] == 1 + 10 * i + 270);
}

void by_each_of_a_team() {
  long total = 0;
#pragma omp parallel reduction(+ : total)
  {
    long sum = omp_get_thread_num(), inner = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum) shared(inner)
      {
        sum += 1;
        long deep = 0;
#pragma omp taskgroup task_reduction(+ : deep)
        {
#pragma omp task in_reduction(+ : deep) in_reduction(+ : sum)
          {
            deep += 1;
            sum += 1;
          }
        }
        CHECK(deep == 1);
        add(reinterpret_cast<int*>(&inner), 1);
      }
    }
    CHECK(sum == omp_get_thread_num() + 20 && inner == 10);
    total += sum;
  }
  const int n = asked();
  CHECK(total == n * (n - 1) / 2 + 20 * n);
}

void of_parts(int size) {
  long field[20];
  for (long& f : field) f = 1;
  int executed = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : field[5 : size])
  {
    for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : field[5 : size]) firstprivate(i) shared(executed)
      {
        field[5 + i % size] += 1;
        if (i % 4 == 0) {
          // Inside of another one, by the same thread.
#pragma omp task in_reduction(+ : field[5 : size]) if (false)
          field[5 + i % size] += 1;
          field[5 + i % size] -= 1;
        }
        add(&executed, 1);
      }
    }
    // The thread that combines the copies has executed none of the tasks.
    while (asked() > 1 && __atomic_load_n(&executed, __ATOMIC_ACQUIRE) < 40) sched_yield();
  }
  for (int i = 0; i < 20; ++i) CHECK(field[i] == (i < 5 || i >= 5 + size ? 1 : 1 + 40 / size));
}

void of_parts_of_objects(int size) {
  {
    counter field[12];
    int executed = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(sum : field[2 : size])
    {
      for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(sum : field[2 : size]) firstprivate(i) shared(executed)
        {
          field[2 + i % size].count(1);
          add(&executed, 1);
        }
      }
      while (asked() > 1 && __atomic_load_n(&executed, __ATOMIC_ACQUIRE) < 40) sched_yield();
    }
    for (int i = 0; i < 12; ++i) CHECK(field[i].value() == (i < 2 || i >= 2 + size ? 0 : 40 / size));
  }
  CHECK(alive == 0);
}

void of_regions() {
  const int n = asked();
  long sum = 100;
  counter counted(1);
#pragma omp parallel reduction(task, + : sum) reduction(task, sum : counted)
  {
    sum += 1;
    for (int i = 0; i < 5; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(sum : counted)
      {
        sum += 10;
        counted.count(1);
      }
    }
  }
  CHECK(sum == 100 + 51 * n && counted.value() == 1 + 5 * n);
#pragma omp parallel if (n < 0) reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1;
  }
  CHECK(sum == 101 + 51 * n);
}

void of_loops() {
  const int n = asked();
  long sum = 0;
  counter counted;
#pragma omp parallel
  {
    for (int round = 0; round < 20; ++round) {
#pragma omp for reduction(task, + : sum) reduction(task, sum : counted) schedule(static, 1)
      for (int i = 0; i < 3 * n; ++i) {
        sum += 1;
#pragma omp task in_reduction(+ : sum) in_reduction(sum : counted)
        {
          sum += 1;
          counted.count(1);
        }
      }
      CHECK(sum == 6 * n * (round + 1) && counted.value() == 3 * n * (round + 1));
#pragma omp barrier
    }
  }
}

// An inner construct has its own copies, and its tasks may also use the copies of the enclosing constructs.
void of_loops_in_regions() {
  const int n = asked();
  long outer = 0, inner = 0;
#pragma omp parallel reduction(task, + : outer)
  for (int round = 0; round < 3; ++round) {
#pragma omp for reduction(task, + : inner) schedule(static, 1)
    for (int i = 0; i < 2 * n; ++i) {
      inner += 1;
#pragma omp task in_reduction(+ : inner, outer)
      {
        inner += 1;
        outer += 1;
      }
    }
#pragma omp taskgroup
    {
#pragma omp sections reduction(task, + : inner)
      {
#pragma omp section
        {
#pragma omp task in_reduction(+ : inner)
          inner += 1;
        }
#pragma omp section
        inner += 1;
      }
#pragma omp task in_reduction(+ : outer)
      outer += 1;
    }
  }
  CHECK(outer == 9 * n && inner == 12 * n + 6);
}

void of_scopes() {
#ifndef __clang__  // it does not support the task modifier there
  const int n = asked();
  long first = 0, second = 0, third = 0;
  counter counted;
#pragma omp parallel
  for (int round = 0; round < 3; ++round) {
#pragma omp scope reduction(task, + : first) reduction(task, sum : counted)
    {
      first += 1;
#pragma omp scope reduction(task, + : second)
      {
        second += 1;
#pragma omp for reduction(task, + : third) schedule(static, 1)
        for (int i = 0; i < 2 * n; ++i) {
          third += 1;
#pragma omp task in_reduction(+ : first, second, third) in_reduction(sum : counted)
          {
            first += 1;
            second += 10;
            third += 100;
            counted.count(1);
          }
        }
      }
#pragma omp scope reduction(task, + : third)
      {
#pragma omp task in_reduction(+ : first, third)
        {
          first += 1;
          third += 1;
        }
      }
    }
  }
  CHECK(first == 12 * n && second == 63 * n && third == 609 * n && counted.value() == 6 * n);
#endif
}

void of_taskloops(int none) {
  long sum = 0;
  counter counted;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) reduction(sum : counted) num_tasks(9)
    for (int i = 0; i < 100; ++i) {
      sum += i;
      counted.count(1);
    }
#pragma omp taskloop reduction(+ : sum) reduction(sum : counted)
    for (int i = 0; i < none; ++i) sum += 1;
#pragma omp taskgroup task_reduction(sum : counted)
    {
#pragma omp taskloop in_reduction(sum : counted) collapse(2) nogroup
      for (unsigned i = 0; i < 5; ++i)
        for (unsigned long j = 0; j < 5; ++j) counted.count(1);
    }
  }
  CHECK(sum == 4950 && counted.value() == 125);
}

// A task may begin a region, which shares the task's copy.
void with_regions_inside() {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 4; ++i) {
#pragma omp task in_reduction(+ : sum)
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp atomic
        sum += 1;
        int own = 0;
#pragma omp taskgroup task_reduction(+ : own)
        {
#pragma omp task in_reduction(+ : own)
          own += 1;
        }
        CHECK(own == 1);
      }
      sum += 10;
    }
  }
  CHECK(sum >= 44 && sum <= 48);
}

}  // namespace

int main() {
  for (int i = 0; i < 10; ++i) {
    by_one_of_a_team();
    by_each_of_a_team();
    of_parts(4);
    of_parts_of_objects(8);
    of_regions();
    of_loops();
    of_loops_in_regions();
    of_scopes();
    of_taskloops(0);
    with_regions_inside();
  }
  int sum = 0;  // outside of all regions
#pragma omp taskgroup task_reduction(+ : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1;
  }
  CHECK(sum == 1 && alive == 0);
  return verdict();
}
