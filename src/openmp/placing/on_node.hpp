// This process among the programs of the node that divide its processors (WEIR_SHARE=node). Used by the watch alone (share.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node/confinement.hpp"
#include "node/sharing.hpp"

namespace weir::openmp {

/// Does the program ask for it?
bool shares_node();

class on_node {
 public:
  /// Called when the library is loaded: later the program may change its environment, while another thread reads it.
  static void read_environment();
  /// Has a launcher of MPI started the process? A rank counts even if it has one thread and begins no region.
  static bool is_rank();
  /// Says why the processors are not shared, if they cannot be. Called by a thread of the program.
  static void check();

  /// The calling thread, which has looked for nothing yet, gets file descriptors of its own: a program that closes all its files,
  /// or relies on a number, never meets one of these.
  void begin();
  void end();
  /// The child of a fork leaves the parent's alone.
  void begin_in_child();

  struct found {
    unsigned processors;  // that the process may take
    bool is_busy;         // the others leave it its share
    bool waits;           // others have their turn
  };
  /// `mask`: the processors of the process; `processors`: how many of them it may use; `members`: of its teams. In no region it
  /// wants as many as it has threads that compute.
  found look(const std::vector<int>& mask, unsigned processors, std::size_t members, bool in_region);
  /// In nanoseconds: at the beginning of each turn, at the same time in all programs. They are to be followed within 50 ms.
  long until_next_look() const;
  /// Is the first thread of the process still there?
  bool first_thread_is_there() const { return threads_.first_is_there(); }
  /// The calling thread starts a program, which is to have all processors.
  void begin_start() { threads_.begin_start(); }
  void end_start() { threads_.end_start(); }
  /// The process ends.
  void leave() {
    if (node_) node_->leave();
  }
  /// At the end of the process: that they were not shared at last, and why.
  static void tell_of_end();
  /// Why they cannot be shared any more, or that there are fewer of them; once. The watch's thread has no standard error.
  std::string take_complaint();

 private:
  static void note_unshared(const std::string& why);
  /// As many as there have lately been: regions of a program differ, and what it wants must not change with each.
  class lately {
   public:
    std::size_t most(std::size_t now);

   private:
    std::size_t most_ = 0;
    unsigned looks_with_fewer_ = 0;
  };
  /// Has the process used more than half of a processor since the last look, or would it have? `delayed`: how long its threads
  /// have waited for processors. A program that did not count that would take a program that shares a processor with another for
  /// idle, and lend what it lacks.
  bool computes(std::uint64_t now, std::uint64_t delayed);

  void note_processors(unsigned count);

  /// Whatever the others say, the program has a turn after a second.
  bool must_wait(bool others_have_turn, std::uint64_t now);

  std::optional<node::sharing> node_;
  node::confinement threads_;
  bool has_own_files_ = false, has_complained_ = false;
  lately members_, computing_;
  std::string beyond_;  // why it cannot take part, whatever the table is like
  unsigned most_processors_ = 0;
  bool has_told_fewer_ = false;
  std::string fewer_;
  std::uint64_t had_turn_ = 0;
  std::uint64_t looked_ = 0, used_ = 0;  // when, and the processor time until then
};

}  // namespace weir::openmp
