// teams, distribute and target in C++: objects, iterators and lambdas in a league. Without a device the league is on the host.
#include "check.h"

#include <algorithm>
#include <atomic>
#include <omp.h>
#include <string>
#include <vector>

namespace {

constexpr int n = 180;
std::atomic<int> alive{0};

struct value {
  int number = 0;
  std::string text = "a text that is too long to lie in the object itself";
  value() { ++alive; }
  value(const value& other) : number(other.number), text(other.text) { ++alive; }
  value& operator=(const value&) = default;
  ~value() { --alive; }
};
#pragma omp declare reduction(joined : value : omp_out.number += omp_in.number) initializer(omp_priv = value{})

#pragma omp declare target
struct line {
  int slope, start;
  int at(int x) const { return slope * x + start; }
};
#pragma omp end declare target

// Each team has its own copies.
void copies() {
  value given, own, sum;
  given.number = 5;
  std::atomic<int> teams{0};
#pragma omp teams num_teams(3) thread_limit(2) firstprivate(given) private(own) reduction(joined : sum) shared(teams)
  {
    CHECK(given.number == 5 && own.number == 0);
    given.number += omp_get_team_num();
    sum.number += given.number - 4 - omp_get_team_num();
    ++teams;
#pragma omp parallel firstprivate(given)
    CHECK(given.number == 5 + omp_get_team_num() && omp_get_num_threads() <= 2);
  }
  CHECK(given.number == 5 && sum.number == teams && teams >= 1 && teams <= 3);
}

void distributed() {
  std::vector<int> times(n);
  value last;
#pragma omp teams distribute num_teams(3) shared(times)
  for (auto i = times.begin(); i < times.end(); ++i) *i += 1;
  // Teams do not wait for each other between two loops.
#pragma omp teams num_teams(3) shared(times)
  {
#pragma omp distribute parallel for dist_schedule(static, 20) schedule(dynamic, 3)
    for (auto i = times.begin(); i < times.end(); i += 2) *i += 1;
#pragma omp distribute parallel for simd order(concurrent)
    for (int i = 1; i < n; i += 2) times[i] += 1;
  }
  CHECK(std::ranges::count(times, 2) == n);
#pragma omp teams distribute parallel for lastprivate(last) num_threads(2)
  for (int i = 0; i < n; ++i) last.number = i;
  CHECK(last.number == n - 1);
  value sum;
  auto each = [&](auto&& f) {
#pragma omp teams distribute parallel for reduction(joined : sum)
    for (int i = 0; i < n; ++i) f(sum, times[i]);
  };
  each([](value& s, int by) { s.number += by; });
  CHECK(sum.number == 2 * n);
  int total = 0;
#pragma omp teams loop reduction(+ : total)
  for (int i = 0; i < n; ++i) total += i;
  CHECK(total == n * (n - 1) / 2);
}

void targets() {
  int field[n], sum = 0;
  line steep{3, 7};
#pragma omp target map(from : field) map(to : steep)
  for (int i = 0; i < n; ++i) field[i] = steep.at(i);
  for (int i = 0; i < n; ++i) CHECK(field[i] == 3 * i + 7);
  const auto down = [start = 7](int x) { return x - start; };
#pragma omp target teams distribute parallel for map(tofrom : field, sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    field[i] = down(field[i]);
    sum += field[i];
  }
  CHECK(sum == 3 * n * (n - 1) / 2);
  std::vector<int> grown(n, 1);
  int* const words = grown.data();
#pragma omp target data map(tofrom : words[0 : n])
  {
#pragma omp target parallel for
    for (int i = 0; i < n; ++i) words[i] += i;
#pragma omp target teams loop
    for (int i = 0; i < n; ++i) words[i] -= 1;
  }
  for (int i = 0; i < n; ++i) CHECK(grown[i] == i);
}

// A member function maps the object that `this` points at.
struct counter {
  int count = 0;
  void in_targets(int rounds) {
    for (int i = 0; i < rounds; ++i) {
#pragma omp target map(tofrom : this[0 : 1])
      ++count;
    }
  }
};

void later_targets() {
  int at = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 1; i <= 20; ++i) {
#pragma omp target nowait map(tofrom : at) depend(inout : at) firstprivate(i)
      if (at == i - 1) at = i;
    }
#pragma omp taskwait
    CHECK(at == 20);
  }
}

}  // namespace

int main() {
  omp_set_dynamic(0);
  for (int i = 0; i < 5; ++i) {
    copies();
    distributed();
    targets();
    later_targets();
    CHECK(alive == 0);
  }
  counter c;
  c.in_targets(30);
  CHECK(c.count == 30);
  return verdict();
}
