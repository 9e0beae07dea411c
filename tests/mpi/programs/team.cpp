// Barriers of all threads of all processes: each pairing of a barrier of threads and one of processes, with C++, POSIX and OpenMP
// threads, at each thread level.
//   team THREADS LEVEL    LEVEL: funneled, serialized or multiple
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <weir/mpi.hpp>

#include "checking.hpp"

namespace {

constexpr unsigned episodes = 6;

unsigned threads;
int rank;

// Like checking::keeps, for threads: the first departure and the last arrival of all threads.
class clock {
 public:
  clock() : came_(threads * episodes), left_(threads * episodes) {}
  void episode(unsigned thread, unsigned e, const std::function<void()>& pass) {
    checking::dawdle(e, static_cast<unsigned>(rank) * 100 + thread);
    came_[thread * episodes + e] = checking::now();
    pass();
    left_[thread * episodes + e] = checking::now();
  }
  std::string judge() const {
    std::vector<std::int64_t> came(episodes), left(episodes), last(episodes), first(episodes);
    for (unsigned e = 0; e < episodes; ++e) {
      came[e] = left[e] = came_[e];
      for (unsigned t = 0; t < threads; ++t) came[e] = std::max(came[e], came_[t * episodes + e]);
      left[e] = left_[e];
      for (unsigned t = 0; t < threads; ++t) left[e] = std::min(left[e], left_[t * episodes + e]);
    }
    checking::combine(came, last, MPI_MAX, MPI_COMM_WORLD);
    checking::combine(left, first, MPI_MIN, MPI_COMM_WORLD);
    for (unsigned e = 0; e < episodes; ++e)
      if (first[e] < last[e]) return "a thread left episode " + std::to_string(e) + " before the last arrival";
    return "";
  }

 private:
  std::vector<std::int64_t> came_, left_;
};

// Thread 0 is the one that initialised MPI.
void with_cpp_threads(const std::function<void(unsigned)>& member) {
  std::vector<std::thread> team;
  for (unsigned t = 1; t < threads; ++t) team.emplace_back(member, t);
  member(0);
  for (auto& t : team) t.join();
}

struct start {
  const std::function<void(unsigned)>* member;
  unsigned thread;
};
void* run(void* of) {
  const start* const s = static_cast<start*>(of);
  (*s->member)(s->thread);
  return nullptr;
}

void with_posix_threads(const std::function<void(unsigned)>& member) {
  std::vector<pthread_t> team(threads);
  std::vector<start> starts(threads);
  for (unsigned t = 1; t < threads; ++t) {
    starts[t] = {&member, t};
    pthread_create(&team[t], nullptr, run, &starts[t]);
  }
  member(0);
  for (unsigned t = 1; t < threads; ++t) pthread_join(team[t], nullptr);
}

#ifdef _OPENMP
void with_openmp(const std::function<void(unsigned)>& member) {
#pragma omp parallel for schedule(static, 1) num_threads(static_cast<int>(threads))
  for (unsigned t = 0; t < threads; ++t) member(t);
}
#else
constexpr auto with_openmp = with_cpp_threads;
#endif

// Weir calls MPI by its profiling names. This program defines some of them, to see the calling thread, and forwards to MPI's.
class caller {
 public:
  caller() {
    int main = 0, level = 0;
    PMPI_Is_thread_main(&main);
    PMPI_Query_thread(&level);
    // seq_cst: a test needs nothing weaker.
    if (inside.fetch_add(1) > 0 && level < MPI_THREAD_MULTIPLE) wrong = "two threads at once";
    if (main == 0 && level < MPI_THREAD_SERIALIZED) wrong = "a thread other than the one that initialised MPI";
    ++seen;
  }
  ~caller() { --inside; }
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;

  static void judge() {
    checking::require(wrong == nullptr ? "" : wrong.load(), "who called MPI");
    checking::require(seen > 0 ? "" : "no call was seen", "who called MPI");
  }

 private:
  static inline std::atomic<int> inside, seen;
  static inline std::atomic<const char*> wrong;
};

template <class Function>
Function* mpis(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using team = void (*)(const std::function<void(unsigned)>&);

void check(const weir::mpi::team_options& how, team run_team) {
  weir::mpi::team_barrier b(MPI_COMM_WORLD, threads, how);
  clock c;
  run_team([&](unsigned t) {
    for (unsigned e = 0; e < episodes; ++e) c.episode(t, e, [&] { b.arrive_and_wait(t); });
  });
  checking::require(c.judge(),
                    how.threads + " of threads, " + how.processes.algorithm + "/" + how.processes.within + " of processes");
}

// A begun barrier progresses while any thread waits at the team's barrier, as with MPI_Ibarrier.
void beside_one_that_was_begun() {
  weir::mpi::barrier a(MPI_COMM_WORLD, {.algorithm = "linear"});
  weir::mpi::team_barrier b(MPI_COMM_WORLD, threads);
  for (unsigned e = 0; e < episodes; ++e) {
    a.begin();
    if (rank != 0) a.end();
    with_cpp_threads([&](unsigned t) {
      const timespec later{0, 1'000'000};
      if (t != 0) nanosleep(&later, nullptr);  // if any thread may, one of these joins the processes' barrier
      b.arrive_and_wait(t);
    });
    if (rank == 0) a.end();
  }
}

// Errors must be reported instead of waiting.
template <class Error, class Body>
void must_refuse(Body body, const std::string& what) {
  try {
    body();
  } catch (const Error&) {
    return;
  }
  checking::require("was not refused", what);
}

void refusals(int level) {
  weir::mpi::team_barrier one(MPI_COMM_WORLD, 1);
  must_refuse<std::out_of_range>([&] { one.arrive_and_wait(7); }, "thread 7 of one");
  weir::mpi::team_barrier several(MPI_COMM_WORLD, threads);
  must_refuse<std::out_of_range>([&] { several.arrive_and_wait(threads); }, "a thread too many");
  if (level != MPI_THREAD_FUNNELED) return;
  // Only the thread that initialised MPI may be number 0.
  std::thread([&] {
    must_refuse<std::logic_error>([&] { one.arrive_and_wait(0); }, "thread 0 of one");
    must_refuse<std::logic_error>([&] { several.arrive_and_wait(0); }, "thread 0");
  }).join();
}

int level_of(const char* name) {
  if (std::strcmp(name, "single") == 0) return MPI_THREAD_SINGLE;
  if (std::strcmp(name, "funneled") == 0) return MPI_THREAD_FUNNELED;
  return std::strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
}

}  // namespace

extern "C" {
int PMPI_Isend(const void* what, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const caller me;
  return mpis<decltype(PMPI_Isend)>("PMPI_Isend")(what, count, type, to, tag, comm, request);
}
int PMPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const caller me;
  return mpis<decltype(PMPI_Test)>("PMPI_Test")(request, done, status);
}
int PMPI_Allreduce(const void* from, void* reduced, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const caller me;
  return mpis<decltype(PMPI_Allreduce)>("PMPI_Allreduce")(from, reduced, count, type, op, comm);
}
int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  const caller me;
  return mpis<decltype(PMPI_Iprobe)>("PMPI_Iprobe")(from, tag, comm, found, status);
}
}

int main(int argc, char** argv) {
  threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, level_of(argc > 2 ? argv[2] : "serialized"), &provided);
  rank = checking::rank_in(MPI_COMM_WORLD);
  try {
    if (threads > 1) refusals(provided);
    for (const team run_team : {with_cpp_threads, with_posix_threads, with_openmp}) check({}, run_team);
    for (const weir::named& of_threads : weir::algorithms()) {
      check({.threads = of_threads.name}, with_cpp_threads);
      for (const std::string& of_processes : weir::mpi::algorithms())
        check({.threads = of_threads.name, .processes = {.algorithm = of_processes}}, with_cpp_threads);
    }
    check({.threads = "mcs", .processes = {.algorithm = "dissemination", .transport = "persistent", .radix = 4}},
          with_cpp_threads);
    check({.threads = "sense", .processes = {.algorithm = "mcs", .within = "linear"}}, with_cpp_threads);
    const int processors = static_cast<int>(std::thread::hardware_concurrency());
    std::vector<int> placement;
    for (unsigned t = 0; t < threads; ++t) placement.push_back((rank + static_cast<int>(t)) % processors);
    check({.threads = "tournament", .placement = placement, .processes = {.algorithm = "tree", .fan_in = 4, .fan_out = 4}},
          with_posix_threads);
    beside_one_that_was_begun();
    caller::judge();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Finalize();
    return 3;
  }
  if (rank == 0) std::puts("kept");
  MPI_Finalize();
}
