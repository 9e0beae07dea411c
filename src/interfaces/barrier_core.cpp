#include "barrier_core.hpp"

#include <bit>
#include <limits>
#include <new>

#include <weir/barrier.hpp>

namespace weir::interfaces {

namespace {

// Block k holds the cores from 2^k up to 2^(k+1): where a core lies follows from its number.
constexpr unsigned most_blocks = 32;
constinit std::atomic<weir_barrier_core*> blocks[most_blocks] = {};
constinit std::atomic<std::uint32_t> numbered{0};

// A stack: the number of its first core in the low bits, how many have been taken in the high bits. If other threads take the
// first core and give it back between a thread's load and its exchange (ABA), the count differs and the thread tries again.
constinit std::atomic<std::uint64_t> free_cores{0};
constexpr std::uint64_t one_taken = std::uint64_t{1} << 32;

constexpr unsigned block_of(std::uint32_t number) { return static_cast<unsigned>(std::bit_width(number)) - 1; }

weir_barrier_core* place_of(std::uint32_t number) {
  // relaxed: the block was published before any thread could learn the number.
  return blocks[block_of(number)].load(std::memory_order_relaxed) + (number - (1u << block_of(number)));
}

bool has_block(unsigned k) {
  // acquire, here and below: the memory, from the thread that asked for it.
  if (blocks[k].load(std::memory_order_acquire) != nullptr) return true;
  constexpr std::align_val_t alignment{alignof(weir_barrier_core)};
  void* const memory = ::operator new(sizeof(weir_barrier_core) << k, alignment, std::nothrow);
  if (memory == nullptr) return false;
  weir_barrier_core* known = nullptr;
  // release: the memory, for threads that find it.
  if (!blocks[k].compare_exchange_strong(known, static_cast<weir_barrier_core*>(memory), std::memory_order_acq_rel))
    ::operator delete(memory, alignment);
  return true;
}

weir_barrier_core* take_free() {
  // acquire, here and below: the state in which the core was given back, and the number of the next one.
  std::uint64_t first = free_cores.load(std::memory_order_acquire), rest;
  weir_barrier_core* core;
  do {
    const auto number = static_cast<std::uint32_t>(first);
    if (number == 0) return nullptr;
    core = place_of(number);
    // relaxed: it was stored before the core became the first; if another has taken it since, the exchange fails.
    rest = (first - number + one_taken) | core->next_free.load(std::memory_order_relaxed);
  } while (!free_cores.compare_exchange_weak(first, rest, std::memory_order_acquire));
  return core;
}

weir_barrier_core* make(unsigned members, bool oversubscribed) {
  // relaxed: the number alone matters.
  std::uint32_t last = numbered.load(std::memory_order_relaxed);
  do {
    if (last == std::numeric_limits<std::uint32_t>::max() || !has_block(block_of(last + 1))) return nullptr;
  } while (!numbered.compare_exchange_weak(last, last + 1, std::memory_order_relaxed));
  return new (place_of(last + 1)) weir_barrier_core(members, oversubscribed, last + 1);
}

}  // namespace

weir_barrier_core* take_core(unsigned members) noexcept {
  const bool oversubscribed = detail::oversubscribed(members);
  weir_barrier_core* const core = take_free();
  if (core == nullptr) return make(members, oversubscribed);
  core->reuse(members, oversubscribed);
  return core;
}

void give_core_back(weir_barrier_core* core) noexcept {
  // relaxed: only a guess, which the exchange checks.
  std::uint64_t first = free_cores.load(std::memory_order_relaxed), with;
  do {
    // relaxed: published by the exchange.
    core->next_free.store(static_cast<std::uint32_t>(first), std::memory_order_relaxed);
    with = (first & ~(one_taken - 1)) | core->number;
    // release: the state of the core, for the thread that takes it next.
  } while (!free_cores.compare_exchange_weak(first, with, std::memory_order_release, std::memory_order_relaxed));
}

}  // namespace weir::interfaces
