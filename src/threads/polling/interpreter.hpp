// Executes instructions of x86-64 in a body's place: the few that compilers use in loops that poll (polling.hpp).
#pragma once

#include <cstdint>

namespace weir::threads {

/// What a program sees of a processor between two instructions.
struct registers {
  std::uint64_t all[16] = {};  // rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, ...: as instructions number them
  std::uint64_t flags = 0;     // as in EFLAGS
  std::uintptr_t code = 0;     // the next instruction
};

/// Carry, parity, adjust, zero, sign, overflow.
inline constexpr std::uint64_t arithmetic_flags = 1 | 4 | 16 | 64 | 128 | 2048;

/// What has been read, and where. `bytes`: 1, 2, 4 or 8.
struct load {
  std::uintptr_t at = 0;
  std::uint64_t value = 0;
  unsigned bytes = 0;
};

/// The registers that instructions have used, as bits, and the memory.
struct usage {
  static constexpr unsigned kept_loads = 8;
  std::uint32_t written = 0, read_first = 0;  // before it has been written
  std::uint32_t changed = 0;                  // other than by counting
  std::uint32_t in_address = 0;
  std::uint64_t flags_written = 0;  // as in EFLAGS
  bool flags_read_first = false;
  bool reads_time = false;
  bool counts = false;            // an iteration leaves another value in a register that the next one reads
  bool depends_on_place = false;  // a jump, or an address relative to the code
  unsigned loads = 0;
  load first_loads[kept_loads];
};

/// Executes the next instruction, and adds to `used`, if that is not null. False: it writes memory, calls, or is not one of those that
/// are known here; nothing is changed but `used`.
bool execute(registers& its, usage* used = nullptr);
/// Would it be read again with the same value?
bool is_unchanged(const load& its);

}  // namespace weir::threads
