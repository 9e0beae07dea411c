// Functions that programs call, and that must not be unwound from any instruction (cancel_type.hpp).
#pragma once

#include "cancel_type.hpp"

// The entry of such a function: threads that may be cancelled anywhere go on at weir_guarded_NAME, others at weir_unguarded_NAME.
// It leaves all arguments and the return address as they are, and can be unwound from each instruction.
#if defined(__x86_64__)
#define WEIR_ENTRY_CODE(name)                     \
  "endbr64\n"                                     \
  "movq weir_is_cancelled@gottpoff(%rip), %r11\n" \
  "cmpb $1, %fs:(%r11)\n"                         \
  "je 1f\n"                                       \
  "jmp weir_unguarded_" #name "\n"                \
  "1: jmpq *weir_guarded_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define WEIR_ENTRY_CODE(name)                          \
  "hint #34\n"                                         \
  "adrp x16, :gottprel:weir_is_cancelled\n"            \
  "ldr x16, [x16, :gottprel_lo12:weir_is_cancelled]\n" \
  "mrs x17, tpidr_el0\n"                               \
  "ldrb w16, [x16, x17]\n"                             \
  "cmp w16, #1\n"                                      \
  "b.eq 1f\n"                                          \
  "b weir_unguarded_" #name "\n"                       \
  "1: adrp x16, weir_guarded_" #name "\n"              \
  "ldr x16, [x16, :lo12:weir_guarded_" #name "]\n"     \
  "br x16\n"
#endif
/// `entry`: the symbol's name. The last: a class with call(), for threads that may be cancelled anywhere.
#define WEIR_ENTRY(entry, result, name, parameters, ...)                                                              \
  extern "C" [[gnu::visibility("hidden"), gnu::used]] result weir_unguarded_##name parameters;                        \
  extern "C" {                                                                                                        \
  [[gnu::visibility("hidden")]] extern result (*const weir_guarded_##name) parameters;                                \
  [[gnu::used]] result (*const weir_guarded_##name) parameters = &__VA_ARGS__::call;                                  \
  }                                                                                                                   \
  asm(".pushsection .text\n.globl " #entry "\n.type " #entry ", %function\n.p2align 4\n" #entry ":\n.cfi_startproc\n" \
      WEIR_ENTRY_CODE(name) ".cfi_endproc\n.size " #entry ", . - " #entry "\n.popsection\n");                         \
  extern "C" result weir_unguarded_##name parameters
/// The function that follows has this name. No thread is cancelled within, but at cancellation points.
#define WEIR_GUARDED(result, name, parameters) WEIR_ENTRY(name, result, name, parameters, weir::deferred<&weir_unguarded_##name>)
