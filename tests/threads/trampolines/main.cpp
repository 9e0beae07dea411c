// Trampolines in loops by which threads wait: what a thread has in its registers stays there, whoever runs meanwhile, and
// wherever the loop is.
//
// usage: LD_PRELOAD=Weir's library WEIR_THREADS=all threads-trampolines LIBRARY
#include <cstdint>
#include <cstring>

#include <dlfcn.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waiting.hpp"

extern "C" {
int keeps_x87(const two_flags*);
void does_more(const flag*);
void has_nops(const flag*);
void has_fence(const flag*);
void has_distance(const flag*);
void ends_page(const flag*);
void has_no_place(const flag*);
long has_two(const flag*);
extern const char has_two_first[], has_two_second[], changed_page[];
extern const char keeps_x87_first_pause[], ends_page_pause[], has_no_place_pause[], does_more_pause[], has_nops_first[];
extern const char has_fence_first[], has_distance_first[];
}

namespace {

void keeps_registers_of_x87(const two_flags& flags) {
  if (keeps_x87(&flags) != 0) fail("registers of x87 differ");
}

// ---- vectors

extern "C" const char upper_pause[], no_upper_pause[], uppermost_pause[];

[[gnu::target("avx"), gnu::noinline]] void keeps_upper(const two_flags& flags) {
  const double value = static_cast<double>(reinterpret_cast<std::uintptr_t>(&flags));
  register __m256d kept asm("ymm7") = _mm256_set_pd(value, value + 1, value + 2, value + 3);
  const __m256d before = kept;
  asm volatile(".p2align 4; upper_pause: pause; nop; nop; nop; cmpl $0, (%1); je upper_pause"
               : "+x"(kept)
               : "r"(&flags.first)
               : "memory", "cc");
  const __m256d after = kept;
  if (std::memcmp(&after, &before, sizeof after) != 0) fail("an upper half differs");
}
/// Uses no upper halves, beside threads that do.
[[gnu::target("avx"), gnu::noinline]] void keeps_no_upper(const two_flags& flags) {
  double after[4];
  asm volatile(
      "vzeroupper\n.p2align 4\nno_upper_pause: pause; nop; nop; nop; cmpl $0, (%[flags]); je no_upper_pause\nvmovupd %%ymm7, "
      "%[after]"
      : [after] "=m"(after)
      : [flags] "r"(&flags.first)
      : "memory", "cc");
  if (after[2] != 0 || after[3] != 0) fail("an upper half is another thread's");
}

// Also registers that older instructions cannot name, and masks. A thread that leaves the upper halves alone does not get
// another's.
[[gnu::target("avx512f,avx512bw"), gnu::noinline]] void keeps_uppermost(const two_flags& flags) {
  const double value = static_cast<double>(reinterpret_cast<std::uintptr_t>(&flags));
  register __m512d kept asm("zmm9") =
      _mm512_set_pd(value, value + 1, value + 2, value + 3, value + 4, value + 5, value + 6, value + 7);
  register __m512d other asm("zmm21") = _mm512_add_pd(kept, kept);
  const __m512d before = kept, other_before = other;
  const auto mask = static_cast<std::uint64_t>(value);
  std::uint64_t mask_after = 0;
  asm volatile(
      "kmovq %[mask], %%k3\n.p2align 4\nuppermost_pause: pause; nop; nop; nop; cmpl $0, (%[flags]); je uppermost_pause\nkmovq "
      "%%k3, %[after]"
      : "+v"(kept), "+v"(other), [after] "=r"(mask_after)
      : [flags] "r"(&flags.first), [mask] "r"(mask)
      : "memory", "cc", "k3");
  const __m512d after = kept, other_after = other;
  if (std::memcmp(&after, &before, sizeof after) != 0) fail("an upper half of 512 bits differs");
  if (std::memcmp(&other_after, &other_before, sizeof after) != 0) fail("a register above the sixteenth differs");
  if (mask_after != mask) fail("a mask differs");
}

// ---- processes, libraries, places

void works_in_child() {
  const pid_t child = fork();
  if (child == 0) {
    two_flags may;
    std::thread other([&] {
      usleep(1000);
      may.first.store(1);
      may.second.store(1);
    });
    keeps_registers(may);
    other.join();
    in_turn(20, keeps_registers);
    std::_Exit(7);
  }
  int how = 0;
  if (waitpid(child, &how, 0) != child || !WIFEXITED(how) || WEXITSTATUS(how) != 7) fail("a child of a fork fails");
}

void works_when_loaded_again(const char* file) {
  for (int i = 0; i < 3; ++i) {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail(dlerror());
    const auto keeps = reinterpret_cast<int (*)(const two_flags*)>(dlsym(library, "keeps"));
    until_placed("no trampoline in a library", static_cast<const char*>(dlsym(library, "keeps_first_pause")),
                 [keeps](const two_flags& may) {
                   if (keeps(&may) != 0) fail("registers differ in a library");
                 });
    dlclose(library);
  }
}

void stays_as_it_is() {
  std::int32_t distance = 0;
  std::memcpy(reinterpret_cast<char*>(&distance) + 1, has_no_place_pause + 2, 3);
  const auto at =
      (reinterpret_cast<std::uintptr_t>(has_no_place_pause) + 5 + static_cast<std::uintptr_t>(std::intptr_t{distance})) & ~4095ul;
  void* const taken =
      mmap(reinterpret_cast<void*>(at), 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (taken != reinterpret_cast<void*>(at)) fail("the place is not free");
  in_turn(20, [](const two_flags& may) { has_no_place(&may.first); });
  in_turn(20, [](const two_flags& may) { ends_page(&may.first); });
  if (first_byte(has_no_place_pause) != pause_code) fail("a jump leads to a place that is taken");
  if (first_byte(ends_page_pause) != pause_code) fail("a jump begins in two pages");
}

/// Loops in a page that somebody has changed stay as they are, and take no other loop's place in the table.
void stays_in_changed_page() {
  constexpr unsigned loops = 40, bytes_of_each = 16;
  auto* const page = const_cast<char*>(changed_page);
  if (mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) fail("the page cannot be changed");
  page[4095] = 0x55;
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  for (unsigned i = 0; i < loops; ++i) {
    const char* const code = page + i * bytes_of_each;
    in_turn(20, [code](const two_flags& may) {
      reinterpret_cast<void (*)(const flag*)>(reinterpret_cast<std::uintptr_t>(code))(&may.first);
    });
    if (first_byte(code) != pause_code) fail("a page that was changed is exchanged");
  }
}

}  // namespace

int main(int, char** words) {
  until_placed("no trampoline", keeps_first_pause, keeps_registers);
  until_placed("no second trampoline", keeps_second_pause, keeps_registers);
  until_placed("no trampoline beside x87", keeps_x87_first_pause, keeps_registers_of_x87);
  if (__builtin_cpu_supports("avx")) {
    until_placed("no trampoline beside AVX", upper_pause, keeps_upper);
    until_placed("no trampoline beside others that use AVX", no_upper_pause, [](const two_flags& may) {
      static std::atomic<unsigned> calls{0};
      calls.fetch_add(1) % 2 == 0 ? keeps_upper(may) : keeps_no_upper(may);
    });
  }
  if (__builtin_cpu_supports("avx512bw")) until_placed("no trampoline beside AVX-512", uppermost_pause, keeps_uppermost);
  until_placed("no trampoline beside a call", does_more_pause, [](const two_flags& may) { does_more(&may.first); });
  until_placed("no trampoline in place of a nop", has_nops_first, [](const two_flags& may) { has_nops(&may.first); });
  until_placed("no trampoline in place of a load", has_no_pause_first, [](const two_flags& may) {
    if (has_no_pause(&may.first) != 1) fail("the replaced instruction has another effect");
  });
  until_placed("no trampoline in place of a fence", has_fence_first, [](const two_flags& may) { has_fence(&may.first); });
  until_placed("no trampoline in place of a load by the code's place", has_distance_first,
               [](const two_flags& may) { has_distance(&may.first); });
  stays_in_changed_page();
  until_placed("no trampoline in place of the first of two", has_two_first, [](const two_flags& may) { has_two(&may.first); });
  if (first_byte(has_two_second) == jump_code) fail("two trampolines in one loop");
  works_in_child();
  works_when_loaded_again(words[1]);
  stays_as_it_is();
  std::puts("ok");
}
