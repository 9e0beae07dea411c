// A fiber: a function with a stack of its own, which the simulator and the explorer suspend and resume.
//
// It uses Boost.Context's lowest layer. Boost's class `fiber` unwinds an unfinished function by an exception when it is
// destroyed. Here barriers are often abandoned half-way (a schedule that failed, a program that cannot finish), some inside
// noexcept functions, so a fiber that ends early is simply dropped: objects on its stack must not own anything.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace weir::simulator {

/// Memory for many stacks, reserved together; a page is allocated only when it is touched. Each stack ends at a guard page.
class stacks {
 public:
  /// Throws std::bad_alloc if there is no room for them.
  stacks(std::size_t count, std::size_t bytes_each);
  ~stacks();
  stacks(const stacks&) = delete;
  stacks& operator=(const stacks&) = delete;

  void* top(std::size_t index) const { return memory_ + (index + 1) * each_; }
  std::size_t usable_bytes() const { return each_ - page_; }

  /// Clears the first `bytes` of a stack on which a fiber was dropped, before another one starts there.
  void clear(std::size_t index, std::size_t bytes);

 private:
  std::size_t count_, page_, each_;
  char* memory_;
};

class fiber {
 public:
  fiber() = default;
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// `body` starts at the first resume(), on that stack. It must not throw. Starting a fiber again that has not finished drops
  /// its previous body.
  void start(void* stack_top, std::size_t stack_bytes, std::function<void()> body);

  /// Runs the fiber until it suspends itself or its body returns. Called from outside all fibers.
  void resume();

  /// Called inside the fiber: returns to the caller of resume().
  void suspend();

  bool done() const { return done_; }

  /// The lowest address in use on the stack of a suspended fiber, including its saved registers.
  const void* stopped_at() const { return inside_; }

 private:
  static void enter(boost::context::detail::transfer_t from);

  boost::context::detail::fcontext_t inside_ = nullptr;   // where the fiber stopped
  boost::context::detail::fcontext_t outside_ = nullptr;  // the context that resumed it
  std::function<void()> body_;
  bool done_ = true;
  void* stack_top_ = nullptr;
  std::size_t stack_bytes_ = 0;
#if defined(__SANITIZE_ADDRESS__)
  const void* outside_bottom_ = nullptr;
  std::size_t outside_bytes_ = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* watched_ = nullptr;  // the sanitizer's own idea of this fiber
  void* watched_outside_ = nullptr;
#endif
};

inline void fiber::suspend() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, outside_bottom_, outside_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(watched_outside_, 0);
#endif
  outside_ = boost::context::detail::jump_fcontext(outside_, nullptr).fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, &outside_bottom_, &outside_bytes_);
#endif
}

inline void fiber::resume() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, static_cast<char*>(stack_top_) - stack_bytes_, stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  watched_outside_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(watched_, 0);
#endif
  inside_ = boost::context::detail::jump_fcontext(inside_, this).fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

}  // namespace weir::simulator
