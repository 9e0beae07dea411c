// How long instructions are, against binutils: those of this program, of the C library and of the mathematical one,
// which has the newest.
#include "threads/polling/decoder.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#if defined(__x86_64__)

namespace {

using weir::threads::begins_in_loop;
using weir::threads::decode;

struct counts {
  unsigned right = 0, unknown = 0;
};

/// Every fourth instruction as objdump has it: "  address:\tbytes \tname".
counts compare(const std::string& object) {
  counts counted;
  FILE* const told =
      popen(("objdump -d --insn-width=16 '" + object + "' 2>/dev/null | grep '^ ' | awk 'NR % 4 == 0'").c_str(), "r");
  char line[512];
  while (told != nullptr && std::fgets(line, sizeof line, told) != nullptr) {
    const char* text = std::strchr(line, '\t');
    const char* const name = text == nullptr ? nullptr : std::strchr(text + 1, '\t');
    // What is no instruction, and `fwait`, which objdump counts to the next one.
    if (name == nullptr || std::strstr(name, "(bad)") != nullptr || std::strncmp(text, "\t9b ", 4) == 0) continue;
    std::vector<unsigned char> bytes;
    unsigned each = 0;
    for (++text; text[0] != ' ' && std::sscanf(text, "%2x", &each) == 1; text += 3)
      bytes.push_back(static_cast<unsigned char>(each));
    const std::size_t size = bytes.size();
    bytes.resize(32, 0x90);
    const auto found = decode(bytes.data(), bytes.size());
    if (found.bytes == 0)
      ++counted.unknown;
    else if (found.bytes == size)
      ++counted.right;
    else
      ADD_FAILURE() << found.bytes << " for " << line;
    if (found.bytes != 0) {
      EXPECT_EQ(decode(bytes.data(), size - 1).bytes, 0u) << line;
      const bool jumps = name[1] == 'j' || std::strncmp(name, "\tloop", 5) == 0;
      EXPECT_EQ(found.jumps, jumps && std::strstr(name, " *") == nullptr) << line;
    }
  }
  if (told != nullptr) pclose(told);
  return counted;
}

std::string object_of(const char* name) {
  void* const library = dlopen(name, RTLD_LAZY);
  link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return name;
  return map->l_name;
}

TEST(Decoder, CountsBytesAsBinutils) {
  for (const std::string& object : {std::string("/proc/self/exe"), object_of("libc.so.6"), object_of("libm.so.6")}) {
    const counts counted =
        compare(object == "/proc/self/exe" ? std::string("/proc/") + std::to_string(getpid()) + "/exe" : object);
    if (counted.right + counted.unknown == 0) GTEST_SKIP() << "no objdump";
    EXPECT_GT(counted.right, 1000u) << object;
    EXPECT_LE(counted.unknown, counted.right / 1000) << object;
  }
}

// Loops, each with a label at its `pause` and behind it.
#define LOOP(name, code)                                          \
  extern "C" const unsigned char name##_pause[], name##_behind[]; \
  asm(".text\n.balign 16\n" code "\nret\n" #name "_end:\n");
#define PAUSE(name) #name "_pause: pause; " #name "_behind: "

LOOP(counts_in_memory, "1: " PAUSE(counts_in_memory) "lock addl $1, (%rsi); cmpl $0, (%rdi); je 1b")
LOOP(tries_a_lock, "jmp 2f; 1: " PAUSE(tries_a_lock) "nop; 2: mov $1, %eax; xchg %eax, (%rdi); test %eax, %eax; jne 1b")
LOOP(calls_in_between,
     "1: call *8(%rdi); test %al, %al; jne 3f; " PAUSE(calls_in_between) "vmovups (%rsi), %ymm0; jmp 1b; 3: ")
LOOP(far_jumps,
     "1: cmpl $0, (%rdi); .byte 0x0f, 0x85; .long 3f - . - 4; " PAUSE(far_jumps) ".byte 0xe9; .long 1b - . - 4; 3: ")
// The last two bytes of another instruction.
LOOP(constant,
     "1: .byte 0xb8, 0x00, 0x00; constant_pause: .byte 0xf3, 0x90; constant_behind: cmpl %eax, (%rdi); jne 1b")
// Nothing leads there again.
LOOP(left, PAUSE(left) "cmpl $0, (%rdi)")

#define CHECK_LOOP(name, so)                                                                                           \
  EXPECT_EQ(                                                                                                           \
      begins_in_loop(reinterpret_cast<std::uintptr_t>(name##_pause), reinterpret_cast<std::uintptr_t>(name##_behind)), \
      so)                                                                                                              \
      << #name

TEST(Decoder, APauseIsProvenByTheLoopThatLeadsThere) {
  CHECK_LOOP(counts_in_memory, true);
  CHECK_LOOP(tries_a_lock, true);
  CHECK_LOOP(calls_in_between, true);
  CHECK_LOOP(far_jumps, true);
  CHECK_LOOP(constant, false);
  CHECK_LOOP(left, false);
  EXPECT_FALSE(begins_in_loop(64, 66));
}

}  // namespace

#endif
