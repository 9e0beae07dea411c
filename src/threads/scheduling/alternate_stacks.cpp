#include "threads/scheduling/alternate_stacks.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include <pthread.h>
#include <sys/mman.h>

#include "machine/kernel_mutex.hpp"
#include "machine/raw_call.hpp"
#include "threads/support/valgrind.hpp"

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
  const bool is_none = (of_thread.its.ss_flags & SS_DISABLE) != 0 || is_for_ticks(of_thread.its);
  of_thread.number = is_none ? 0 : numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  has_changed = false;
  return of_thread;
}

void set_alternate_stack(const alternate_stack& to, const stack_t& without) {
  raw_call(SYS_sigaltstack, as_argument(to.number == 0 ? &without : &to.its), 0);
}

namespace {

// The frames of some nested signals, each with all registers, and a handler of the program that begins here without a stub
// (calls/handlers.cpp). The odd length and the mark tell them from others.
constexpr std::size_t bytes_for_ticks = 65536 - 64, in_block = 16;
constexpr std::uintptr_t mark = 0x7765697274696b73;
struct alignas(64) place {
  std::uintptr_t marked;
  place* next;
  char rest[65536 - 2 * sizeof(std::uintptr_t)];
};
// One mapping for many, without guards: each mapping costs a fork half a microsecond.
constinit kernel_mutex changing;
constinit place* unused = nullptr;

struct bounds {
  std::uintptr_t low = 0, bytes = 0;
};
constinit thread_local place* taken = nullptr;
constinit thread_local bounds own;

place* take() {
  const std::lock_guard lock(changing);
  if (unused == nullptr) {
    void* const made = mmap(nullptr, in_block * sizeof(place), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    for (std::size_t i = 0; i < in_block; ++i) {
      place& each = static_cast<place*>(made)[i];
      each.marked = reinterpret_cast<std::uintptr_t>(&each) ^ mark;
      each.next = std::exchange(unused, &each);
    }
  }
  return std::exchange(unused, unused->next);
}

bounds stack_of_thread() {
  bounds its;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return its;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) its = {reinterpret_cast<std::uintptr_t>(low), bytes};
  pthread_attr_destroy(&attributes);
  return its;
}

}  // namespace

stack_t stack_for_ticks() {
  stack_t its{};
  its.ss_flags = SS_DISABLE;
  if (taken == nullptr) return its;
  its.ss_flags = 0;
  its.ss_sp = taken;
  its.ss_size = bytes_for_ticks;
  return its;
}

bool is_for_ticks(const stack_t& which) {
  return which.ss_size == bytes_for_ticks && (which.ss_flags & SS_DISABLE) == 0 &&
         static_cast<const place*>(which.ss_sp)->marked == (reinterpret_cast<std::uintptr_t>(which.ss_sp) ^ mark);
}

void return_to_stack_for_ticks() {
  if (taken == nullptr) return;
  const stack_t its = stack_for_ticks();
  raw_call(SYS_sigaltstack, as_argument(&its), 0);
}

void take_stack_for_ticks([[maybe_unused]] bool learns) {
#if defined(__x86_64__)
  if (taken != nullptr || runs_on_valgrind()) return;  // it would take the frame that is copied for stray accesses
  stack_t now{};
  raw_call(SYS_sigaltstack, 0, as_argument(&now));
  if ((now.ss_flags & SS_DISABLE) == 0 || (taken = take()) == nullptr) return;
  if (learns) own = stack_of_thread();
  return_to_stack_for_ticks();
#endif
}

void give_back_stack_for_ticks() {
  if (taken == nullptr) return;
  stack_t now{}, none{};
  none.ss_flags = SS_DISABLE;
  raw_call(SYS_sigaltstack, 0, as_argument(&now));
  if (is_for_ticks(now) && raw_call(SYS_sigaltstack, as_argument(&none), 0) != 0) return;  // a handler runs there
  const std::lock_guard lock(changing);
  taken->next = unused;
  unused = std::exchange(taken, nullptr);
}

bool has_room_on_own_stack(std::uintptr_t stack, std::size_t bytes) {
  return own.bytes == 0 || (stack - own.low < own.bytes && stack - own.low >= bytes);
}

}  // namespace weir::threads
