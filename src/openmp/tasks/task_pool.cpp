#include "openmp/tasks/task_pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "openmp/support/stop.hpp"

namespace weir::openmp {

task_pool::~task_pool() {
  for (void* block : blocks_) std::free(block);
}

void task_pool::refill(std::size_t size_class) {
  // acquire: the threads that gave them back have done with them.
  free_[size_class] = returned_[size_class].exchange(nullptr, std::memory_order_acquire);
  if (free_[size_class] != nullptr) return;
  const std::size_t bytes = std::size_t{1} << (size_class + smallest), several = std::max<std::size_t>(4096 / bytes, 1);
  auto* const block = static_cast<char*>(std::aligned_alloc(alignof(task), bytes * several));
  if (block == nullptr) stop("there is no memory for a task of %zu bytes", bytes);
  blocks_.push_back(block);
  for (std::size_t i = 0; i < several; ++i) {
    task* const t = new (block + i * bytes) task;
    t->size_class = static_cast<std::uint8_t>(size_class);
    give_back(*t);
  }
}

void task_pool::give_back_from_elsewhere(task& t) {
  happens_before(&t);
  openmp::give_back_to(returned_[t.size_class], t, t);
}

void task_pool::give_back_to(task_pool& home, task& t) {
  happens_before(&t);
  borrowed_.give_back(t, home.returned_[t.size_class]);
}

}  // namespace weir::openmp
