// SPDX-License-Identifier: Apache-2.0
// weir::barrier: the interface and the guarantees of std::barrier (C++20, [thread.barrier]).
//
// A program changes the name and the include, nothing else. Memory: in each phase, all calls of arrive happen before the
// completion function, and the completion function happens before any return of wait. Thread safety: all member functions but the
// destructor may be called concurrently.
#pragma once

#if __cplusplus <= 201703L
#error "Weir needs C++20: compile with -std=c++20"
#else

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <weir/barriers/phased.hpp>
#include <weir/machine/native.hpp>

namespace weir {

namespace detail {
struct no_completion {
  void operator()() noexcept {}
};
/// Are there more members than processors that this process may use?
bool oversubscribed(std::ptrdiff_t members) noexcept;
/// Prints what is wrong and ends the program.
[[noreturn]] void destroyed_in_use(const char* what, unsigned waiting) noexcept;
}  // namespace detail

template <class CompletionFunction = detail::no_completion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<CompletionFunction&>,
                "the completion function of a barrier must be callable without arguments and noexcept");
  using core = barriers::phased<native>;

 public:
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;

   private:
    friend class barrier;
    explicit arrival_token(core::phase p) : phase_(p) {}
    core::phase phase_;
  };

  static constexpr std::ptrdiff_t max() noexcept { return std::numeric_limits<std::int32_t>::max(); }

  /// Throws std::invalid_argument for a negative number of members or one above max().
  constexpr explicit barrier(std::ptrdiff_t expected, CompletionFunction completion = CompletionFunction())
      : completion_(std::move(completion)), core_(valid(expected), oversubscribed(expected)) {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // The destructor is never trivial, and all data members exist in every build: a program may link checked and unchecked object
  // files, and one may delete an array of barriers that the other has created. This destructor and wait() work whichever version
  // the linker takes.
  ~barrier() {
#ifdef WEIR_CHECKED
    // relaxed: a program that destroys a barrier in use is in error whatever order it sees.
    if (const unsigned left = waiting_.load(std::memory_order_relaxed); left != 0)
      detail::destroyed_in_use("weir::barrier", left);
#endif
  }

  /// Precondition: 0 < update <= members that have not arrived in this phase.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t update = 1) {
    assert(update > 0 && update <= max());
    return arrival_token(core_.arrive(static_cast<std::uint32_t>(update), completion_).of);
  }

  /// Precondition: the token is of this phase or of the one just before it.
  void wait(arrival_token&& arrival) const {
#ifdef WEIR_CHECKED
    waiting_.fetch_add(1, std::memory_order_relaxed);
    core_.wait(arrival.phase_);
    waiting_.fetch_sub(1, std::memory_order_relaxed);
#else
    core_.wait(arrival.phase_);
#endif
  }

  void arrive_and_wait() { wait(arrive()); }

  void arrive_and_drop() {
    core_.drop();
    (void)arrive();
  }

 private:
  static constexpr std::uint32_t valid(std::ptrdiff_t expected) {
    if (expected < 0 || expected > max())
      throw std::invalid_argument("weir: a barrier takes 0 to weir::barrier<>::max() members");
    return static_cast<std::uint32_t>(expected);
  }
  // A barrier that is initialised at compile time cannot ask the machine, and assumes that there are enough processors. If there
  // are not, the members spin a little before they yield.
  static constexpr bool oversubscribed(std::ptrdiff_t expected) {
    return std::is_constant_evaluated() ? false : detail::oversubscribed(expected);
  }

  [[no_unique_address]] CompletionFunction completion_;
  [[no_unique_address]] mutable core core_;
  mutable native::word<unsigned> waiting_{0};  // members in wait(), in checked builds only; it lies in the core's padding
};

}  // namespace weir

#endif
