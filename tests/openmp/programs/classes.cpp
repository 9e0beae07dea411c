// Features of C++: constructors and destructors of private copies, reductions of classes, iterators, lambdas.
#include "check.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <omp.h>
#include <string>
#include <vector>

namespace {

std::atomic<int> alive{0};

struct value {
  int number = 0;
  std::string text = "a text that is too long to lie in the object itself";
  value() { ++alive; }
  explicit value(int n) : number(n) { ++alive; }
  value(const value& other) : number(other.number), text(other.text) { ++alive; }
  value& operator=(const value&) = default;
  ~value() { --alive; }
};

#pragma omp declare reduction(joined : value : omp_out.number += omp_in.number) initializer(omp_priv = value{})
#pragma omp declare reduction(appended : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

void copies() {
  value given{5}, last, own;
#pragma omp parallel firstprivate(given) private(own)
  {
    CHECK(given.number == 5 && own.number == 0);
    given.number += omp_get_thread_num();
    own.text += "and more";
#pragma omp for lastprivate(last)
    for (int i = 0; i < 50; ++i) last = value{i};
#pragma omp single copyprivate(own)
    own.number = 77;
    CHECK(own.number == 77 && last.number == 49);
  }
  CHECK(given.number == 5 && own.number == 0);
}

void reductions() {
  value sum;
  std::vector<int> numbers;
#pragma omp parallel for reduction(joined : sum) reduction(appended : numbers) schedule(dynamic, 3)
  for (int i = 0; i < 100; ++i) {
    sum.number += i;
    numbers.push_back(i);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(sum.number == 4950 && numbers == expected);
}

void iterators() {
  std::vector<int> numbers(333);
#pragma omp parallel for schedule(guided)
  for (auto i = numbers.begin(); i < numbers.end(); ++i) *i += 1;
#pragma omp parallel for schedule(static, 4)
  for (int& n : numbers) n += 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(10)
  for (auto i = numbers.begin(); i < numbers.end(); i += 3) *i += 1;
  CHECK(std::accumulate(numbers.begin(), numbers.end(), 0) == 333 * 2 + 111);
}

// A task's copies are destroyed when it is complete, and not before.
void tasks() {
  std::atomic<int> good{0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; ++i) {
    value v{i};
    v.text += std::to_string(i);
#pragma omp task firstprivate(v, i) shared(good)
    if (v.number == i && v.text.ends_with(std::to_string(i))) ++good;
  }
  CHECK(good == 50);
}

template <typename T>
T sum_of(const std::vector<T>& numbers) {
  T sum{};
  auto each = [&](auto&& f) {
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < numbers.size(); ++i) f(sum, numbers[i]);
  };
  each([](T& s, T n) { s += n; });
  return sum;
}

struct counter {
  int count = 0;
  void by_members(int rounds) {
#pragma omp parallel for reduction(+ : count)
    for (int i = 0; i < rounds; ++i) ++count;
  }
};

}  // namespace

int main() {
  for (int i = 0; i < 10; ++i) {
    copies();
    reductions();
    iterators();
    tasks();
    CHECK(sum_of(std::vector<double>{1, 2.5, 3}) == 6.5 && sum_of(std::vector<long>(100, 3)) == 300);
    CHECK(alive == 0);
  }
  counter c;
  c.by_members(1000);
  CHECK(c.count == 1000);
  return verdict();
}
