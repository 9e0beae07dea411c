// Constructs and clauses in C++: which members of a region execute a block, in which order, and with which values. Where a
// construct accepts objects, objects are used.
#include "check.h"

#include <atomic>
#include <omp.h>
#include <string>
#include <vector>

namespace {

constexpr int n = 240;

struct extent {
  int least = n, most = -1;
  void widen(const extent& other) {
    least = other.least < least ? other.least : least;
    most = other.most > most ? other.most : most;
  }
};
#pragma omp declare reduction(widened : extent : omp_out.widen(omp_in)) initializer(omp_priv = extent{})

void masked_ones() {
  std::vector<std::string> said(asked());
  int masters = 0;
#pragma omp parallel
  {
#pragma omp masked
    said[0] = "first";
#pragma omp masked filter(omp_get_num_threads() - 1)
    said[omp_get_thread_num()] += "last";
#pragma omp master
    ++masters;
  }
  CHECK(said[0] == (asked() == 1 ? "firstlast" : "first") && said.back().ends_with("last") && masters == 1);
  std::vector<int> times(n);
#ifdef __clang__  // it ignores a masked taskloop, and makes variables firstprivate that are not declared shared
#pragma omp parallel master taskloop grainsize(7) shared(times)
#else
#pragma omp parallel masked taskloop grainsize(7)
#endif
  for (auto i = times.begin(); i < times.end(); ++i) ++*i;
#pragma omp parallel master taskloop simd shared(times)
  for (int i = 0; i < n; ++i) ++times[i];
  CHECK(times == std::vector<int>(n, 2));
}

// Two members each write their own variable and then read the other's: at least one reads the new value.
void flushed() {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> written[2] = {0, 0};
    int seen[2] = {1, 1};
#pragma omp parallel num_threads(2)
    {
      const int me = omp_get_thread_num();
      written[me].store(1, std::memory_order_relaxed);
#pragma omp flush
      seen[me] = written[1 - me].load(std::memory_order_relaxed);
    }
    CHECK(seen[0] + seen[1] >= 1);
  }
}

void hints() {
  omp_lock_hint_t of_locks = omp_lock_hint_contended;
  CHECK(of_locks != omp_lock_hint_none);
  std::vector<int> numbers;
  std::string text;
#pragma omp parallel
  for (int i = 0; i < 20; ++i) {
#pragma omp critical(contended) hint(omp_sync_hint_contended | omp_sync_hint_nonspeculative)
    numbers.push_back(i);
#pragma omp critical(speculative) hint(omp_sync_hint_speculative)
    text += 'x';
  }
  CHECK(numbers.size() == 20u * asked() && text.size() == 20u * asked());
}

void scans() {
  extent to, before;
  std::vector<extent> up_to(n), without(n);
#pragma omp parallel for reduction(inscan, widened : to)
  for (int i = 0; i < n; ++i) {
    to.widen({n - 1 - i, i});
#pragma omp scan inclusive(to)
    up_to[i] = to;
  }
#pragma omp parallel for reduction(inscan, widened : before)
  for (int i = 0; i < n; ++i) {
    without[i] = before;
#pragma omp scan exclusive(before)
    before.widen({n - 1 - i, i});
  }
  for (int i = 0; i < n; ++i) {
    CHECK(up_to[i].least == n - 1 - i && up_to[i].most == i);
    CHECK(without[i].least == n - i && without[i].most == i - 1);
  }
  CHECK(to.least == 0 && to.most == n - 1 && before.least == 0 && before.most == n - 1);
}

void binds() {
  std::atomic<int> members{0};
#pragma omp parallel proc_bind(primary)
  ++members;
#pragma omp parallel proc_bind(close)
  members += 10;
#pragma omp parallel proc_bind(spread)
  members += 100;
  CHECK(members == 111 * asked());
}

void loops_in_any_order() {
  std::vector<int> times(n);
  int sum = 0;
#pragma omp parallel
  {
#pragma omp loop
    for (int i = 0; i < n; ++i) ++times[i];
#pragma omp loop bind(parallel) collapse(2) order(concurrent)
    for (int i = 0; i < n / 8; ++i)
      for (int j = 0; j < 8; ++j) ++times[8 * i + j];
#pragma omp for order(concurrent) schedule(dynamic, 7)
    for (auto i = times.begin(); i < times.end(); ++i) ++*i;
#pragma omp for order(reproducible : concurrent) schedule(static)
    for (int i = n - 1; i >= 0; --i) ++times[i];
  }
#pragma omp parallel loop reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += times[i];
  CHECK(times == std::vector<int>(n, 4) && sum == 4 * n);
}

void steps_beside_a_loop() {
  std::vector<int> seen(n);
  const int* from = seen.data();
  long at = 5;
#pragma omp parallel for linear(at : 3) linear(from) schedule(dynamic, 4)
  for (int i = 0; i < n; ++i) {
    seen[i] = static_cast<int>(at) + static_cast<int>(from - seen.data());
    at += 3;
    ++from;
  }
  for (int i = 0; i < n; ++i) CHECK(seen[i] == 5 + 4 * i);
  CHECK(at == 5 + 3 * n && from == seen.data() + n);
#pragma omp parallel for simd linear(at : -2)
  for (int i = 0; i < n; ++i) {
    seen[i] = static_cast<int>(at);
    at -= 2;
  }
  CHECK(seen[0] == 5 + 3 * n && seen[n - 1] == 7 + n && at == 5 + n);
}

void scopes() {
#ifndef __clang__  // it parses a scope, but cannot compile it yet
  extent threads;
  std::string own = "untouched";
#pragma omp parallel
  {
#pragma omp scope private(own) reduction(widened : threads)
    {
      own = "touched";
      threads.widen({omp_get_thread_num(), omp_get_thread_num()});
    }
    CHECK(own == "untouched" && threads.least == 0 && threads.most == asked() - 1);
  }
#endif
}

}  // namespace

int main() {
  omp_set_dynamic(0);
  masked_ones();
  flushed();
  hints();
  scans();
  binds();
  loops_in_any_order();
  steps_beside_a_loop();
  scopes();
  return verdict();
}
