// A processor that has nothing to do takes ready bodies from one that does not come to them: whose body computes for long, or is
// in a system call, or whose kernel thread another program has displaced.
//
// The lists belong to the robbed processor's thread, which changes them without an atomic update. So the robber announces itself,
// makes all running threads of the process execute a fence (membarrier), and looks whether the body that runs there holds its
// processor. If it does not, it will see the robber before it changes anything, and wait. If it does, nothing is taken.
#include <weir/machine/native.hpp>

#include "machine/scheduling.hpp"
#include "threads/processor.hpp"

namespace weir::threads {

namespace {
// A processor that has not switched for as long does not come to its bodies. A fence costs a few microseconds.
constexpr double patience_us = 8;
}  // namespace

// The caller is the only robber, by a lock.
bool processor::rob(processor& other) {
  const std::uint64_t now = native::ticks();
  const std::uint32_t switches = other.switches_.load(std::memory_order_relaxed);
  if (other.switches_seen_ != switches) {
    other.switches_seen_ = switches;
    other.seen_at_ = now;
    return false;
  }
  if (static_cast<double>(now - other.seen_at_) < patience_us * native::ticks_per_microsecond()) return false;
  if (!other.has_ready() || !futex_kernel::may_be_unguarded()) return false;
  // Most processors hold on to their bodies, as those that nobody drives. relaxed: asked again below.
  if (other.current_.load(std::memory_order_acquire)->held.load(std::memory_order_relaxed) != 0) return false;
  unsigned taken = 0;
  other.robbed_.store(true, std::memory_order_relaxed);
  futex_kernel::heavy_fence();
  // acquire: the lists. The body that runs is the same after the fence if nothing has been switched; bodies end only while
  // nobody robs.
  const body& running = *other.current_.load(std::memory_order_acquire);
  if (futex_kernel::may_be_unguarded() && running.held.load(std::memory_order_acquire) == 0 &&
      other.switches_.load(std::memory_order_relaxed) == switches) {
    unsigned ready = 0;
    if (other.arrived_.load(std::memory_order_relaxed) != nullptr) other.take_arrived();
    body* b = other.ready_.take_all();
    // Half of them. What has come back from a robber since then only waits.
    for (body* rest = b; rest != nullptr; rest = rest->next) ++ready;
    while (b != nullptr) {
      body* const next = b->next;
      if (b->parking != nullptr && b->stolen_from != switches && taken < (ready + 1) / 2) {
        b->stolen_from = switches;
        b->on = this;
        ready_.append(*b);
        has_robbed_ = true;
        ++taken;
      } else {
        other.ready_.append(*b);
      }
      b = next;
    }
  }
  other.robbed_.store(false, std::memory_order_release);  // release: the lists
  return taken != 0;
}

void without_preemption::wait_for_robber(const processor& its) {
  while (its.is_robbed()) yield_to_kernel();
}

}  // namespace weir::threads
