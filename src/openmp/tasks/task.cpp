#include "openmp/tasks/task.hpp"

namespace weir::openmp {

int task_id(const task_scope* t) {
  static std::atomic<int> next{0};
  if (t == nullptr) return 0;
  if (t->id == 0) t->id = next.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: the number alone matters
  return t->id;
}

}  // namespace weir::openmp
