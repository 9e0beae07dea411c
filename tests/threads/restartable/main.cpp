// Restartable sequences: threads count by critical sections of a processor each, as allocators do (tcmalloc), with areas of every
// length that a C library may register, and with areas of their own (areas.h). Nothing is lost, sched_getcpu() is the kernel's
// answer, and children of forks live. Where the kernel does not give an area up, the thread stays with the kernel. The threads
// are the program's, or members of a team, or of a crowd, also of one in a plugin (loader.cpp).
#include "areas.h"

#include "../../openmp/programs/check.h"
#include "../times.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(AS_CROWD)
#include <weir/crowd.hpp>
#endif

namespace {

// ---- counting

struct alignas(64) counter {
  long value = 0;
};
counter of_processor[4096];
std::atomic<long> without{0};  // an area

// The program's own use of it: a static library replaces the functions that the program itself calls.
[[maybe_unused]] long (*volatile by_number)(long, ...) noexcept = syscall;

// By the numbers of the kernel's threads, which follow each other: who ran there last. Members run on common threads.
std::atomic<int> seen_on[65536];
std::atomic<int> members{0};
bool shares_thread(int me) {
  const auto thread = static_cast<std::size_t>(bare_call(SYS_gettid, 0, 0, 0, 0));
  const int other = seen_on[thread % std::size(seen_on)].exchange(me + 1);
  return other != 0 && other != me + 1;
}

/// One more for the processor on which the thread runs, unless the sequence is interrupted.
bool adds_on(area& own, unsigned processor) {
  long* const to = &of_processor[processor].value;
  asm goto(R"(
    .pushsection __rseq_cs, "aw"
    .balign 32
  3:
    .long 0, 0
    .quad 1f, 2f - 1f, 4f
    .popsection
    leaq 3b(%%rip), %%rax
    movq %%rax, %[section]
  1:
    cmpl %[processor], %[now]
    jnz 4f
    movq (%[to]), %%rax
    movl $20, %%ecx
  5:
    decl %%ecx
    jnz 5b
    incq %%rax
    movq %%rax, (%[to])
  2:
    .pushsection .text.aborted, "ax"
    .byte 0x0f, 0xb9, 0x3d
    .long 0x53053053
  4:
    jmp %l[aborted]
    .popsection
  )"
           :
           : [section] "m"(own.section), [now] "m"(own.cpu_id), [processor] "r"(processor), [to] "r"(to)
           : "rax", "rcx", "memory", "cc"
           : aborted);
  return true;
aborted:
  return false;
}
void add() {
  for (;;) {
    area& own = *area_of_thread();
    if (__atomic_load_n(&own.cpu_id, __ATOMIC_RELAXED) < 0) {
      without.fetch_add(1, std::memory_order_relaxed);  // a number with which no other data goes
      return;
    }
    if (adds_on(own, __atomic_load_n(&own.cpu_id_start, __ATOMIC_RELAXED))) return;
  }
}
long counted() {
  long sum = without;
  for (const counter& each : of_processor) sum += each.value;
  return sum;
}

unsigned processor_by_kernel() {
  unsigned found = 0;
  bare_call(SYS_getcpu, reinterpret_cast<long>(&found), 0, 0, 0);
  return found;
}
/// It may change between two questions, but not each time.
bool knows_its_processor() {
  for (int i = 0; i < 1000; ++i)
    if (sched_getcpu() == static_cast<int>(processor_by_kernel())) return true;
  return false;
}

// ---- the members

constexpr int threads = 8, rounds = 20, additions = 2000, forks = 4;

#if defined(AS_CROWD)
void meet() { weir::this_member::yield(); }
#elif defined(_OPENMP)
void meet() {
#pragma omp barrier
}
#else
pthread_barrier_t barrier;
void meet() { pthread_barrier_wait(&barrier); }
#endif

int in_child() {
  const long before = counted();
  pthread_t other;
  const auto adds_some = [](void*) -> void* {
    for (int i = 0; i < additions; ++i) add();
    return nullptr;
  };
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&other, nullptr, adds_some, nullptr) != 0) return 2;
    adds_some(nullptr);
    pthread_join(other, nullptr);
  }
  if (counted() - before != 4 * additions) return 4;
  return knows_its_processor() ? 7 : 5;
}

void be_member(int me) {
  bool is_member = false;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < additions; ++i) add();
    CHECK(knows_its_processor());
    is_member |= shares_thread(me);
    meet();
    if (me < forks && round == rounds / 2) {
      const pid_t child = fork();
      if (child == 0) _exit(in_child());
      int status = 0;
      while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
      }
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    meet();
  }
  if (is_member) ++members;
}

void count_together() {
#if defined(AS_CROWD)
  weir::crowd together(threads, [](unsigned me) { be_member(static_cast<int>(me)); }, {.processors = 2});
  together.join();
#elif defined(_OPENMP)
#pragma omp parallel num_threads(threads)
  {
    int me = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < threads; ++i) me = i;
    be_member(me);
  }
#else
  pthread_barrier_init(&barrier, nullptr, threads);
  std::vector<pthread_t> begun(threads);
  const auto begin = [](void* me) -> void* {
    for (int i = 0; i < 3; ++i) meet();  // a thread sleeps twice before it becomes a member
    be_member(static_cast<int>(reinterpret_cast<long>(me)));
    return nullptr;
  };
  for (std::size_t i = 0; i < begun.size(); ++i)
    CHECK(pthread_create(&begun[i], nullptr, begin, reinterpret_cast<void*>(i)) == 0);
  for (const pthread_t each : begun) pthread_join(each, nullptr);
  pthread_barrier_destroy(&barrier);
#endif
}

/// A length that Weir does not try, and a refusal; areas that the threads have before they could be members, or that they
/// register by syscall().
bool stays_with_kernel(const std::string& kind) {
#if !defined(CALLS_ARE_UNSEEN)
  if (kind == "own_late") return true;
#endif
  return kind == "2048" || kind == "kept" || kind == "own" || kind == "bare";
}

/// So that the threads are more, and become members.
void use_two_processors() {
  cpu_set_t here, two;
  CPU_ZERO(&two);
  sched_getaffinity(0, sizeof here, &here);
  for (int p = 0; p < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++p)
    if (CPU_ISSET(p, &here)) CPU_SET(p, &two);
  sched_setaffinity(0, sizeof two, &two);
}

int try_kind(const std::string& kind) {
  count_together();
  const long lost = long{threads} * rounds * additions - counted();
  std::fprintf(stderr, "%s: %ld additions lost, %ld without an area, %d members\n", kind.c_str(), lost, without.load(),
               members.load());
  CHECK(lost == 0);
  if (std::getenv("WEIR_TEST_MEMBERS") != nullptr) CHECK(stays_with_kernel(kind) == (members == 0));
  if (stays_with_kernel(kind)) CHECK(without == 0);
  return wrongs != 0;
}

}  // namespace

#if defined(IN_PLUGIN)
extern "C" int count_in_plugin(char** words) {
#else
int main(int, char** words) {
#endif
  if (const char* kind = std::getenv(AREA_VARIABLE)) return try_kind(kind);
  for (const char* kind : {"32", "33", "48", "64", "96", "2048", "own", "own_late", "bare", "bare_late", "kept", "absent"}) {
    const pid_t child = fork();
    if (child == 0) {
      use_two_processors();
      setenv(AREA_VARIABLE, kind, 1);
      if (std::strcmp(kind, "absent") == 0) refuse_areas(0, ENOSYS);
      execv("/proc/self/exe", words);
      _exit(6);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::fprintf(stderr, "%s: wrong (%d)\n", kind, status);
    CHECK(status == 0);
  }
  return verdict();
}
