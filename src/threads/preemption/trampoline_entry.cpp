// Where trampolines lead. This file is compiled for the general registers alone: the others hold the interrupted function's
// values, and are kept only where the body yields.
#include "threads/preemption/trampoline_entry.hpp"

#include <atomic>
#include <cstddef>
#include <utility>

#include <signal.h>

#include <weir/machine/native.hpp>

#include "system/errno_kept.hpp"
#include "system/raw_call.hpp"
#include "threads/polling/interpreter.hpp"
#include "threads/polling/trampolines.hpp"
#include "threads/preemption/above.hpp"
#include "threads/scheduling/in_handler.hpp"
#include "threads/scheduling/processor.hpp"
#include "threads/support/floating_point.hpp"

#if defined(__x86_64__)

#include <cpuid.h>

// The frame is a `registers`: the return address of the trampoline's call, in whose place the next instruction is written, the
// flags, and the registers in the reverse order of their numbers. The interrupted function's stack ends 128 bytes above it.
// Unwinders see the frame of a signal.
//
// All registers that functions may change are kept before other bodies run. xgetbv says which of the vectors are in use. To store
// and load these vectors takes 20 ns, where xsavec and xrstor take 160. But only xsavec keeps the registers of x87. Their stack
// is empty if fxam finds no value at its top; fxam must not run while an exception of x87 is pending, so the status word is
// tested first. The switch keeps the rest of x87's state.
asm(R"(
.pushsection .text
.macro weir_push register
  pushq %\register
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset \register, 0
.endm
.macro weir_pop register
  popq %\register
  .cfi_adjust_cfa_offset -8
  .cfi_restore \register
.endm
.macro weir_move_vectors move, kind, bytes, how
  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  .ifc \how,store
  \move %\kind\n, \n*\bytes(%rsp)
  .else
  \move \n*\bytes(%rsp), %\kind\n
  .endif
  .endr
.endm
# The first sixteen, with those of their upper parts that are in use (r13b); afterwards the code goes on at 5, forwards.
.macro weir_vectors_0 how
  testb $0x44, %r13b
  jne 3f
  .ifc \how,load
  vzeroupper
  .endif
  weir_move_vectors movaps, xmm, 16, \how
  jmp 5f
3:
  cmpl $512, weir_vector_bits(%rip)
  je 4f
  weir_move_vectors vmovaps, ymm, 32, \how
  jmp 5f
4:
  weir_move_vectors vmovaps, zmm, 64, \how
5:
.endm
.macro weir_vectors_16 how
  .irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  .ifc \how,store
  vmovaps %zmm\n, \n*64(%rsp)
  .endif
  .ifc \how,load
  vmovaps \n*64(%rsp), %zmm\n
  .endif
  .ifc \how,zero
  vpxorq %zmm\n, %zmm\n, %zmm\n
  .endif
  .endr
.endm
.macro weir_masks how
  .irp n,0,1,2,3,4,5,6,7
  .ifc \how,store
  kmovq %k\n, 2048+\n*8(%rsp)
  .endif
  .ifc \how,load
  kmovq 2048+\n*8(%rsp), %k\n
  .endif
  .ifc \how,zero
  kxorq %k\n, %k\n, %k\n
  .endif
  .endr
.endm
.globl weir_trampoline
.hidden weir_trampoline
.type weir_trampoline, @function
.p2align 4
weir_trampoline:
  .cfi_startproc
  .cfi_signal_frame
  .cfi_def_cfa rsp, 136
  .cfi_offset rip, -136
  pushfq
  .cfi_adjust_cfa_offset 8
  .irp register,r15,r14,r13,r12,r11,r10,r9,r8,rdi,rsi,rbp
  weir_push \register
  .endr
  pushq %rsp
  .cfi_adjust_cfa_offset 8
  .irp register,rbx,rdx,rcx,rax
  weir_push \register
  .endr
  cld
  movq 136(%rsp), %rsi
  movq (%rsi), %rsi
  movq (%rsi), %rax
  movq %rax, 136(%rsp)
  leaq 272(%rsp), %rax
  movq %rax, 32(%rsp)
  movq %rsp, %rdi
  movq %rsp, %rbx
  movq %rsi, %r12
  .cfi_def_cfa_register rbx
  andq $-64, %rsp
  call weir_yields_here
  testb %al, %al
  jne 1f
  pause
2:
  .cfi_remember_state
  movq %rbx, %rsp
  .cfi_def_cfa_register rsp
  .irp register,rax,rcx,rdx,rbx
  weir_pop \register
  .endr
  leaq 8(%rsp), %rsp
  .cfi_adjust_cfa_offset -8
  .irp register,rbp,rsi,rdi,r8,r9,r10,r11,r12,r13,r14,r15
  weir_pop \register
  .endr
  popfq
  .cfi_adjust_cfa_offset -8
  ret $128
1:
  .cfi_restore_state
  subq weir_kept_bytes(%rip), %rsp
  cmpl $0, weir_vector_bits(%rip)
  je 9f
  movl $1, %ecx
  xgetbv
  movl %eax, %r13d
  testb $1, %al
  je 7f
  fnstsw %ax
  testb $0x80, %al
  jne 9f
  fxam
  fnstsw %ax
  andw $0x4500, %ax
  cmpw $0x4100, %ax
  jne 9f
7:
  weir_vectors_0 store
  cmpl $512, weir_vector_bits(%rip)
  jne 6f
  testb $0x80, %r13b
  je 7f
  weir_vectors_16 store
7:
  testb $0x20, %r13b
  je 6f
  weir_masks store
6:
  movq %rbx, %rdi
  movq %r12, %rsi
  call weir_yield_here
  cmpl $512, weir_vector_bits(%rip)
  jne 6f
  testb $0x80, %r13b
  jne 7f
  weir_vectors_16 zero
  jmp 8f
7:
  weir_vectors_16 load
8:
  testb $0x20, %r13b
  jne 7f
  weir_masks zero
  jmp 6f
7:
  weir_masks load
6:
  weir_vectors_0 load
  jmp 2b
9:
  .irp n,512,520,528,536,544,552,560,568
  movq $0, \n(%rsp)
  .endr
  movl weir_kept_parts(%rip), %eax
  xorl %edx, %edx
  xsavec (%rsp)
  fninit
  ldmxcsr weir_usual_mxcsr(%rip)
  movq %rbx, %rdi
  movq %r12, %rsi
  call weir_yield_here
  movl weir_kept_parts(%rip), %eax
  xorl %edx, %edx
  xrstor (%rsp)
  jmp 2b
  .cfi_endproc
.size weir_trampoline, . - weir_trampoline
.popsection
.pushsection .rodata
.p2align 2
weir_usual_mxcsr:
  .long 0x1f80
.popsection
)");

namespace weir::threads {

extern "C" {
/// The parts of a processor's state that a trampoline keeps, and how many bytes they take; 0: the processor cannot.
[[gnu::visibility("hidden")]] constinit std::uint32_t weir_kept_parts = 0;
[[gnu::visibility("hidden")]] constinit std::uint64_t weir_kept_bytes = 0;
/// The length of the vectors that are kept one by one where the registers of x87 are empty; 0: the processor does not tell that.
[[gnu::visibility("hidden")]] constinit std::uint32_t weir_vector_bits = 0;
}

namespace {
/// x87, SSE, AVX and AVX-512 [Intel SDM, 1 13.1 to 13.4].
constexpr std::uint32_t wanted = 0xe7;
/// Protection keys belong to the kernel thread, where tiles may be used there are no members, and no kernel of today lets
/// programs use bounds. What else a processor has, such as the registers of APX, a trampoline would lose.
constexpr bool are_known(std::uint64_t parts) {
  constexpr std::uint64_t bounds = 0x18, keys = 0x200, tiles = 0x60000;
  return (parts & ~(wanted | bounds | keys | tiles)) == 0;
}
static_assert(are_known(0x602e7) && !are_known(std::uint64_t{1} << 19) && !are_known(std::uint64_t{1} << 62));

void ask_for_parts() {
  constexpr std::uint32_t legacy = 512, header = 64, has_os_support = 1u << 27, has_compact = 2, tells_use = 4;
  std::uint32_t a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & has_os_support) == 0) return;
  if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d) == 0 || (a & has_compact) == 0) return;
  std::uint32_t enabled, upper;
  asm volatile("xgetbv" : "=a"(enabled), "=d"(upper) : "c"(0));
  if (!are_known(std::uint64_t{upper} << 32 | enabled)) return;
  const bool is_told = (a & tells_use) != 0;
  enabled &= wanted;
  std::uint32_t bytes = legacy + header;
  for (unsigned part = 2; part < 8; ++part) {
    if ((enabled >> part & 1) == 0) continue;
    __cpuid_count(0xd, part, a, b, c, d);
    if ((c & 2) != 0) bytes = (bytes + 63) / 64 * 64;
    bytes += a;
  }
  weir_kept_bytes = (bytes + 63) / 64 * 64;
  weir_kept_parts = enabled;
  if (!is_told) return;
  constexpr std::uint32_t has_512 = 1u << 16, has_masks_of_64 = 1u << 30;
  if (enabled == wanted && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & has_512) != 0 && (b & has_masks_of_64) != 0)
    weir_vector_bits = 512;
  else if (enabled == 7)
    weir_vector_bits = 256;
}

enum class parts { not_asked, asked_for, known };
constinit std::atomic<parts> known_parts{parts::not_asked};

static_assert(offsetof(registers, flags) == 128 && offsetof(registers, code) == 136 && offsetof(trampoline, at) == 0);

// All in ticks, of which processors have two to four in a nanosecond. What a body waits for may come from another processor at
// once: then a switch would cost more than it wins. So the body pauses for a moment before it yields, unless its last waits have
// all been longer; and after many of those, once more. Where no other body is ready, one of another processor may be.
constexpr std::uint32_t most_patience = 600, yields_between_tries = 16;
constexpr std::uint64_t before_stealing = 15'000;
// Two pauses with a longer time between them belong to two waits.
constexpr std::uint64_t between_waits = 3'000;
// A body that comes back so soon still waits.
constexpr std::uint64_t at_once = 200;

/// Also in one without a stub.
bool is_in_handler(const body& me) {
  if (handlers_running == 0 && all_handlers_count.load(std::memory_order_relaxed)) return false;
  return this_body == nullptr || looks_for_handler(me);
}
}  // namespace

extern "C" [[gnu::visibility("hidden")]] void weir_trampoline();

// In a virtual machine an answer of the processor takes 4 us: most programs never need it.
trampoline_code trampoline_entry() {
  // acquire: the answers. relaxed: nothing goes with the claim.
  parts now = known_parts.load(std::memory_order_acquire);
  if (now == parts::not_asked && known_parts.compare_exchange_strong(now, parts::asked_for, std::memory_order_relaxed)) {
    ask_for_parts();
    known_parts.store(now = parts::known, std::memory_order_release);  // release: the answers
  }
  // Another thread is asking, which this one may have interrupted: no for now, since a handler must not wait.
  return now == parts::known && weir_kept_bytes != 0 ? weir_trampoline : nullptr;
}

extern "C" {

constexpr std::size_t room_to_yield = 8192;  // the registers take up to 2.7 KiB
/// Does the thread yield, if it is a member, or may become one? If not, it goes on at `go_on`.
[[gnu::visibility("hidden"), gnu::used]] bool weir_yields_here(registers& saved, const trampoline& at) {
  const auto yields = [&at, &saved] {
    body* const attached = this_body;
    body* const me = attached != nullptr ? attached : own_body_of_thread();
    // One that may be cancelled anywhere must not be cancelled here.
    if (me == nullptr || me->is_calling() || me->is_pinned_for_good()) return false;
    // On the stack of a fibre there may be no room for the registers.
    if (!has_room_on_own_stack(reinterpret_cast<std::uintptr_t>(&saved), room_to_yield)) return false;
    if (attached != nullptr && attached->held.load(std::memory_order_relaxed) != 0) return false;
    auto& wait = me->wait;
    const std::uint64_t now = native::ticks();
    // A thread that comes to another instruction than a `pause` may not wait, unless it was there just before.
    const bool may_wait = at.does_nothing() || (wait.at == &at && now - wait.paused_at < at_once);
    wait.at = &at;
    if (now - wait.paused_at > between_waits) {
      if (!std::exchange(wait.has_yielded, false)) wait.patience = most_patience;
      wait.since = now;
    }
    wait.paused_at = now;
    // A handler may have detached the body meanwhile.
    const processor* const on = attached != nullptr ? attached->where() : nullptr;
    return may_wait && now - wait.since >= (on != nullptr && on->has_ready() ? wait.patience : before_stealing);
  };
  if (yields()) return true;
  saved.code = at.go_on.load(std::memory_order_relaxed);
  return false;
}

[[gnu::visibility("hidden"), gnu::used]] void weir_yield_here(registers& saved, const trampoline& at) {
  body* const found = this_body != nullptr ? this_body : own_body_of_thread();
  if (found == nullptr) {  // a handler has given the thread's processor away meanwhile
    saved.code = at.go_on.load(std::memory_order_relaxed);
    return;
  }
  body& me = *found;
  me.count_waits();
  auto& wait = me.wait;
  const errno_kept around;
  wait.patience = ++wait.yields % yields_between_tries == 0 ? most_patience : wait.patience / 2;
  wait.has_yielded = true;
  if (!is_in_handler(me) && attach_to_wait()) {
    const without_preemption to_the_end(&me);
    if (this_body != nullptr) {
      processor& on = *me.where();
      on.jumped.store(on.jumped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      on.yield_in_loop(me);
    }
  }
  wait.since = wait.paused_at = native::ticks();
  saved.code = at.go_on.load(std::memory_order_relaxed);  // not before: unwinders know the loop, but no stub
}

}  // extern "C"

}  // namespace weir::threads

#else

namespace weir::threads {
trampoline_code trampoline_entry() { return nullptr; }
}  // namespace weir::threads

#endif
