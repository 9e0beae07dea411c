// The regions in which a thread of the program drives a processor of its own, and the threads that belong elsewhere.
#include <weir/machine/native.hpp>

#include "threads/scheduling/hand_off.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/rseq_areas.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

processor& seat() { return this_body != nullptr && this_body->home() != nullptr ? *this_body->home() : here(); }

bool is_driving() { return own_processor != nullptr && own_processor->is_driven(); }

void close_own_processor() {
  if (own_processor != nullptr && !own_processor->is_driven()) own_processor->close();
}

namespace {
/// A thread of the program that belongs on a processor goes there, rather than driving one.
bool is_on_processor_or_returns() {
  if (this_body == nullptr && !is_driving())
    if (const body* const own = own_body_of_thread(); own != nullptr && own->is_adopted && own->home() != nullptr)
      go_to(own->home());
  return this_body != nullptr;
}
}  // namespace

// A thread that has given its processor away, to a stand-in, does not drive it in an inner region. Meanwhile nobody asks the body
// that it has besides (adopt()): the signal would come into a call of whoever runs in its kernel thread.
driving::driving() : outermost_(!is_on_processor_or_returns() && !is_driving()), before_(scheduled_by) {
  if (!outermost_) return;
  if (own_body_of_thread() != nullptr) own_body_of_thread()->begin_call();
  processor& driven = here();
  this_body = &driven.own();
  scheduled_by = &by_processors;
  driven.own().may_move.store(static_cast<std::uint32_t>(moves::to_stand_in), std::memory_order_relaxed);
  driven.begin_driving();
  if (!gives_up_area() || driven.own().stays_pinned() || all_are_pinned()) [[unlikely]]
    give_away_own_processor();
}

driving::~driving() {
  if (!outermost_) return;
  own_processor->end_driving();
  this_body = nullptr;
  if (own_body_of_thread() != nullptr) own_body_of_thread()->end_call();
  scheduled_by = before_;
  native::displaced(false);
}

}  // namespace weir::threads
