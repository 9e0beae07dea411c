#include "threads/scheduling/alternate_stacks.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "system/filter.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "system/raw_call.hpp"
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
  raw_call(SYS_sigaltstack, 0, as_argument(&of_thread.stack));
  of_thread.stack.ss_flags &= ~SS_ONSTACK;
  // relaxed: a number of its own for each.
  const bool is_none = (of_thread.stack.ss_flags & SS_DISABLE) != 0 || is_for_sender(of_thread.stack);
  of_thread.number = is_none ? 0 : numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  has_changed = false;
  return of_thread;
}

void set_alternate_stack(const alternate_stack& to, const stack_t& without) {
  raw_call(SYS_sigaltstack, as_argument(to.number == 0 ? &without : &to.stack), 0);
}

namespace {

// The frames of some nested signals, each with all registers, and a handler of the program that begins here without a stub
// (calls/handlers.cpp).
constexpr std::size_t bytes_for_ticks = 65536 - 64, in_block = 16;
struct place {
  char stack[bytes_for_ticks];
  alignas(64) place* next_unused;
};
// One mapping for many, without guards: each mapping costs a fork half a microsecond.
struct block {
  block* made_before;
  alignas(64) place places[in_block];
};
WEIR_WRITTEN_BY_FORKS constinit kernel_mutex changing;
constinit place* unused = nullptr;
constinit std::size_t never_used_in_last = 0;
// None is ever removed, so handlers may walk along them.
constinit std::atomic<block*> last_made{nullptr};

WEIR_RUN_BY_FORKS void begin_in_child() { changing.forget(); }
[[gnu::constructor]] void when_loaded() { pthread_atfork(nullptr, nullptr, begin_in_child); }

struct bounds {
  std::uintptr_t low = 0, bytes = 0;
};
constinit thread_local place* taken = nullptr;
constinit thread_local bounds own;

place* take() {
  const std::lock_guard lock(changing);
  if (unused != nullptr) return std::exchange(unused, unused->next_unused);
  block* last = last_made.load(std::memory_order_relaxed);  // relaxed: the lock orders them
  if (never_used_in_last == 0) {
    void* const made = mmap(nullptr, sizeof(block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    static_cast<block*>(made)->made_before = last;
    last_made.store(last = static_cast<block*>(made), std::memory_order_release);  // release: made_before
    never_used_in_last = in_block;
  }
  return &last->places[--never_used_in_last];
}

// pthread_getattr_np() would allocate memory, and with it a heap for each thread. These bounds lie within the true ones.
constexpr std::uintptr_t page = 4096;
constexpr std::uintptr_t end_of_page(std::uintptr_t at) { return (at + page) / page * page; }
bounds up_to(std::uintptr_t end, std::size_t bytes) { return {end - bytes, bytes}; }

/// The C library keeps a thread's descriptor at the upper end of the stack, and pthread_self() is the address of it. Where the
/// thread runs elsewhere, nobody knows.
bounds stack_with_descriptor(std::size_t bytes) {
  constexpr std::uintptr_t descriptor = page;  // and no more
  const bounds found = up_to(end_of_page(reinterpret_cast<std::uintptr_t>(pthread_self()) + descriptor), bytes);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here - found.low < found.bytes ? found : bounds{};
}

/// The name of the program's file is the last thing before the upper end [fs/exec.c, bprm_execve()]. The limit may be so large
/// that other mappings lie in it: not so near.
bounds stack_of_first_thread() {
  constexpr rlim_t most = 64 << 20;
  rlimit limit{};
  const char* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name == nullptr || getrlimit(RLIMIT_STACK, &limit) != 0) return {};
  return up_to(end_of_page(reinterpret_cast<std::uintptr_t>(name) + std::strlen(name)), std::min(limit.rlim_cur, most));
}

}  // namespace

stack_t stack_for_ticks() {
  stack_t stack{};
  stack.ss_flags = SS_DISABLE;
  if (taken == nullptr) return stack;
  stack.ss_flags = 0;
  stack.ss_sp = taken;
  stack.ss_size = bytes_for_ticks;
  return stack;
}

bool is_for_sender(const stack_t& which) {
  if (which.ss_size != bytes_for_ticks || (which.ss_flags & SS_DISABLE) != 0) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(which.ss_sp);
  // acquire: made_before.
  for (const block* each = last_made.load(std::memory_order_acquire); each != nullptr; each = each->made_before)
    if (at - reinterpret_cast<std::uintptr_t>(each) < sizeof *each) return true;
  return false;
}

void return_to_stack_for_ticks() {
  if (taken == nullptr) return;
  const stack_t stack = stack_for_ticks();
  filter::call<SYS_sigaltstack>(as_argument(&stack), 0);
}

void take_stack_for_ticks(whose owner, std::size_t bytes) {
  // Valgrind would take the frame that is copied for stray accesses.
  if (!frames_can_be_copied || taken != nullptr || runs_on_valgrind()) return;
  if (owner == whose::first_thread) own = stack_of_first_thread();
  if (owner == whose::other_thread && bytes != 0) own = stack_with_descriptor(bytes);
  stack_t now{};
  if (filter::call<SYS_sigaltstack>(0, as_argument(&now)) != 0) return;
  if ((now.ss_flags & SS_DISABLE) == 0 || (taken = take()) == nullptr) return;
  return_to_stack_for_ticks();
}

void give_back_stack_for_ticks() {
  if (taken == nullptr) return;
  stack_t now{}, none{};
  none.ss_flags = SS_DISABLE;
  // The kernel goes on with it where a filter forbids the call, or a handler runs there.
  if (filter::call<SYS_sigaltstack>(0, as_argument(&now)) != 0) return;
  if (is_for_sender(now) && filter::call<SYS_sigaltstack>(as_argument(&none), 0) != 0) return;
  const std::lock_guard lock(changing);
  taken->next_unused = unused;
  unused = std::exchange(taken, nullptr);
}

bool has_room_on_own_stack(std::uintptr_t stack, std::size_t bytes) {
  return own.bytes == 0 || (stack - own.low < own.bytes && stack - own.low >= bytes);
}

}  // namespace weir::threads
