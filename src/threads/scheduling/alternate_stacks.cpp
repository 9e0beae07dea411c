#include "threads/scheduling/alternate_stacks.hpp"

#include <atomic>

#include "machine/raw_call.hpp"

namespace weir::threads {

namespace {

constinit thread_local bool has_changed = false;
constinit thread_local alternate_stack of_thread;

}  // namespace

void note_change_of_alternate_stack() { has_changed = true; }

const alternate_stack& alternate_stack_of_thread() {
  if (!has_changed) [[likely]] return of_thread;
  static constinit std::atomic<std::uint64_t> numbers{0};
  raw_call(SYS_sigaltstack, 0, as_argument(&of_thread.its));
  of_thread.its.ss_flags &= ~SS_ONSTACK;
  // relaxed: a number of its own for each.
  of_thread.number = (of_thread.its.ss_flags & SS_DISABLE) != 0 ? 0 : numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  has_changed = false;
  return of_thread;
}

void set_alternate_stack(const alternate_stack& to) {
  stack_t its = to.its;
  if (to.number == 0) its.ss_flags = SS_DISABLE;
  raw_call(SYS_sigaltstack, as_argument(&its), 0);
}

}  // namespace weir::threads
