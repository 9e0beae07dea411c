// This process among the programs of the node that divide its processors (WEIR_SHARE=node). Used by the watch alone (share.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node/sharing.hpp"

namespace weir::openmp {

/// Does the program ask for it?
bool shares_node();

class on_node {
 public:
  /// Says why the processors are not shared, if they cannot be. Called by a thread of the program.
  static void check();

  /// The calling thread, which has looked for nothing yet, gets file descriptors of its own: a program that closes all its files, or relies
  /// on a number, never meets one of these.
  void begin();
  void end() { node_.reset(); }
  /// The child of a fork leaves the parent's alone.
  void begin_in_child();

  /// How many of `processors` the process may take. `mask`: its processors; `members`: of its teams. In no region it takes one, if it
  /// computes.
  unsigned look(const std::vector<int>& mask, unsigned processors, std::size_t members, bool in_region);
  /// In nanoseconds: other programs are to be followed within 50 ms, and turns begin for all at the same time.
  long until_next_look() const;
  /// The process ends.
  void leave() const {
    if (node_) node_->leave();
  }
  /// Why they cannot be shared any more; once. The watch's thread has no standard error.
  std::string take_complaint();

 private:
  /// As many as there have lately been members: regions of a program differ, and what it wants must not change with each.
  unsigned wanted(std::size_t members, unsigned processors);
  /// Has the process had more than half of a processor since the last look?
  bool computes(std::uint64_t now);

  std::optional<node::sharing> node_;
  bool has_own_files_ = false, has_complained_ = false;
  std::size_t most_members_ = 0;
  unsigned looks_with_fewer_ = 0;
  std::uint64_t looked_ = 0, used_ = 0;  // when, and the processor time until then
};

}  // namespace weir::openmp
