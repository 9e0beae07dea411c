// The memory of a member's tasks, by size. Another member that completes a task gives its memory back. It is freed with the
// team, so that memory of a task is never anything else (task.hpp), and there is as much as there have been tasks at once.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "openmp/core/team.hpp"

namespace weir::openmp {

class task_pool {
 public:
  task_pool() = default;
  task_pool(const task_pool&) = delete;
  ~task_pool();

  /// By the owner: a new task with room for so many bytes of data. Ends the program if there is no memory.
  task& make(member& owner, std::size_t bytes);
  /// By the owner, or by another thread.
  void give_back(task& t);
  void give_back_from_elsewhere(task& t);

 private:
  static constexpr std::size_t smallest = 8;  // 2^8 bytes
  task* unused(std::size_t size_class);

  std::array<task*, 48> free_{};  // by size class
  std::vector<void*> blocks_;
  alignas(line_bytes) std::atomic<task*> returned_{nullptr};  // by other threads
};

}  // namespace weir::openmp
