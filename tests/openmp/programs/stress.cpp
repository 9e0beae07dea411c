// A long mixed run: several threads execute random sequences of regions at the same time, and the members of each region execute
// random sequences of constructs. Every result is checked. WEIR_STRESS_SECONDS is the duration (default 2), WEIR_STRESS_SEED the
// seed. Built twice: with LIBRARY as a library, PROGRAM.so, that the program opens and closes.
#include "check.h"
#include <omp.h>

#ifdef LIBRARY
extern "C" int work(int size);
int work(int size) {
  int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) sum += i;
  }
  return sum;
}

#else
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
using chance = std::mt19937;

int below(chance& c, int limit) { return static_cast<int>(c() % static_cast<unsigned>(limit)); }

constexpr int most = 128;  // iterations

// The thread that begins a region draws its steps, because all members must encounter the same constructs.
struct step {
  int what, how, count, chunk;
};

// Shared by the members of a team.
struct common {
  int team;
  std::array<int, most> times{}, chain{};
  std::vector<int> field;
  int next = 0, guarded = 0, named = 0, locked = 0, nested_locked = 0, done = 0, tree = 0, singles = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest_lock;
  explicit common(int size) : team(size), field(static_cast<std::size_t>(size)) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
  }
  common(const common&) = delete;
  ~common() {
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
  }
};

// All members have arrived: one of them checks the counter and resets it.
void expect(int& counter, int value) {
#pragma omp single
  {
    CHECK(counter == value);
    counter = 0;
  }
}

// Long enough for another member to interfere if mutual exclusion failed.
void linger() {
  for (int i = 0; i < 100; ++i) __asm__ volatile("");
}

void increase(int& counter) {
  const int seen = counter;
  linger();
  counter = seen + 1;
}

void barriers(common& c, const step& s) {
  auto& own = c.field[static_cast<std::size_t>(omp_get_thread_num())];
  for (int k = 0; k < 1 + s.count % 8; ++k) {
    own = k + 1;
#pragma omp barrier
    for (const int& other : c.field) CHECK(other == k + 1);
#pragma omp barrier
  }
}

void loops(common& c, const step& s) {
  const int n = s.count, chunk = s.chunk;
#define LOOP(...)                                         \
  PRAGMA(omp for schedule(__VA_ARGS__) nowait)            \
  for (int i = 0; i < n; ++i) add(&c.times[static_cast<std::size_t>(i)], 1);
  for (int again = 0; again < 3; ++again) {  // without a barrier: members may be several loops apart
    switch (s.how % 7) {
      case 0: LOOP(static) break;
      case 1: LOOP(static, chunk) break;
      case 2: LOOP(dynamic) break;
      case 3: LOOP(dynamic, chunk) break;
      case 4: LOOP(guided) break;
      case 5: LOOP(guided, chunk) break;
      default: LOOP(runtime)
    }
  }
#undef LOOP
#pragma omp barrier
#pragma omp single
  {
    for (int i = 0; i < most; ++i) CHECK(c.times[static_cast<std::size_t>(i)] == (i < n ? 3 : 0));
    c.times.fill(0);
  }
}

void ordered(common& c, const step& s) {
  const int chunk = s.chunk;
#define LOOP(...)                                         \
  PRAGMA(omp for ordered schedule(__VA_ARGS__))           \
  for (int i = 0; i < s.count; ++i) {                     \
    PRAGMA(omp ordered)                                   \
    {                                                     \
      CHECK(c.next == i);                                 \
      c.next = i + 1;                                     \
    }                                                     \
  }
  switch (s.how % 3) {
    case 0: LOOP(static, chunk) break;
    case 1: LOOP(dynamic, chunk) break;
    default: LOOP(guided)
  }
#undef LOOP
  expect(c.next, s.count);
}

void doacross(common& c, const step& s) {
#pragma omp single
  c.chain[0] = 0;
#pragma omp for ordered(1) schedule(dynamic)
  for (int i = 1; i < s.count; ++i) {
#pragma omp ordered depend(sink : i - 1)
    linger();
    c.chain[static_cast<std::size_t>(i)] = c.chain[static_cast<std::size_t>(i) - 1] + 1;
#pragma omp ordered depend(source)
  }
  CHECK(c.chain[static_cast<std::size_t>(s.count) - 1] == s.count - 1);
#pragma omp barrier
}

void sections(common& c, const step&) {
#pragma omp sections
  {
    add(&c.done, 1);
#pragma omp section
    add(&c.done, 10);
#pragma omp section
    add(&c.done, 100);
  }
  expect(c.done, 111);
}

void singles(common& c, const step& s) {
  for (int k = 0; k < s.count; ++k) {
#pragma omp single nowait
    add(&c.singles, 1);
  }
  int value = -1;
#pragma omp single copyprivate(value)
  value = s.count;
  CHECK(value == s.count);
  expect(c.singles, s.count);
}

void exclusion(common& c, const step& s) {
  const int rounds = 1 + s.count % 20;
  for (int k = 0; k < rounds; ++k) {
#pragma omp critical
    increase(c.guarded);
#pragma omp critical(of_stress)
    increase(c.named);
    if (s.how % 2 == 0)
      omp_set_lock(&c.lock);
    else
      while (!omp_test_lock(&c.lock)) std::this_thread::yield();
    increase(c.locked);
    omp_unset_lock(&c.lock);
    omp_set_nest_lock(&c.nest_lock);
    omp_set_nest_lock(&c.nest_lock);
    increase(c.nested_locked);
    omp_unset_nest_lock(&c.nest_lock);
    omp_unset_nest_lock(&c.nest_lock);
  }
#pragma omp barrier
  for (int* counter : {&c.guarded, &c.named, &c.locked, &c.nested_locked}) expect(*counter, rounds * c.team);
}

int fibonacci(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

void tasks(common& c, const step& s) {
  for (int k = 0; k < s.count % 16; ++k) {
#pragma omp task shared(c)
    add(&c.done, 1);
  }
#pragma omp single nowait
  c.tree = fibonacci(9);
#pragma omp taskgroup
  {
#pragma omp task shared(c)
    add(&c.done, 1);
  }
#pragma omp barrier
  expect(c.done, c.team * (s.count % 16 + 1));
  expect(c.tree, 34);
}

void nested(common& c, const step& s) {
  const int size = 1 + s.how % 3, level = omp_get_level();
  int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
  {
    CHECK(omp_get_num_threads() == size && omp_get_level() == level + 1);
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < s.count; ++i) sum += i;
#pragma omp single
    ++sum;
  }
  CHECK(sum == s.count * (s.count - 1) / 2 + 1);
#pragma omp atomic
  c.done += 1;
#pragma omp barrier
  expect(c.done, c.team);
}

using construct = void (*)(common&, const step&);
constexpr construct constructs[] = {barriers, loops, ordered, doacross, sections, singles, exclusion, tasks, nested};

int size_of(chance& c, int largest) { return 1 + below(c, below(c, 4) != 0 ? std::min(largest, 4) : largest); }

// A region of its own, because the variables of a reduction must be shared in the enclosing region.
void reductions(chance& c, int largest) {
  const int rounds = 1 + below(c, 20), n = 1 + below(c, most), size = size_of(c, largest);
  long sum = 0;
  double least = 0;
  int members = 0, most_seen = 0;
#pragma omp parallel num_threads(size) reduction(+ : members)
  {
    ++members;
    for (int round = 0; round < rounds; ++round) {
#pragma omp for reduction(+ : sum) reduction(min : least) reduction(max : most_seen) schedule(dynamic, 3)
      for (int i = 1; i <= n; ++i) {
        sum += i;
        least = std::min(least, -0.5 * i);
        most_seen = std::max(most_seen, i);
      }
      CHECK(sum == static_cast<long>(n) * (n + 1) / 2 * (round + 1) && least == -0.5 * n && most_seen == n);
#pragma omp barrier
#pragma omp for reduction(* : least) schedule(static) nowait
      for (int i = 0; i < n; ++i) least *= 1;
#pragma omp barrier
    }
  }
  CHECK(members == size);
}

void region(chance& c, int largest) {
  const int size = size_of(c, largest);
  std::vector<step> steps(static_cast<std::size_t>(1 + below(c, 10)));
  for (step& s : steps) s = {below(c, std::size(constructs)), below(c, 100), 1 + below(c, most), 1 + below(c, 9)};
  constexpr omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
  omp_set_schedule(kinds[below(c, 4)], below(c, 5));
  common shared(size);
  int members = 0;
#pragma omp parallel num_threads(size)
  {
    CHECK(omp_get_num_threads() == size);
    for (const step& s : steps) constructs[s.what](shared, s);
    add(&members, 1);
  }
  CHECK(members == size);
}

std::string library_path;

void open_and_close(chance& c) {
  void* const library = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  CHECK(library != nullptr);
  if (library == nullptr) return;
  int (*work)(int);
  *reinterpret_cast<void**>(&work) = dlsym(library, "work");
  CHECK(work != nullptr && work(1 + below(c, 4)) == 45);
  CHECK(dlclose(library) == 0);
}

void live(unsigned seed, clock_type::time_point until, int largest) {
  chance c(seed);
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  while (clock_type::now() < until && wrongs == 0) {
    switch (below(c, 30)) {
      case 0: {  // a thread that begins, opens regions and ends
        std::thread brief([seed = c(), largest] {
          chance draws(seed);
          omp_set_max_active_levels(3);
          for (int i = 0; i < 3; ++i) region(draws, std::min(largest, 4));
        });
        if (below(c, 2) != 0) region(c, largest);
        brief.join();
        break;
      }
      case 1: open_and_close(c); break;
      case 2:
      case 3: reductions(c, largest); break;
      default: region(c, largest);
    }
  }
}

}  // namespace

int main() {
  const char *seconds = std::getenv("WEIR_STRESS_SECONDS"), *given = std::getenv("WEIR_STRESS_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  std::fprintf(stderr, "WEIR_STRESS_SEED=%u\n", seed);  // printed now, because the run may never end
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 2;
  library_path = std::string(self) + ".so";
  const auto until = clock_type::now() + std::chrono::duration_cast<clock_type::duration>(
                                             std::chrono::duration<double>(seconds != nullptr ? std::atof(seconds) : 2));
  std::vector<std::thread> hosts;
  for (unsigned h = 1; h <= seed % 3; ++h) hosts.emplace_back(live, seed + h, until, asked());
  live(seed, until, asked());
  for (std::thread& thread : hosts) thread.join();
  return verdict();
}
#endif
