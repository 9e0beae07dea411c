// A checker for the contract of barriers of processes: no process leaves an episode before all have arrived.
//
// The processes of these tests are on one machine and share its clock. Each records the times of its arrival and departure. In
// each episode the last arrival must precede the first departure.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <sched.h>
#include <string>
#include <time.h>
#include <vector>

namespace checking {

inline std::int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Some processes are late, different ones in each episode.
inline void dawdle(unsigned episode, unsigned seed) {
  std::minstd_rand random(seed * 7919 + episode * 104729 + 1);
  random.discard(3);
  if (random() % 8 == 0) {
    const timespec length{0, static_cast<long>(random() % 200) * 1000};
    nanosleep(&length, nullptr);
  } else if (random() % 8 == 0) {
    sched_yield();
  }
}

/// MPI_Allreduce with a wait that yields the processor: MPICH's own takes a time slice for each process.
inline void combine(const std::vector<std::int64_t>& own, std::vector<std::int64_t>& combined, MPI_Op how, MPI_Comm comm) {
  MPI_Request request;
  MPI_Iallreduce(own.data(), combined.data(), static_cast<int>(own.size()), MPI_INT64_T, how, comm, &request);
  for (int done = 0; done == 0; sched_yield()) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/// Runs `pass` this many times; returns "" or the error, the same in all processes.
inline std::string keeps(MPI_Comm comm, unsigned episodes, const std::function<void()>& pass, bool late = true) {
  std::vector<std::int64_t> came(episodes), left(episodes), last(episodes), first(episodes);
  const auto me = static_cast<unsigned>(rank_in(comm));
  for (unsigned e = 0; e < episodes; ++e) {
    if (late) dawdle(e, me);
    came[e] = now();
    pass();
    left[e] = now();
  }
  combine(came, last, MPI_MAX, comm);
  combine(left, first, MPI_MIN, comm);
  for (unsigned e = 0; e < episodes; ++e)
    if (first[e] < last[e])
      return "a process left episode " + std::to_string(e) + " " + std::to_string(last[e] - first[e]) +
             " ns before the last arrival";
  return "";
}

/// Ends the job with a message if there is an error.
inline void require(const std::string& wrong, const std::string& what) {
  if (wrong.empty()) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), wrong.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace checking
