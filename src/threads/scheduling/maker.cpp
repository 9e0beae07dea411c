#include "threads/scheduling/maker.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <weir/machine/native.hpp>

#include "system/fork_page.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/scheduling/above.hpp"
#include "threads/scheduling/lists.hpp"
#include "threads/scheduling/pool.hpp"
#include "threads/scheduling/service_thread.hpp"
#include "threads/support/floating_point.hpp"
#include "threads/support/native_threads.hpp"

namespace weir::threads {

namespace {

void* make(void* given);
WEIR_WRITTEN_BY_FORKS constinit service_thread maker(make);

// The system takes a hundredth of that to create a thread, but beside other programs the maker may wait for some time slices.
constexpr std::uint64_t soon_us = 20'000;

// Under the lock of the lists.
WEIR_WRITTEN_BY_FORKS std::size_t helpers_wanted = 0;
WEIR_WRITTEN_BY_FORKS std::uint64_t stand_in_wanted_since = 0;  // in ticks; 0: it is not wanted
WEIR_WRITTEN_BY_FORKS bool first_was_wanted = false, signal_thread_is_wanted = false;
unsigned refusals = 0;
// The words by which the maker sleeps, and those who wait for it. release and acquire: what is wanted, and what is there. Each
// side reads the word first, then looks, and sleeps only while the word is the same.
constinit std::atomic<std::uint32_t> wishes{0}, answers{0};

void want_nothing() {
  helpers_wanted = 0;
  stand_in_wanted_since = 0;
  first_was_wanted = signal_thread_is_wanted = false;
}
void changes(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  native_threads::wake(word);
}

processors_in_list* wanted_kind() {
  if (pool->helpers.size() < helpers_wanted) return &pool->helpers;
  if (stand_in_wanted_since != 0 && std::ranges::none_of(pool->stand_ins, &processor::is_free)) return &pool->stand_ins;
  stand_in_wanted_since = 0;
  return nullptr;
}

/// False: nothing is wanted that the system grants, or the thread shall end.
bool make_one(unsigned number) {
  processors_in_list* kind = nullptr;
  processor* made = nullptr;
  {
    const std::lock_guard lock(pool_lock);
    if (!maker.is_present(number) || (kind = wanted_kind()) == nullptr) return false;
    made = &unused_processor(true);
    made->sleeps_until_it_begins();
    made->stands_in = kind == &pool->stand_ins;
    made->number = static_cast<unsigned>(kind->size());
  }
  const bool is_granted = begin_to_drive(*made);
  {
    const std::lock_guard lock(pool_lock);
    if (!is_granted) {
      made->close();
      pool->ended.push_back(made);
      ++refusals;
      helpers_wanted = std::min(helpers_wanted, pool->helpers.size());
    } else if (!maker.is_present(number)) {
      run_queue::make_ready(made->own(), nullptr);  // all have ended meanwhile
    } else {
      // One for all who have wanted it meanwhile: it is busy until it sleeps for the first time.
      if (made->stands_in) stand_in_wanted_since = 0;
      kind->push_back(made);
      pool->processors.push_back(made);
    }
  }
  return is_granted;
}

bool wants_signal_thread() {
  const std::lock_guard lock(pool_lock);
  return std::exchange(signal_thread_is_wanted, false);
}

// Its name is the program's, because the threads that it creates have the same.
void* make(void* given) {
  const unsigned number = service_thread::number_of(given);
  while (maker.is_present(number)) {
    const std::uint32_t seen = wishes.load(std::memory_order_acquire);
    if (wants_signal_thread()) start_signal_thread();
    while (make_one(number)) {
    }
    changes(answers);
    place_wanted_trampolines();
    native_threads::sleep_while(wishes, seen);
  }
  return nullptr;
}

template <class AreThere>
bool await(std::unique_lock<kernel_mutex>& lock, AreThere are_there) {
  const unsigned before = refusals;
  for (;;) {
    const std::uint32_t seen = answers.load(std::memory_order_acquire);
    if (are_there()) return true;
    if (refusals != before || !maker.is_there()) return false;
    lock.unlock();
    wake_maker();
    native_threads::sleep_while(answers, seen);
    lock.lock();
  }
}

}  // namespace

void start_maker() {
  maker.start();
  if (maker.is_refused()) changes(answers);
}
void stop_maker() {
  maker.stop();
  want_nothing();
  wake_maker();
}
WEIR_RUN_BY_FORKS void forget_maker() {
  maker.forget();
  want_nothing();
}

void want_helpers_for_all() {
  if (pool->helpers.size() >= processors_for_all) return;
  signal_thread_is_wanted = true;
  helpers_wanted = std::max<std::size_t>(helpers_wanted, processors_for_all);
  wake_maker();
}
void want_first_stand_in() {
  if (!std::exchange(first_was_wanted, true)) want_stand_in();
}
bool want_stand_in() {
  const std::uint64_t now = native::ticks();
  if (stand_in_wanted_since != 0) return now - stand_in_wanted_since > in_ticks(soon_us);
  stand_in_wanted_since = now;
  wake_maker();
  return false;
}
void wake_maker() { changes(wishes); }

bool await_helpers(std::unique_lock<kernel_mutex>& lock, std::size_t number) {
  helpers_wanted = std::max(helpers_wanted, number);
  return await(lock, [number] { return pool->helpers.size() >= number; });
}
bool await_stand_in(std::unique_lock<kernel_mutex>& lock) {
  return await(lock, [] { return std::ranges::any_of(pool->stand_ins, &processor::is_free); });
}

}  // namespace weir::threads
