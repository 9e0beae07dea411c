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
// Memory: what a process or thread did before a barrier happens before what any does after it, as far as they share memory
// at all. Errors: what MPI reports goes to the communicator's error handler, which ends the job unless the program has set
// another; if it returns, weir::mpi::error is thrown, and the barrier can only be destroyed. While it waits a process lets MPI
// go on with its other operations, as MPI_Barrier does.
#pragma once

#include <mpi.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/team_barrier.hpp>

namespace weir::mpi {

struct options {
  /// Between processes: "auto", "dissemination", "mcs", "tournament", "tournament-tree", "tree", "butterfly", "linear".
  /// A name alone means every process and messages only; "auto" looks where the processes are.
  std::string algorithm = "auto";
  /// Within a node, through shared memory; one process of each node then goes across by `algorithm`: a name as above that has
  /// two halves (linear, mcs, tree, tournament, tournament-tree), any where there is one node, or "combination" there: those
  /// that live on one processor meet on it, and the last of them goes on for all; "none": messages only.
  std::string within = "auto";
  /// How a signal goes to another node: "messages" (MPI_Isend), "persistent" (MPI_Start), "rma" (MPI_Accumulate), or "auto". By "rma"
  /// a barrier, its begin() and its test() too, may wait until whom it signals calls MPI, even one that has left already.
  std::string transport = "auto";
  /// "auto": polls, gives the processor to who needs it, sleeps where a message cannot be near; "mpi": MPI_Wait, for messages.
  std::string waiting = "auto";
  unsigned radix = 2;    ///< of dissemination by name; "auto" takes its own
  unsigned fan_in = 2;   ///< of the arrival tree of "tree"
  unsigned fan_out = 2;  ///< of its release tree
};

/// What names there are, for error messages and command lines.
const std::vector<std::string>& algorithms();
const std::vector<std::string>& transports();

/// What "auto" took, and why.
struct choice {
  std::string algorithm;  ///< between nodes, or between all processes where `within` is "none"
  std::string within;
  std::string transport;
  std::string reason;
  unsigned radix = 2;  ///< of dissemination
};

/// What MPI, or the end of another process, did to a barrier.
class error : public std::runtime_error {
 public:
  error(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  int code() const { return code_; }  ///< MPI's

 private:
  int code_;
};

/// Of the processes of an intra-communicator.
///
/// Thread safety: one thread at a time, and MPI must have been given the level that this needs.
class barrier {
 public:
  /// Collective. Throws std::invalid_argument: an unknown name (the message lists the known ones), an inter-communicator,
  /// MPI_COMM_NULL, shapes that are no barrier. The communicator may be freed before the barrier is.
  /// `threads`: how many of each process will wait, which says how many there are for each processor.
  explicit barrier(MPI_Comm comm, const options& how = {}, unsigned threads = 1);
  /// Collective, if MPI is still there; between begin() and end() it must not be called.
  ~barrier();
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  void arrive_and_wait();

  /// This process has come; it may compute before it needs to know that all have. end() follows begin(), in any thread.
  /// What others need of this process meanwhile is done in its calls of test() and end(), and while any of its threads waits at
  /// another barrier of these by `waiting` "auto"; not while it waits in MPI's own calls.
  void begin();
  /// Goes on with what can be done without waiting; true once all have come: then end() will not wait.
  bool test();
  void end();

  unsigned rank() const;
  unsigned size() const;
  const mpi::choice& choice() const;
  /// The processors that this process lives on, where the processes of a node share them out.
  const std::vector<int>& processors() const;
  /// Do processes share processors that the system schedules in different groups? They then sleep sooner.
  bool among_strangers() const;

 private:
  class implementation;
  std::unique_ptr<implementation> it_;
};

struct team_options {
  std::string threads = "auto";      ///< the barrier of a process's threads: any name of weir::algorithms()
  std::string waiting = "auto";      ///< how they wait: any name of weir::waitings()
  std::vector<int> placement = {};   ///< the processor that each thread of this process is bound to; empty: unknown
  options processes = {};
};

/// Of `threads` threads in each process, numbered from 0. When a process's threads have come, one of them joins the barrier of
/// the processes, and only then are they let go. MPI_THREAD_SERIALIZED or more: whichever is there first, as in the paper.
/// MPI_THREAD_FUNNELED: thread 0, which must be the one that has begun MPI.
class team_barrier {
 public:
  /// Collective over the communicator, called by one thread of each process. Throws as barrier does; and
  /// std::runtime_error where MPI was begun with too low a thread level: the message names the one that is needed.
  team_barrier(MPI_Comm comm, unsigned threads, const team_options& how = {});

  /// Throws std::logic_error where thread 0 should have begun MPI and has not; std::out_of_range where there is no such thread.
  /// Such a thread has not arrived.
  void arrive_and_wait(unsigned thread);

  unsigned threads() const { return threads_.members(); }
  const mpi::choice& choice() const { return processes_.choice(); }
  const weir::choice& threads_choice() const { return threads_.choice(); }

 private:
  void join();
  void settle_down(unsigned thread);
  void require_main_thread();

  barrier processes_;
  completed_by who_;
  bool main_thread_seen_ = false;
  std::vector<int> homes_;  // of the threads; empty: they have none
  weir::team_barrier<> threads_;
  std::unique_ptr<error> failed_;
};

}  // namespace weir::mpi
