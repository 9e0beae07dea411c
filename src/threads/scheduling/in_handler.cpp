#include "threads/scheduling/in_handler.hpp"

#include <utility>

#include <signal.h>

#include "system/raw_call.hpp"
#include "threads/scheduling/processor.hpp"

namespace weir::threads {

bool looks_for_handler(const body& me) {
  stack_t alternate;
  raw_call(SYS_sigaltstack, 0, as_argument(&alternate));
  if (present_mask() != me.mask() || (alternate.ss_flags & SS_ONSTACK) != 0) return true;
  handlers_running = 0;
  return false;
}

void with_mask_of_handler::begin(body& me) {
  me_ = &me;
  outside_ = me.mask();
  running_ = std::exchange(handlers_running, 0);
  record(present_mask());
}
void with_mask_of_handler::end() {
  record(outside_);
  handlers_running = running_;
}
void with_mask_of_handler::record(signal_mask mask) {
  const without_preemption to_the_end(me_);
  me_->mask(mask);
  if (processor* const on = me_->where()) on->has_mask(mask);
}

}  // namespace weir::threads
