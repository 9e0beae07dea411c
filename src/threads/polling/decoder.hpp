// How long the instructions of x86-64 are, and where they lead. Nothing is said of what they do: interpreter.hpp knows
// a few.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::threads {

struct decoded {
  unsigned bytes = 0;         // 0: it is not known
  bool goes_on = true;        // the next instruction may follow. A call returns
  bool jumps = false;         // it may go on at a place that it names
  std::int32_t distance = 0;  // of that place from the next instruction
};
/// The instruction that begins there.
decoded decode(const unsigned char* code, std::size_t most_bytes);

/// Does an instruction begin at `at`, as one does at `code`, in a loop that leads from there to `at`? False: it may
/// not. The code need not be readable. Async-signal-safe.
bool begins_in_loop(std::uintptr_t at, std::uintptr_t code);

}  // namespace weir::threads
