#include "threads/scheduling/sleepers.hpp"

#include <pthread.h>

#include "machine/scheduling.hpp"
#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/scheduling/sleep_queue.hpp"

namespace weir::threads {

WEIR_WIPED_IN_CHILDREN constinit basic_sleep_queues<native_threads> sleepers_asked_about;

namespace {

using bucket = basic_sleep_queue<native_threads>;
WEIR_WIPED_IN_CHILDREN constinit basic_sleep_queues<native_threads> other_sleepers;
bucket& bucket_of(const void* object, table in) {
  return (in == table::others ? other_sleepers : sleepers_asked_about).of(reinterpret_cast<std::uintptr_t>(object));
}
void for_each_bucket(auto what) {
  for (auto* const table_of_sleepers : {&other_sleepers, &sleepers_asked_about})
    for (bucket& b : *table_of_sleepers) what(b);
}

constinit bool are_wiped = false;
WEIR_RUN_BY_FORKS void begin_in_child() {
  if (!are_wiped) for_each_bucket([](bucket& b) { b.forget(); });
}
[[gnu::constructor]] void when_loaded() {
  are_wiped = is_wiped_in_child(sleepers_asked_about.buckets()) & is_wiped_in_child(other_sleepers.buckets());
  pthread_atfork(nullptr, nullptr, begin_in_child);
}

// A handler of the program may wake sleepers, by sem_post(), though it has interrupted a function of this file, or of the run
// queues. Then it leaves the wake-up to the monitor, which wakes all: they try again.
constinit thread_local unsigned in_lists = 0;
constinit std::atomic<bool> left_to_monitor{false};

/// During the lifetime of this object the calling thread changes lists. The compiler keeps the order, for handlers.
class changing {
 public:
  changing() {
    ++in_lists;
    native_threads::light_fence();
  }
  changing(const changing&) = delete;
  ~changing() {
    native_threads::light_fence();
    --in_lists;
  }
};
bool has_interrupted_a_change() {
  return in_lists != 0 || (this_body != nullptr && this_body->held.load(std::memory_order_relaxed) != 0);
}

}  // namespace

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  // relaxed: the sender of a wake-up looks at it after it has changed the word, and a fence follows here, too: in add().
  if (wake_scheduled.load(std::memory_order_relaxed) != wake) wake_scheduled.store(wake, std::memory_order_relaxed);
  this_body->where()->sleep(*this_body, {&word, value});
}

// The body that runs here is held, which tells handlers enough. A thread that runs here without one may not change `in_lists`: in
// the idle context of a processor it is that of the thread's own body, which may run elsewhere, and change it there at the same
// time.
bool falls_asleep(body& b, const awaited& on) noexcept {
  return bucket_of(on.object, on.in).add(b, *on.object, *on.word, on.value, [&] {
    // relaxed: add() has a fence.
    return b.has_signals() || (on.must_be_zero != nullptr && on.must_be_zero->load(std::memory_order_relaxed) != 0);
  });
}

void wake(std::atomic<std::uint32_t>& word, unsigned most) noexcept { wake_on(word, most, table::others); }

unsigned wake_on(const std::atomic<std::uint32_t>& object, unsigned most, table in) noexcept {
  bucket& sleepers_there = bucket_of(&object, in);
  if (!sleepers_there.has_sleepers()) return 0;
  const without_preemption to_the_end;
  const changing lists;
  return sleepers_there.wake(object, most, this_body);
}

void wake_body(body& b, woken_by what) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in add(): the caller has sent a signal
  const void* const object = b.awaits.load(std::memory_order_relaxed);  // relaxed: looked at again below
  if (object == nullptr) return;
  const without_preemption to_the_end;
  const changing lists;
  for (const table in : {table::others, table::asked_about}) bucket_of(object, in).wake(b, this_body, what);
}

bool leaves_wake_up() noexcept {
  if (!has_interrupted_a_change()) [[likely]] return false;
  left_to_monitor.store(true, std::memory_order_release);  // release: the event
  wake_monitor_at(0);
  return true;
}

void wake_those_left() noexcept {
  if (!left_to_monitor.load(std::memory_order_relaxed) || !left_to_monitor.exchange(false, std::memory_order_acquire)) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in add()
  for_each_bucket([](bucket& b) {
    if (b.has_sleepers()) b.wake_all();
  });
}

}  // namespace weir::threads
