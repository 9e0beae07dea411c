#include "openmp/memory/allocators.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

#include <sys/mman.h>

#include "openmp/settings/initial.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/teams/team.hpp"
#include "system/made_once.hpp"

namespace weir::openmp {

namespace {

// The numbers are those of omp.h.
enum key : int { sync_hint = 1, alignment_key, access, pool_size, fallback, fb_data, pinned, partition };
enum value : std::uintptr_t {
  no = 0, yes, contended = 3, uncontended, serialized, private_, all_threads, thread, pteam, cgroup,
  default_mem_fb, null_fb, abort_fb, allocator_fb, environment, nearest, blocked, interleaved
};
constexpr auto by_default = ~std::uintptr_t{0};
constexpr allocator_handle most_predefined = 1024;  // those of the specification and of compilers

struct pool {
  std::size_t alignment = alignof(std::max_align_t);
  std::size_t most = std::numeric_limits<std::size_t>::max();
  value fall_back = default_mem_fb;
  allocator_handle instead = default_mem_alloc;
  bool locked = false;
  std::atomic<std::size_t> used{0};

  // relaxed: the number alone matters.
  bool take(std::size_t bytes) {
    std::size_t before = used.load(std::memory_order_relaxed);
    do {
      if (bytes > most || before > most - bytes) return false;
    } while (!used.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::size_t bytes) { used.fetch_sub(bytes, std::memory_order_relaxed); }
};

pool* made(allocator_handle h) { return h <= most_predefined ? nullptr : reinterpret_cast<pool*>(h); }

bool set(pool& p, key k, std::uintptr_t v) {
  if (v == by_default) return true;
  const auto within = [v](value from, value to) { return v >= from && v <= to; };
  switch (k) {
    // All memory here fulfils these traits, or they are hints.
    case sync_hint: return within(contended, private_);
    case access: return within(all_threads, cgroup);
    case partition: return within(environment, interleaved);
    case alignment_key: p.alignment = std::max(p.alignment, v); return std::has_single_bit(v);
    case pool_size: p.most = v; return v > 0;
    case fallback: p.fall_back = static_cast<value>(v); return within(default_mem_fb, allocator_fb);
    case fb_data: p.instead = v; return true;
    case pinned: p.locked = v == yes; return within(no, yes);
  }
  return false;
}

// ---- blocks: each has a header in front of it

struct header {
  void* memory;
  std::size_t memory_bytes;  // of locked pages; else 0
  std::size_t bytes;
  allocator_handle of;
};

header& header_of(void* block) { return *(static_cast<header*>(block) - 1); }

void* locked_pages(std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (mlock(pages, bytes) == 0) return pages;
  munmap(pages, bytes);
  return nullptr;
}

void* block(std::size_t alignment, std::size_t bytes, allocator_handle of, bool locked, content with) {
  const std::size_t more = sizeof(header) + alignment;
  if (bytes > std::numeric_limits<std::size_t>::max() - more) return nullptr;
  void* const memory = locked                   ? locked_pages(bytes + more)
                     : with == content::zeros ? std::calloc(1, bytes + more)
                                              : std::malloc(bytes + more);
  if (memory == nullptr) return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(memory) + sizeof(header);
  void* const result = reinterpret_cast<void*>((first + alignment - 1) / alignment * alignment);
  header_of(result) = {memory, locked ? bytes + more : 0, bytes, of};
  return result;
}

void* from_pool(std::size_t alignment, std::size_t bytes, pool& p, content with) {
  alignment = std::max(alignment, p.alignment);
  if (p.take(bytes)) {
    if (void* const memory = block(alignment, bytes, reinterpret_cast<allocator_handle>(&p), p.locked, with)) return memory;
    p.give_back(bytes);
  }
  switch (p.fall_back) {
    case abort_fb: stop("an allocator has no %zu bytes, and its fallback is abort_fb", bytes);
    case allocator_fb: return allocate(alignment, bytes, p.instead, with);
    case default_mem_fb: return block(alignment, bytes, default_mem_alloc, false, with);
    default: return nullptr;
  }
}

/// Frees a block without giving its bytes back to its pool.
void free_block(const header& block_header) {
  if (block_header.memory_bytes != 0)
    munmap(block_header.memory, block_header.memory_bytes);
  else
    std::free(block_header.memory);
}

void* moved(void* old, void* now, std::size_t bytes) {
  if (now != nullptr) std::memcpy(now, old, std::min(bytes, header_of(old).bytes));
  return now;
}

/// Within the pool that the block is from: the pool must have room for the difference, not for both blocks.
void* resized(void* old, std::size_t bytes, pool& p) {
  const header block_header = header_of(old);
  if (bytes > block_header.bytes && !p.take(bytes - block_header.bytes)) return nullptr;
  void* const now = moved(old, block(p.alignment, bytes, block_header.of, p.locked, content::any), bytes);
  if (now == nullptr) {
    if (bytes > block_header.bytes) p.give_back(bytes - block_header.bytes);
    return nullptr;
  }
  if (bytes < block_header.bytes) p.give_back(block_header.bytes - bytes);
  free_block(block_header);
  return now;
}

// ---- the allocator of the environment

std::uintptr_t number_of(std::string_view name, std::initializer_list<std::string_view> names, std::uintptr_t first) {
  return first + static_cast<std::uintptr_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

allocator_handle predefined(std::string_view name) {
  return number_of(name,
                   {"omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc", "omp_high_bw_mem_alloc",
                    "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc", "omp_pteam_mem_alloc", "omp_thread_mem_alloc"},
                   default_mem_alloc);
}

allocator_trait trait_of(const std::string& name, const std::string& text) {
  const int k = static_cast<int>(number_of(
      name, {"sync_hint", "alignment", "access", "pool_size", "fallback", "fb_data", "pinned", "partition"}, sync_hint));
  if (k == alignment_key || k == pool_size) return {k, std::strtoull(text.c_str(), nullptr, 0)};
  if (k == fb_data) return {k, predefined(text)};
  if (k == pinned) return {k, number_of(text, {"false", "true"}, no)};
  return {k, number_of(text,
                       {"contended", "uncontended", "serialized", "private", "all", "thread", "pteam", "cgroup",
                        "default_mem_fb", "null_fb", "abort_fb", "allocator_fb", "environment", "nearest", "blocked",
                        "interleaved"},
                       contended)};
}

allocator_handle of_environment() {
  static constinit made_once<allocator_handle> default_allocator;
  return default_allocator([] {
    const allocator& a = initial_settings().default_allocator;
    if (a.name.ends_with("_alloc")) return predefined(a.name);
    std::vector<allocator_trait> traits;
    for (const auto& [name, text] : a.traits) traits.push_back(trait_of(name, text));
    return make_allocator(static_cast<int>(traits.size()), traits.data());
  });
}

}  // namespace

allocator_handle make_allocator(int count, const allocator_trait* traits) {
  auto p = std::make_unique<pool>();
  for (int i = 0; i < count; ++i)
    if (!set(*p, static_cast<key>(traits[i].key), traits[i].value)) return null_allocator;
  return reinterpret_cast<allocator_handle>(p.release());
}

void destroy_allocator(allocator_handle h) { delete made(h); }

allocator_handle default_allocator() {
  const allocator_handle set = self().icv.allocator;
  return set != null_allocator ? set : of_environment();
}
void set_default_allocator(allocator_handle h) { own_control(self()).allocator = h != null_allocator ? h : default_mem_alloc; }

void* allocate(std::size_t alignment, std::size_t bytes, allocator_handle from, content with) {
  if (bytes == 0 || !std::has_single_bit(alignment)) return nullptr;
  if (from == null_allocator) from = default_allocator();
  alignment = std::max(alignment, alignof(std::max_align_t));
  if (pool* const p = made(from)) return from_pool(alignment, bytes, *p, with);
  return block(alignment, bytes, from, false, with);
}

void* allocate(std::size_t alignment, std::size_t count, std::size_t bytes, allocator_handle from) {
  std::size_t product;
  if (__builtin_mul_overflow(count, bytes, &product)) return nullptr;
  return allocate(alignment, product, from, content::zeros);
}

void* reallocate(void* old, std::size_t bytes, allocator_handle from, allocator_handle of_old) {
  if (old == nullptr) return allocate(1, bytes, from);
  if (bytes == 0) {
    release(old);
    return nullptr;
  }
  if (from == null_allocator) from = of_old != null_allocator ? of_old : header_of(old).of;
  if (pool* const p = made(from); p != nullptr && from == header_of(old).of)
    if (void* const now = resized(old, bytes, *p)) return now;
  void* const now = moved(old, allocate(1, bytes, from), bytes);
  if (now != nullptr) release(old);
  return now;
}

void release(void* memory) {
  if (memory == nullptr) return;
  const header block_header = header_of(memory);
  if (pool* const p = made(block_header.of)) p->give_back(block_header.bytes);
  free_block(block_header);
}

}  // namespace weir::openmp
