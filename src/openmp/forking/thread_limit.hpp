// thread-limit-var: how many threads a contention group has at once [OpenMP 5.2, 10.1.1].
#pragma once

#include "openmp/teams/team.hpp"

namespace weir::openmp {

/// How many threads the caller's contention group may have.
int thread_limit(const member& me);

/// The threads of a region, for as long as it lasts: fewer than wanted if its contention group has reached its limit. Without a
/// limit nothing is counted.
class granted_threads {
 public:
  granted_threads(const member& encountering, unsigned wanted);
  ~granted_threads() {
    if (group_ != nullptr) give_back();
  }
  granted_threads(const granted_threads&) = delete;
  granted_threads& operator=(const granted_threads&) = delete;

  unsigned size() const { return size_; }

 private:
  void give_back();

  team* group_ = nullptr;  // the outermost team; null: nothing is counted
  unsigned size_;
};

}  // namespace weir::openmp
