// Which body runs a handler of the program. The kernel thread has the handler's signal mask meanwhile, which is not the one that
// the body has recorded, and may be on an alternate stack: so no other body runs on it, and the body goes to no other one.
#pragma once

#include "threads/polling/trampolines.hpp"
#include "threads/scheduling/body.hpp"

namespace weir::threads {

/// Asks the system, by two calls: does the calling thread, which has this body, run a handler? If not, none counts any more.
[[gnu::cold]] bool looks_for_handler(const body& me);
/// The same for a thread that comes to wait. A handler without a stub is not known: then the wait is as any other.
inline bool waits_in_handler(const body& me) { return handlers_running != 0 && looks_for_handler(me); }

/// During the lifetime of this object the calling body, if it runs a handler, has the handler's mask on record, so it may go to
/// another kernel thread: to its own, whose state it is about to change. Other bodies do not get the mask then, and this one
/// keeps it. The handler's end restores the recorded mask.
class with_mask_of_handler {
 public:
  explicit with_mask_of_handler(body& me) {
    if (waits_in_handler(me)) [[unlikely]] begin(me);
  }
  with_mask_of_handler(const with_mask_of_handler&) = delete;
  ~with_mask_of_handler() {
    if (me_ != nullptr) [[unlikely]] end();
  }

 private:
  void begin(body& me);
  void end();
  void record(signal_mask mask);
  body* me_ = nullptr;
  signal_mask outside_ = 0;
  unsigned running_ = 0;
};

}  // namespace weir::threads
