#include "fiber.hpp"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace weir::simulator {

stacks::stacks(std::size_t count, std::size_t bytes_each)
    : count_(count), page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  each_ = (bytes_each + page_ - 1) / page_ * page_ + page_;
  void* memory = mmap(nullptr, count_ * each_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  for (std::size_t i = 0; i < count_; ++i) mprotect(memory_ + i * each_, page_, PROT_NONE);
}

stacks::~stacks() {
#if defined(__SANITIZE_ADDRESS__)
  // Memory that dropped fibers have poisoned must be unpoisoned: the next stacks may have the same addresses.
  __asan_unpoison_memory_region(memory_, count_ * each_);
#endif
  munmap(memory_, count_ * each_);
}

void stacks::clear(std::size_t index, std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(static_cast<char*>(top(index)) - usable_bytes(), usable_bytes());
#endif
  std::memset(static_cast<char*>(top(index)) - bytes, 0, bytes);
}

fiber::~fiber() {
#if defined(__SANITIZE_THREAD__)
  if (watched_ != nullptr) __tsan_destroy_fiber(watched_);
#endif
}

void fiber::start(void* stack_top, std::size_t stack_bytes, std::function<void()> body) {
  body_ = std::move(body);
  done_ = false;
  stack_top_ = stack_top;
  stack_bytes_ = stack_bytes;
  inside_ = boost::context::detail::make_fcontext(stack_top, stack_bytes, enter);
#if defined(__SANITIZE_THREAD__)
  if (watched_ != nullptr) __tsan_destroy_fiber(watched_);
  watched_ = __tsan_create_fiber(0);
#endif
}

void fiber::enter(boost::context::detail::transfer_t from) {
  fiber& self = *static_cast<fiber*>(from.data);
  self.outside_ = from.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self.outside_bottom_, &self.outside_bytes_);
#endif
  self.body_();
  self.done_ = true;
  self.suspend();
  __builtin_unreachable();
}

}  // namespace weir::simulator
