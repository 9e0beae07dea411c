// What a task is to who executes it. Tasks are executed at once, by who creates them.
#pragma once

#include <utility>

#include "team.hpp"

namespace weir::openmp {

/// While it lives the thread executes a task: a final one if so said, or if it was in one before.
class final_task {
 public:
  explicit final_task(bool final) : who_(self()), before_(std::exchange(who_.in_final, who_.in_final || final)) {}
  final_task(const final_task&) = delete;
  ~final_task() { who_.in_final = before_; }

 private:
  member& who_;
  const bool before_;
};

}  // namespace weir::openmp
