// Tells Valgrind about the stacks. Otherwise Valgrind takes a jump of the stack pointer for many calls or returns, and all
// between for dead, or for uninitialised. It finds out by itself where the stacks of threads are. A jump from one stack that it
// knows to another changes nothing of what it knows of their memory, provided that no stack lies in another one.
#pragma once

#include <cstdint>
#include <utility>

namespace weir::threads {

/// [Valgrind's manual, "The Client Request mechanism"]: a sequence of instructions that does nothing elsewhere. x86-64 alone.
inline std::uintptr_t ask_valgrind([[maybe_unused]] std::uintptr_t request, [[maybe_unused]] std::uintptr_t one = 0,
                                   [[maybe_unused]] std::uintptr_t two = 0) {
  std::uintptr_t answer = 0;
#if defined(__x86_64__)
  const volatile std::uintptr_t asked[6] = {request, one, two, 0, 0, 0};
  asm volatile("rolq $3, %%rdi\n rolq $13, %%rdi\n rolq $61, %%rdi\n rolq $51, %%rdi\n xchgq %%rbx, %%rbx"
               : "=d"(answer)
               : "a"(&asked[0]), "0"(answer)
               : "cc", "memory");
#endif
  return answer;
}

inline bool runs_on_valgrind() { return ask_valgrind(0x1001) != 0; }

/// In its lifetime Valgrind knows the stack from `begin` to before `end`, if that is any.
class known_stack {
 public:
  known_stack() = default;
  known_stack(const void* begin, const void* end) {
    if (begin == end) return;
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    number_ = ask_valgrind(register_stack, first, reinterpret_cast<std::uintptr_t>(end) - 1);
  }
  known_stack(const known_stack&) = delete;
  known_stack& operator=(known_stack&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  /// For good.
  void stays() { number_ = 0; }
  ~known_stack() {
    if (number_ != 0) ask_valgrind(deregister_stack, number_);
  }

 private:
  static constexpr std::uintptr_t register_stack = 0x1501, deregister_stack = 0x1502;
  std::uintptr_t number_ = 0;
};

}  // namespace weir::threads
