// Keeps errno, which belongs to the program: a thread in a barrier or a lock must not change it. For the slow paths, which make
// system calls.
#pragma once

#include <cerrno>

namespace weir {

class errno_kept {
 public:
  errno_kept() : before_(errno) {}
  ~errno_kept() { errno = before_; }
  errno_kept(const errno_kept&) = delete;

 private:
  const int before_;
};

}  // namespace weir
