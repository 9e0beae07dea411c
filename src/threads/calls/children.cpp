// Children that the C library's fork() does not make: of clone(), vfork(), _Fork(), and of system calls by number.
//
//   clone3, clone                the child sees                          so its parent
//   with CLONE_VFORK             the thread's own memory, alone          is nobody until it goes on
//   with CLONE_VM alone          the same, beside its parent             is left to the kernel for good
//   with neither                 a copy of it                            is nobody until it goes on; the child stays so
//   with CLONE_SETTLS            memory of its own                       is as before
//
// A function that returns twice cannot call another one, and no function returns on another stack. So vfork() and syscall() are
// in assembly.
#include <cerrno>
#include <cstddef>

#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "threads/calls/children.hpp"
#include "threads/posix/interpose.hpp"
#include "threads/program/program_thread.hpp"

using weir::threads::begin_as_copy;
using weir::threads::leave_for_good;
using weir::threads::restore;
using weir::threads::set_aside;
using weir::threads::standing;

namespace {

bool sees_own_memory(unsigned long flags) { return (flags & (CLONE_VM | CLONE_SETTLS)) == CLONE_VM; }

/// What the child of a clone() with a copy of the memory begins with.
struct work {
  int (*run)(void*);
  void* what;
};
int begin(void* of_child) {
  begin_as_copy();
  const work& does = *static_cast<const work*>(of_child);
  return does.run(does.what);
}

}  // namespace

// The C library declares it without the last parameters, but passes them alike.
INTERPOSE(int, clone, (int (*run)(void*), void* stack, int how, void* what, void* fifth, void* sixth, void* seventh)) {
  const auto flags = static_cast<unsigned long>(how);
  const bool is_copy = (flags & CLONE_VM) == 0, waits = (flags & CLONE_VFORK) != 0;
  auto* const next = next_clone.get();
  if (sees_own_memory(flags) && !waits) leave_for_good();
  if (!is_copy && !(sees_own_memory(flags) && waits)) return next(run, stack, how, what, fifth, sixth, seventh);
  work of_child{run, what};
  const standing before = set_aside(waits);
  const bool begins = is_copy && run != nullptr;
  const int child = next(begins ? begin : run, stack, how, begins ? &of_child : what, fifth, sixth, seventh);
  restore(before);
  return child;
}

// Only C libraries from version 2.34 on have it.
INTERPOSE(pid_t, _Fork, ()) {
  auto* const next = next__Fork.get();
  if (next == nullptr) return errno = ENOSYS, -1;
  const standing before = set_aside(false);
  const pid_t child = next();
  child == 0 ? begin_as_copy() : restore(before);
  return child;
}

// ---- by number

NEXT_FUNCTION(long, syscall, (long, long, long, long, long, long, long))

long weir::threads::make_copy(const long number, const long (&a)[6]) {
  const standing before = set_aside(false);
  const long child = next_syscall.get()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  child == 0 ? begin_as_copy() : restore(before);
  return child;
}

/// Does the call make a child that shares memory? Then nothing may follow it, and this is the function to jump to. Else null.
extern "C" [[gnu::visibility("hidden"), gnu::used]] auto* weir_expect_child(long number, unsigned long first) {
  const auto flags_of = [&] {
    if (number == SYS_clone) return first;
    if (number == SYS_clone3)
      return first != 0 ? static_cast<unsigned long>(reinterpret_cast<const clone_args*>(first)->flags) : 0;
    return static_cast<unsigned long>(CLONE_VM | CLONE_VFORK);
  };
  const unsigned long flags = flags_of();
  if (sees_own_memory(flags)) weir::deferred<leave_for_good>::call_if_needed();
  return (flags & CLONE_VM) != 0 ? next_syscall.get() : nullptr;
}

#if defined(__x86_64__)
static_assert(SYS_clone == 56 && SYS_vfork == 58 && SYS_clone3 == 435);
asm(R"(
.pushsection .text
.globl syscall
.type syscall, @function
syscall:
  .cfi_startproc
  endbr64
  cmpl $56, %edi
  je 1f
  cmpl $58, %edi
  je 1f
  cmpl $435, %edi
  jne weir_syscall
1:
  subq $56, %rsp
  .cfi_adjust_cfa_offset 56
  movq %rdi, (%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  call weir_expect_child
  movq (%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  addq $56, %rsp
  .cfi_adjust_cfa_offset -56
  testq %rax, %rax
  je weir_syscall
  jmp *%rax
  .cfi_endproc
.size syscall, . - syscall
.popsection
)");
#elif defined(__aarch64__)
static_assert(SYS_clone == 220 && SYS_clone3 == 435);
asm(R"(
.pushsection .text
.globl syscall
.type syscall, %function
syscall:
  hint #34
  cmp w0, #220
  b.eq 1f
  cmp w0, #435
  b.ne weir_syscall
1:
  stp x29, x30, [sp, #-80]!
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  str x6, [sp, #64]
  bl weir_expect_child
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldr x6, [sp, #64]
  ldp x29, x30, [sp], #80
  cbz x16, weir_syscall
  br x16
.size syscall, . - syscall
.popsection
)");
#endif

// ---- vfork()

NEXT_FUNCTION(pid_t, vfork, ())

namespace {
// What the caller must not keep on its stack, which the child uses first. The child of a vfork() may call it, too.
struct waits_for_child {
  void* returns_to;
  standing before;
  weir::cancelled where;  // meanwhile only at cancellation points
  pid_t by;
};
constexpr unsigned most_nested = 8;
constinit thread_local waits_for_child waiting[most_nested + 1] = {};
constinit thread_local unsigned nested = 0;
constinit thread_local bool can_be_cancelled_again = false;
pid_t fails() { return errno = EAGAIN, -1; }
}  // namespace

extern "C" {
/// The function to call in place of the C library's. The caller returns to `returns_to` in the end.
[[gnu::visibility("hidden"), gnu::used]] auto* weir_before_vfork(void* returns_to) {
  const weir::cancelled where = weir::weir_is_cancelled.load(std::memory_order_relaxed);
  if (where == weir::cancelled::anywhere) weir::defer_cancellation();
  const bool fits = nested < most_nested;
  waits_for_child& place = waiting[nested++];  // taken first: a handler may call vfork() meanwhile
  place = {returns_to, set_aside(fits), where, getpid()};
  return fits ? next_vfork.get() : &fails;
}
/// In the child and in the parent. Returns where it goes on.
[[gnu::visibility("hidden"), gnu::used]] void* weir_after_vfork(pid_t result) {
  // A child that has been killed while its own child lived has not taken its place back.
  if (result != 0)
    for (const pid_t me = getpid(); nested > 1 && waiting[nested - 1].by != me;) --nested;
  const waits_for_child waited = waiting[nested - 1];
  void* const returns_to = waited.returns_to;
  if (result != 0) {
    --nested;
    restore(waited.before);
    can_be_cancelled_again = waited.where == weir::cancelled::anywhere;
  }
  return returns_to;
}
/// In the parent, once the stack is as it was: the thread may end here.
[[gnu::visibility("hidden"), gnu::used]] void weir_end_vfork() {
  if (can_be_cancelled_again) can_be_cancelled_again = false, weir::let_be_cancelled();
}
}

#if defined(__x86_64__)
asm(R"(
.pushsection .text
.globl vfork
.type vfork, @function
vfork:
  .cfi_startproc
  endbr64
  movq (%rsp), %rdi
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call weir_before_vfork
  addq $16, %rsp
  .cfi_adjust_cfa_offset -16
  call *%rax
  pushq %rax
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movl %eax, %edi
  call weir_after_vfork
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  pushq %rax
  .cfi_adjust_cfa_offset 8
  movq %rcx, %rax
  testl %eax, %eax
  je 1f
  pushq %rax
  .cfi_adjust_cfa_offset 8
  call weir_end_vfork
  popq %rax
  .cfi_adjust_cfa_offset -8
1:
  ret
  .cfi_endproc
.size vfork, . - vfork
.popsection
)");
#elif defined(__aarch64__)
asm(R"(
.pushsection .text
.globl vfork
.type vfork, %function
vfork:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-16]!
  mov x0, x30
  bl weir_before_vfork
  ldp x29, x30, [sp], #16
  blr x0
  str x0, [sp, #-16]!
  bl weir_after_vfork
  mov x30, x0
  ldr x0, [sp], #16
  cbz w0, 1f
  stp x0, x30, [sp, #-16]!
  .cfi_adjust_cfa_offset 16
  .cfi_offset x30, -8
  bl weir_end_vfork
  ldp x0, x30, [sp], #16
  .cfi_adjust_cfa_offset -16
  .cfi_restore x30
1:
  ret
  .cfi_endproc
.size vfork, . - vfork
.popsection
)");
#endif
