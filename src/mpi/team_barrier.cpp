// Threads and processes together [paper 004, "The combined barrier"].
#include <weir/mpi.hpp>

#include "call.hpp"
#include "yielding.hpp"

namespace weir::mpi {

namespace {

const char* name_of(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
  }
}

// Decided by the lowest level of all processes, so that all are refused or none.
completed_by who_may_join(MPI_Comm comm, unsigned threads) {
  int level = MPI_THREAD_SINGLE;
  check(PMPI_Query_thread(&level), "asking for the thread level");
  static_assert(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED);
  level = yielding::least(level, comm, "agreeing on the thread level");
  if (threads > 1 && level < MPI_THREAD_FUNNELED)
    throw std::runtime_error("weir: a barrier of " + std::to_string(threads) + " threads in a process needs " +
                             name_of(MPI_THREAD_FUNNELED) + " at least, and MPI was initialised with " + name_of(level) +
                             ": initialise it with MPI_Init_thread");
  return level >= MPI_THREAD_SERIALIZED ? completed_by::any_member : completed_by::member_0;
}

weir::team_options for_threads(const team_options& how, const std::vector<int>& placement, const barrier& processes) {
  weir::team_options o;
  o.algorithm = how.threads;
  o.waiting = how.waiting;
  o.placement = placement;
  o.processors = static_cast<unsigned>(processes.processors().size());
  // Yielding reaches only the threads of this process's scheduling group, so it would keep the processor from other processes.
  if (processes.scheduled_apart()) o.awake_us = 0;
  return o;
}

// If processes share processors, each thread is assigned one of those of its process.
std::vector<int> homes(const team_options& how, const std::vector<int>& processors, unsigned threads) {
  if (!how.placement.empty() || processors.empty() || threads <= processors.size()) return how.placement;
  std::vector<int> each;
  for (unsigned t = 0; t < threads; ++t) each.push_back(processors[t % processors.size()]);
  return each;
}

}  // namespace

team_barrier::team_barrier(MPI_Comm comm, unsigned threads, const team_options& how)
    : processes_(comm, how.processes, threads),
      who_(who_may_join(comm, threads)),
      homes_(homes(how, processes_.processors(), threads)),
      threads_(threads, for_threads(how, homes_, processes_)) {}

void team_barrier::arrive_and_wait(unsigned thread) {
  if (thread == 0 && who_ == completed_by::member_0 && !main_thread_seen_) [[unlikely]] require_main_thread();
  return_home(thread);
  if (threads_.members() == 1 && thread == 0)
    join();
  else
    threads_.arrive_and_wait(thread, [this] { join(); }, who_);
  // Written by the thread that joined, before any thread was released.
  if (failed_) [[unlikely]] throw error(*failed_);
}

void team_barrier::require_main_thread() {
  int is = 0;
  check(PMPI_Is_thread_main(&is), "asking which thread this is");
  if (is == 0)
    throw std::logic_error(
        "weir: under MPI_THREAD_FUNNELED thread 0 of a barrier must be the thread that initialised MPI; number "
        "the threads so, or initialise MPI with MPI_THREAD_SERIALIZED");
  main_thread_seen_ = true;
}

void team_barrier::return_home(unsigned thread) {
  if (thread < homes_.size()) native::live_on(homes_[thread]);
}

void team_barrier::join() {
  if (failed_) return;
  try {
    processes_.arrive_and_wait();
  } catch (const error& e) {
    failed_ = std::make_unique<error>(e);
  }
}

}  // namespace weir::mpi
