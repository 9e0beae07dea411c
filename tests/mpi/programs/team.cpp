// Barriers of all threads of all processes: each pairing of a barrier of threads and one of processes, with C++, POSIX and OpenMP
// threads, at each thread level.
//   team THREADS LEVEL    LEVEL: funneled, serialized or multiple
#include <pthread.h>

#include <cstring>
#include <thread>
#include <weir/mpi.hpp>

#include "checking.hpp"

namespace {

constexpr unsigned episodes = 6;

unsigned threads;
int rank;

// As checking::keeps, for threads: the first to leave and the last to come of all of them.
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
      if (first[e] < last[e]) return "somebody left episode " + std::to_string(e) + " before the last had come";
    return "";
  }

 private:
  std::vector<std::int64_t> came_, left_;
};

// Thread 0 is the one that has begun MPI.
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

void with_openmp(const std::function<void(unsigned)>& member) {
#pragma omp parallel for schedule(static, 1) num_threads(static_cast<int>(threads))
  for (unsigned t = 0; t < threads; ++t) member(t);
}

using team = void (*)(const std::function<void(unsigned)>&);

void check(const weir::mpi::team_options& how, team run_team) {
  weir::mpi::team_barrier b(MPI_COMM_WORLD, threads, how);
  clock c;
  run_team([&](unsigned t) {
    for (unsigned e = 0; e < episodes; ++e) c.episode(t, e, [&] { b.arrive_and_wait(t); });
  });
  checking::require(c.judge(), how.threads + " of threads, " + how.processes.algorithm + "/" + how.processes.within + " of processes");
}

// What is wrong must be said, and not waited for.
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
  weir::mpi::team_barrier all(MPI_COMM_WORLD, threads);
  must_refuse<std::out_of_range>([&] { all.arrive_and_wait(threads); }, "a thread too many");
  if (level != MPI_THREAD_FUNNELED) return;
  // Another thread than the one that has begun MPI may not be number 0.
  std::thread([&] {
    must_refuse<std::logic_error>([&] { one.arrive_and_wait(0); }, "thread 0 of one");
    must_refuse<std::logic_error>([&] { all.arrive_and_wait(0); }, "thread 0");
  }).join();
}

int level_of(const char* name) {
  if (std::strcmp(name, "single") == 0) return MPI_THREAD_SINGLE;
  if (std::strcmp(name, "funneled") == 0) return MPI_THREAD_FUNNELED;
  return std::strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
}

}  // namespace

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
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Finalize();
    return 3;
  }
  if (rank == 0) std::puts("kept");
  MPI_Finalize();
}
