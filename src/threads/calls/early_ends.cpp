// Functions that end the process without its destructors.
#include "threads/posix/interpose.hpp"
#include "threads/threads.hpp"

namespace {
void tell() {
  // relaxed: set when the library is loaded, before other threads are there.
  if (auto* const told = weir::threads::tell_of_early_end.load(std::memory_order_relaxed)) [[unlikely]] told();
}
}  // namespace

INTERPOSE(void, _exit, (int status)) {
  tell();
  next__exit.get()(status);
  __builtin_unreachable();
}
INTERPOSE(void, _Exit, (int status)) {
  tell();
  next__Exit.get()(status);
  __builtin_unreachable();
}
