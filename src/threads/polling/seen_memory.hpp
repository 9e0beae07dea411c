// What a handler reads of the program's memory: code around an instruction, and words.
//
// Another thread may unmap, protect or free that memory meanwhile, and a program may load where nothing is because it handles the
// fault. So the system reads it, and says where it cannot. No load of Weir's faults, and no handler of the program is called for
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::threads {

/// False: not all of it can be read. Async-signal-safe.
bool copy_by_system(void* to, std::uintptr_t from, std::size_t bytes);

/// On x86-64. Async-signal-safe.
class seen_memory {
 public:
  static constexpr std::uintptr_t farthest = 256;  // code: from the instruction in the middle
  static constexpr unsigned longest = 15;          // instruction
  /// Each word is read once. A loop that polls reads few, and each of them is a system call.
  static constexpr unsigned most_words = 12;

  /// Copies the code. A jump that takes an instruction's place (trampolines.hpp) is seen whole, or not at all: instructions that
  /// a jump replaces lie in one page, of which the system sees the old one or the new one.
  explicit seen_memory(std::uintptr_t middle);
  /// The copy of what begins there; nothing, if that is too far away, or could not be read.
  std::span<const std::uint8_t> code_at(std::uintptr_t at) const;
  /// Of 1, 2, 4 or 8 bytes. False: nothing can be read there, or that would be one word too many.
  bool read(std::uintptr_t at, unsigned bytes, std::uint64_t& to);

  struct word {
    std::uintptr_t at;
    std::uint64_t value;
    unsigned bytes;
  };
  std::span<const word> words() const { return {words_, known_}; }

 private:
  bool reads(std::uintptr_t first, std::uintptr_t last);

  word words_[most_words];
  unsigned known_ = 0;
  std::uintptr_t begin_ = 0;             // what the first byte of the room is a copy of
  std::uintptr_t first_ = 0, last_ = 0;  // of the code that could be read
  std::uint8_t code_[2 * farthest + longest];
};

}  // namespace weir::threads
