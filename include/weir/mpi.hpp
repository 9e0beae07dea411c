// SPDX-License-Identifier: Apache-2.0
// Barriers of processes over MPI, and of threads and processes together [paper 004].
//
//   weir::mpi::barrier b(MPI_COMM_WORLD);                           // the best for where the processes are
//   weir::mpi::barrier b(MPI_COMM_WORLD, {.algorithm = "mcs"});     // by name, over messages
//   b.arrive_and_wait();
//   b.begin(); ...; b.end();                                        // MPI_Ibarrier's two halves
//
//   weir::mpi::team_barrier t(MPI_COMM_WORLD, threads);             // of all threads of all processes
//   t.arrive_and_wait(my_thread);
//
// All constructors and destructors are collective over the communicator: all its processes call them, in the same order as
// its other collective operations. Messages go over a communicator of its own and never match the program's.
//
// Memory: everything that a process or thread did before a barrier happens before everything that any of them does after the
// barrier, as far as they share memory. Errors: what MPI reports goes to the communicator's error handler, which ends the job
// unless the program has set another; if the handler returns, weir::mpi::error is thrown, and the barrier can only be destroyed.
// While a process waits, it lets MPI progress its other operations, as MPI_Barrier does.
#pragma once

#if __cplusplus <= 201703L
#error "Weir needs C++20: compile with -std=c++20"
#else

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/team_barrier.hpp>

namespace weir::mpi {

struct options {
  /// Between processes: "auto", "dissemination", "mcs", "tournament", "tournament-tree", "tournament-nodes", "exchange-nodes",
  /// "tree", "butterfly", "linear". A barrier by name involves all processes, and uses messages only; "auto" considers where the
  /// processes are.
  std::string algorithm = "auto";
  /// Within a node, through shared memory; one process of each node then takes part in `algorithm` across nodes. A name as above
  /// that has two halves (linear, mcs, tree, tournament, tournament-tree, tournament-nodes). On one node any name, or
  /// "combination": the processes of one processor meet on it, and the last to arrive continues for all. "none": messages only.
  std::string within = "auto";
  /// How a signal goes to another node: "messages" (MPI_Isend), "persistent" (MPI_Start), "rma" (MPI_Accumulate), or "auto". With
  /// "rma" a barrier, also its begin() and test(), may wait until the signalled process calls MPI, even if that process has
  /// already left the barrier.
  std::string transport = "auto";
  /// "auto": polls, yields to processes that need the processor, sleeps during long waits; "mpi": MPI_Wait, for messages.
  std::string waiting = "auto";
  unsigned radix = 2;    ///< of dissemination by name; "auto" chooses its own
  unsigned fan_in = 2;   ///< of the arrival tree of "tree"
  unsigned fan_out = 2;  ///< of its release tree
  /// Does "auto" try others while the barrier is in use, and stay with what is faster? Not if any process says no, here or by
  /// WEIR_ADAPT=false.
  bool learns = true;
};

/// The names that exist, for error messages and command lines.
const std::vector<std::string>& algorithms();
const std::vector<std::string>& transports();

/// The choice of "auto", and the reason. It may change while the barrier is in use.
struct choice {
  std::string algorithm;  ///< between nodes, or between all processes if `within` is "none"
  std::string within;
  std::string transport;
  std::string reason;
  unsigned radix = 2;  ///< of dissemination
};

/// What trials of other barriers have taken.
struct trial_record {
  std::uint64_t trials = 0;
  double lost_us = 0;  ///< how much longer their episodes took, as rank 0 has measured; 0 in other processes
};

/// An error that MPI reported, or the end of another process.
class error : public std::runtime_error {
 public:
  error(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  int code() const { return code_; }  ///< MPI's

 private:
  int code_;
};

/// A barrier of the processes of an intra-communicator.
///
/// Thread safety: only one thread at a time may use a barrier, and MPI must have been initialised with a thread level that allows
/// this.
class barrier {
 public:
  /// Collective. Throws std::invalid_argument: an unknown name (the message lists the known ones), an inter-communicator,
  /// MPI_COMM_NULL, shapes that are no barrier. The communicator may be freed before the barrier is.
  /// `threads`: the threads of each process that will wait, which tells how many share a processor.
  explicit barrier(MPI_Comm comm, const options& how = {}, unsigned threads = 1);
  /// Collective if MPI has not ended. Must not be called between begin() and end().
  ~barrier();
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  void arrive_and_wait();

  /// This process has arrived; it may compute before it needs to know that all have. end() follows begin(), in any thread.
  /// The barrier progresses in test() and end(), and while any thread of this process waits at another barrier of this class with
  /// `waiting` "auto"; not in MPI's own calls.
  void begin();
  /// Progresses the barrier without waiting. Returns true once all have arrived; end() will then not wait.
  bool test();
  void end();

  unsigned rank() const;
  unsigned size() const;
  /// The present one; the same in all processes after the same episode.
  const mpi::choice& choice() const;
  trial_record tried() const;
  /// The processors that are assigned to this process, if the processes of a node share processors.
  const std::vector<int>& processors() const;
  /// Do processes that share processors belong to different scheduling groups of the system? Such processes sleep sooner.
  bool scheduled_apart() const;

 private:
  class implementation;
  std::unique_ptr<implementation> it_;
};

struct team_options {
  std::string threads = "auto";      ///< the barrier of a process's threads: any name of weir::algorithms()
  std::string waiting = "auto";      ///< how the threads wait: any name of weir::waitings()
  std::vector<int> placement = {};   ///< the processor that each thread of this process is bound to; empty: unknown
  options processes = {};
};

/// A barrier of `threads` threads in each process, numbered from 0. When all threads of a process have arrived, one of them joins
/// the barrier of the processes; only then are they released. MPI_THREAD_SERIALIZED or more: the first thread that can, as in the
/// paper. MPI_THREAD_FUNNELED: thread 0, which must be the thread that initialised MPI.
class team_barrier {
 public:
  /// Collective over the communicator, called by one thread of each process. Throws as barrier does; and
  /// std::runtime_error if MPI was initialised with too low a thread level: the message names the required one.
  team_barrier(MPI_Comm comm, unsigned threads, const team_options& how = {});

  /// Throws std::logic_error if thread 0 should have initialised MPI and has not; std::out_of_range if there is no such thread.
  /// A thread that gets an exception has not arrived.
  void arrive_and_wait(unsigned thread);

  unsigned threads() const { return threads_.members(); }
  const mpi::choice& choice() const { return processes_.choice(); }
  trial_record tried() const { return processes_.tried(); }
  const weir::choice& threads_choice() const { return threads_.choice(); }

 private:
  void join();
  void return_home(unsigned thread);
  void require_main_thread();

  barrier processes_;
  completed_by who_;
  bool main_thread_seen_ = false;
  std::vector<int> homes_;  // the threads' processors; empty: not assigned
  weir::team_barrier<> threads_;
  std::unique_ptr<error> failed_;
};

}  // namespace weir::mpi

#endif
