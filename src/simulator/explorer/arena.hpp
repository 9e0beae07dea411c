// All memory that a barrier takes lies in an arena, so that it can be set back to how the barrier was
// built, and compared.
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

  /// While one lives, this thread's operator new takes from the arena (nullptr: from the heap); what is
  /// deleted there is not used again.
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
