#include "arena.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace weir::explorer {

namespace {

// All arenas are in one range of addresses, so that operator delete can tell quickly whether an address belongs to one.
constexpr std::size_t each = std::size_t{4} << 20;
constexpr std::size_t most = 1024;

struct range {
  char* begin = nullptr;
  bool taken[most] = {};
};
range arenas;
thread_local arena* in_force = nullptr;

}  // namespace

arena::arena() {
  if (arenas.begin == nullptr) {
    void* memory = mmap(nullptr, each * most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    arenas.begin = static_cast<char*>(memory);
  }
  for (std::size_t i = 0; i < most; ++i)
    if (!arenas.taken[i]) {
      arenas.taken[i] = true;
      memory_ = arenas.begin + i * each;
      return;
    }
  throw std::bad_alloc();
}

arena::~arena() {
  madvise(memory_, each, MADV_DONTNEED);
  arenas.taken[static_cast<std::size_t>(memory_ - arenas.begin) / each] = false;
}

arena::in_use::in_use(arena* a) : before_(in_force) { in_force = a; }
arena::in_use::~in_use() { in_force = before_; }

arena* arena::current() { return in_force; }

bool arena::owns(const void* address) {
  const auto* a = static_cast<const char*>(address);
  return arenas.begin != nullptr && a >= arenas.begin && a < arenas.begin + each * most;
}

void arena::restore() {
  used_ = image_.size();
  std::memcpy(memory_, image_.data(), used_);
}

void* arena::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
  if (begin + bytes > each) throw std::bad_alloc();
  // Zeros, so that comparisons do not depend on earlier contents.
  std::memset(memory_ + used_, 0, begin + bytes - used_);
  used_ = begin + bytes;
  return memory_ + begin;
}

namespace {

void* take(std::size_t bytes, std::size_t alignment) {
  if (arena* a = arena::current()) return a->allocate(bytes, alignment);
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes == 0 ? 1 : bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give(void* memory) noexcept {
  if (!arena::owns(memory)) std::free(memory);
}

}  // namespace
}  // namespace weir::explorer

// The program's own operator new and delete. The default array forms would call these, but a sanitizer's would not.
namespace {
using weir::explorer::give;
using weir::explorer::take;
constexpr std::size_t usual = alignof(std::max_align_t);
std::size_t bytes_of(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }
}  // namespace

void* operator new(std::size_t bytes) { return take(bytes, usual); }
void* operator new[](std::size_t bytes) { return take(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return take(bytes, bytes_of(alignment)); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return take(bytes, bytes_of(alignment)); }
void operator delete(void* memory) noexcept { give(memory); }
void operator delete[](void* memory) noexcept { give(memory); }
void operator delete(void* memory, std::size_t) noexcept { give(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give(memory); }
