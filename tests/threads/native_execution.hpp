// One instruction, executed by the processor that runs the test: with all registers, rsp too, and wherever it leads.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

#include "threads/polling/interpreter.hpp"

// Loads the registers and the flags, and jumps to the instruction; the exit stores what it has left. `mov` changes no flags.
extern "C" {
weir::threads::registers native_state;
std::uint64_t native_stack;
void native_entry();
void native_exit();
}
asm(R"(
.macro native_moves loads
  .set native_at, 0
  .irp name, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    .if \loads
      mov native_state+native_at(%rip), %\name
    .else
      mov %\name, native_state+native_at(%rip)
    .endif
    .set native_at, native_at+8
  .endr
.endm
.text
native_entry:
  push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15
  mov %rsp, native_stack(%rip)
  pushq native_state+128(%rip)
  popfq
  native_moves 1
  jmp *native_state+136(%rip)
native_exit:
  native_moves 0
  mov native_stack(%rip), %rsp
  pushfq
  popq native_state+128(%rip)
  pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx
  ret
)");

/// A place for the instruction amid traps, and data, in the lower 2 GB: addresses of each kind reach them.
class native_execution {
 public:
  using registers = weir::threads::registers;
  static constexpr std::size_t code_bytes = 1 << 16, data_bytes = 1 << 12, longest = 15;

  native_execution() {
    constexpr int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT;
    void* const mapping = mmap(nullptr, code_bytes + data_bytes, PROT_READ | PROT_WRITE, how, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping, code_bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) std::abort();
    code_ = static_cast<std::uint8_t*>(mapping);
    std::memset(code_, trap, code_bytes);
    *reinterpret_cast<void (**)()>(code_) = native_exit;
    const stack_t stack{stack_, 0, sizeof stack_};
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < std::size(faults); ++i) sigaction(faults[i], &action, &before_[i]);
  }
  native_execution(const native_execution&) = delete;
  ~native_execution() {
    for (std::size_t i = 0; i < std::size(faults); ++i) sigaction(faults[i], &before_[i], nullptr);
    const stack_t none{nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
    munmap(code_, code_bytes + data_bytes);
  }

  std::uintptr_t place() const { return reinterpret_cast<std::uintptr_t>(code_ + code_bytes / 2); }
  std::uint8_t* data() const { return code_ + code_bytes; }
  bool is_data(std::uintptr_t at, unsigned bytes) const { return at - at_data() <= data_bytes - bytes; }
  std::uintptr_t at_data() const { return reinterpret_cast<std::uintptr_t>(data()); }
  /// Can an instruction of this number of bytes lead there, and be found to do so?
  bool is_exit(std::uintptr_t next, std::size_t bytes) const {
    const bool overlaps = next + exit_bytes > place() && next < place() + bytes;
    return !overlaps && next - at_code() >= sizeof(void*) && next - at_code() <= code_bytes - exit_bytes;
  }
  void put(const std::vector<std::uint8_t>& text) const { std::memcpy(code_ + code_bytes / 2, text.data(), text.size()); }
  void remove(std::size_t bytes = longest) const { std::memset(code_ + code_bytes / 2, trap, bytes); }

  /// The registers after the instruction at place(). `exit`: if it leads there, it does so without a signal, which is fast; 0: a
  /// trap tells exactly where it leads.
  registers executed(const registers& from, std::uintptr_t exit) const {
    auto* const jump = reinterpret_cast<std::uint8_t*>(exit);
    if (exit != 0) {
      const auto distance = static_cast<std::int32_t>(code_ - (jump + exit_bytes));  // jmp *distance(%rip)
      jump[0] = 0xff, jump[1] = 0x25;
      std::memcpy(jump + 2, &distance, sizeof distance);
    }
    native_state = from;
    led_to_ = exit;
    is_native_ = true;
    native_entry();
    is_native_ = false;
    if (exit != 0) std::memset(jump, trap, exit_bytes);
    registers state = native_state;
    state.code = led_to_;
    return state;
  }
 private:
  static constexpr int trap = 0xcc;
  static constexpr std::size_t exit_bytes = 6;
  static constexpr int faults[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGILL};

  std::uintptr_t at_code() const { return reinterpret_cast<std::uintptr_t>(code_); }
  static void on_fault(int signal, siginfo_t*, void* context) {
    if (!is_native_) std::abort();  // a fault of Weir's own
    auto& code = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    led_to_ = static_cast<std::uintptr_t>(code) - (signal == SIGTRAP ? 1 : 0);
    code = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&native_exit));
  }

  inline static volatile bool is_native_ = false;
  inline static volatile std::uintptr_t led_to_ = 0;
  std::uint8_t* code_;
  struct sigaction before_[std::size(faults)];
  alignas(16) char stack_[1 << 16];
};
