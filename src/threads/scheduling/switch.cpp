#include "threads/scheduling/switch.hpp"

#include "threads/threads.hpp"

#include <atomic>
#include <cstdint>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/raw_call.hpp"
#include "threads/support/thread_checkers.hpp"

extern "C" {
/// Is there an instruction that sets the thread pointer? Else a system call does.
[[gnu::visibility("hidden")]] constinit std::uint8_t weir_sets_thread_pointer = 0;
}

namespace weir::threads {
namespace {
// relaxed: a text that never changes. A team that begins while the reason is being set may still have members.
constinit std::atomic<const char*> reason{nullptr};
// ThreadSanitizer also blocks all signals while a handler runs, including ticks for the members to which the handler has
// switched.
[[gnu::constructor]] void ask_who_watches() {
  if (has_thread_checker())
    refuse_members("ThreadSanitizer, Helgrind, DRD or Callgrind would take several members for one thread");
}

bool may_use_tiles() {
#if defined(__x86_64__)
  // ARCH_GET_XCOMP_PERM, XTILE_DATA, of Linux 5.16 and later.
  std::uint64_t permitted = 0;
  return raw_call(SYS_arch_prctl, 0x1022, as_argument(&permitted)) == 0 && (permitted >> 18 & 1) != 0;
#else
  return false;
#endif
}
}  // namespace

void refuse_members(const char* why) { reason.store(why, std::memory_order_relaxed); }
void tiles_are_permitted() { refuse_members("the program may use tiles (AMX), which are not switched"); }

const char* why_not_any_more() { return reason.load(std::memory_order_relaxed); }

const char* why_not_here() {
  if (may_use_tiles()) tiles_are_permitted();
  return why_not_any_more();
}
}  // namespace weir::threads

#if defined(__x86_64__)

// System V ABI: rbx, rbp, r12 to r15, the x87 control word and the control bits of mxcsr belong to the caller of a function.
// The flags of exceptions, in mxcsr and in the x87 status word (6 bits, 0x3f), belong to the thread. Loading all of this state
// takes longer than the rest of a switch, so each part is loaded only if it differs. Reading the state takes little time after
// wrfsbase, for which a processor completes all earlier instructions. 158, 0x1002: arch_prctl(ARCH_SET_FS).
//
// The x87 control word and flags are loaded together with the environment (fldenv), which takes less time than fldcw. The rest of
// the environment, 28 bytes below the stack, is that of an empty register stack, which every function call has. To clear the
// flags takes less time still. If an unmasked flag is set (bit 7 of the status word), most instructions would trap, in the name
// of another thread, so the flags are cleared first.
asm(R"(
.pushsection .text
.macro weir_save
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  pushq %r12
  .cfi_adjust_cfa_offset 8
  pushq %r13
  .cfi_adjust_cfa_offset 8
  pushq %r14
  .cfi_adjust_cfa_offset 8
  pushq %r15
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq %rsp, (%rdi)
.endm
.macro weir_save_x87_flags frame
  fnstsw %ax
  movl %eax, %ecx
  andl $0x3f, %ecx
  movw %cx, 6(\frame)
.endm
.macro weir_load_x87
  movzwl 4(%rsp), %eax
  movzwl 6(%rsp), %ecx
  movl %eax, -32(%rsp)
  movl %ecx, -28(%rsp)
  movq $0xffff, -24(%rsp)
  movq $0, -16(%rsp)
  movl $0, -8(%rsp)
  fldenv -32(%rsp)
.endm
.macro weir_restore
  ldmxcsr (%rsp)
  fnclex
  weir_load_x87
  weir_restore_integers
.endm
.macro weir_restore_integers
  .cfi_remember_state
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r15
  .cfi_adjust_cfa_offset -8
  popq %r14
  .cfi_adjust_cfa_offset -8
  popq %r13
  .cfi_adjust_cfa_offset -8
  popq %r12
  .cfi_adjust_cfa_offset -8
  popq %rbx
  .cfi_adjust_cfa_offset -8
  popq %rbp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_restore_state
.endm

.globl weir_switch
.hidden weir_switch
.type weir_switch, @function
.p2align 4
weir_switch:
  .cfi_startproc
  endbr64
  weir_save
  movq %rsp, %r8
  movq %rsi, %rsp
  cmpb $0, weir_sets_thread_pointer(%rip)
  je 1f
  wrfsbase %rdx
2:
  stmxcsr (%r8)
  fnstcw 4(%r8)
  movl (%r8), %eax
  cmpl %eax, (%rsp)
  jne 3f
4:
  weir_save_x87_flags %r8
  cmpw %cx, 6(%rsp)
  movzwl 4(%r8), %ecx
  jne 5f
  cmpw %cx, 4(%rsp)
  jne 5f
6:
  weir_restore_integers
3:
  ldmxcsr (%rsp)
  jmp 4b
5:
  testb $0x80, %al
  jne 7f
  cmpw %cx, 4(%rsp)
  jne 8f
  cmpw $0, 6(%rsp)
  jne 8f
  fnclex
  jmp 6b
7:
  fnclex
8:
  weir_load_x87
  jmp 6b
1:
  movl $158, %eax
  movl $0x1002, %edi
  movq %rdx, %rsi
  syscall
  jmp 2b
  .cfi_endproc
.size weir_switch, . - weir_switch

.globl weir_lend
.hidden weir_lend
.type weir_lend, @function
.p2align 4
weir_lend:
  .cfi_startproc
  endbr64
  weir_save
  movq %rcx, %rdi
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  weir_save_x87_flags %rsp
  movq %rsi, %rsp
  .cfi_undefined rip
  call *%rdx
  movq %rax, %rsp
  weir_restore
  .cfi_endproc
.size weir_lend, . - weir_lend
.popsection
)");

namespace weir::threads {

void* thread_pointer() { return __builtin_thread_pointer(); }

void set_thread_pointer(void* to) {
  if (weir_sets_thread_pointer != 0) {
    asm volatile("wrfsbase %0" : : "r"(to) : "memory");
  } else {
    long result = SYS_arch_prctl;
    asm volatile("syscall" : "+a"(result) : "D"(0x1002L), "S"(to) : "rcx", "r11", "memory");
  }
}

namespace {
bool has_shadow_stack() {
  // ARCH_SHSTK_STATUS, of Linux 6.6 and later; earlier ones have no shadow stacks for programs.
  unsigned long features = 0;
  return raw_call(SYS_arch_prctl, 0x5005, as_argument(&features)) == 0 && features != 0;
}

[[gnu::constructor]] void when_loaded() {
  // Linux: bit 1 of AT_HWCAP2 says that programs may execute wrfsbase.
  weir_sets_thread_pointer = (getauxval(AT_HWCAP2) & 2) != 0 ? 1 : 0;
  if (has_shadow_stack()) refuse_members("the program has a shadow stack, which only the kernel may switch");
}
}  // namespace

}  // namespace weir::threads

#elif defined(__aarch64__)

// AAPCS64: x19 to x29, the low halves of v8 to v15 and fpcr belong to the caller of a function, fpsr's flags to the thread.
asm(R"(
.pushsection .text
.macro weir_save
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x9, fpcr
  mrs x10, fpsr
  stp x9, x10, [sp, #160]
  mov x9, sp
  str x9, [x0]
.endm
.macro weir_restore
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x9, x10, [sp, #160]
  msr fpcr, x9
  msr fpsr, x10
  add sp, sp, #176
  ret
.endm

.globl weir_switch
.hidden weir_switch
.type weir_switch, %function
.p2align 4
weir_switch:
  hint #34
  weir_save
  mov sp, x1
  msr tpidr_el0, x2
  weir_restore
.size weir_switch, . - weir_switch

.globl weir_lend
.hidden weir_lend
.type weir_lend, %function
.p2align 4
weir_lend:
  hint #34
  weir_save
  mov sp, x1
  mov x9, x2
  mov x0, x3
  blr x9
  mov sp, x0
  weir_restore
.size weir_lend, . - weir_lend
.popsection
)");

namespace weir::threads {

void* thread_pointer() { return __builtin_thread_pointer(); }
void set_thread_pointer(void* to) { asm volatile("msr tpidr_el0, %0" : : "r"(to) : "memory"); }

namespace {
[[gnu::constructor]] void when_loaded() {
  // PR_GET_SHADOW_STACK_STATUS, of Linux 6.13 and later; bit 0: the thread has one.
  unsigned long status = 0;
  if (prctl(74, &status, 0, 0, 0) == 0 && (status & 1) != 0)
    refuse_members("the program has a shadow stack, which is not switched");
}
}  // namespace

}  // namespace weir::threads

#else

extern "C" {
void weir_switch(void**, void*, void*) { __builtin_trap(); }
void weir_lend(void**, void*, void* (*)(void*), void*) { __builtin_trap(); }
}

namespace weir::threads {

void* thread_pointer() { return nullptr; }
void set_thread_pointer(void*) {}

namespace {
[[gnu::constructor]] void when_loaded() { refuse_members("this processor's registers are not known to Weir"); }
}  // namespace

}  // namespace weir::threads

#endif
