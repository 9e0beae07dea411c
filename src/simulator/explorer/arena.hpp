// All memory that a barrier allocates is in an arena, so that it can be reset to the state after construction, and compared.
#pragma once

#include <cstddef>
#include <vector>

#include "digest.hpp"

namespace weir::explorer {

class arena {
 public:
  arena();
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// During its lifetime this thread's operator new allocates from the arena (nullptr: from the heap); deleted memory is not
  /// reused.
  class in_use {
   public:
    explicit in_use(arena* a);
    ~in_use();
    in_use(const in_use&) = delete;
    in_use& operator=(const in_use&) = delete;

   private:
    arena* before_;
  };

  void remember() { image_.assign(memory_, memory_ + used_); }
  void restore();
  void add_to(digester& d) const { d.add(memory_, used_); }

  void* allocate(std::size_t bytes, std::size_t alignment);
  static bool owns(const void* address);
  static arena* current();

 private:
  char* memory_;
  std::size_t used_ = 0;
  std::vector<char> image_;
};

}  // namespace weir::explorer
