// What instructions of x86-64 would do: the few that compilers use in loops that poll (polling.hpp).
#pragma once

#include <cstdint>

namespace weir::threads {

class seen_memory;

/// What a program sees of a processor between two instructions.
struct registers {
  std::uint64_t general[16] = {};  // rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, ...: as instructions number them
  std::uint64_t flags = 0;     // as in EFLAGS
  std::uintptr_t code = 0;     // the next instruction
};

/// Carry, parity, adjust, zero, sign, overflow.
inline constexpr std::uint64_t arithmetic_flags = 1 | 4 | 16 | 64 | 128 | 2048;

/// The registers that instructions have used, as bits, and the memory.
struct usage {
  std::uint32_t written = 0, read_first = 0;  // before it has been written
  std::uint32_t changed = 0;                  // other than by counting
  std::uint32_t in_address = 0;
  std::uint64_t flags_written = 0;  // as in EFLAGS
  bool flags_read_first = false;
  bool jumps = false;
  unsigned distance_at = 0;  // where the last instruction has a distance from its end to the memory that it reads; 0: nowhere
  unsigned loads = 0;
};

/// Executes the next instruction, and adds to `used`, if that is not null. False: it writes memory, calls, is not one of those
/// that are known here, or would fault; nothing is changed but `used`.
bool execute(registers& state, seen_memory& memory, usage* used = nullptr);

}  // namespace weir::threads
