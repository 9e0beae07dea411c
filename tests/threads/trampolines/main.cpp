// Trampolines in loops by which threads wait: what a thread has in its registers stays there, whoever runs meanwhile, and wherever the
// loop is.
//
// usage: LD_PRELOAD=Weir's library WEIR_THREADS=all threads-trampolines LIBRARY
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <execinfo.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using flag = std::atomic<int>;
struct two_flags {
  flag first{0}, second{0};
};

extern "C" {
int keeps(const two_flags*);
int keeps_x87(const two_flags*);
long has_no_pause(const flag*);
void does_more(const flag*);
void has_nops(const flag*);
void ends_page(const flag*);
void has_no_place(const flag*);
extern const char keeps_first_pause[], keeps_second_pause[], keeps_x87_first_pause[], keeps_end[], ends_page_pause[], has_no_place_pause[],
    does_more_pause[], has_nops_first[], has_no_pause_first[];
}

namespace {

constexpr unsigned char jump = 0xe9, pause = 0xf3;
const unsigned threads = 4 * std::thread::hardware_concurrency();

unsigned char first_byte(const char* code) { return static_cast<unsigned char>(*const_cast<const volatile char*>(code)); }

void fail(const char* what) {
  std::puts(what);
  std::fflush(stdout);
  std::_Exit(1);
}

/// As many threads as `threads`, each of which waits for the one before it, a number of times.
void in_turn(unsigned rounds, const std::function<void(const two_flags&)>& wait) {
  std::vector<two_flags> may(threads * rounds + 1);
  const auto let = [](two_flags& its) {
    its.first.store(1);
    sched_yield();
    its.second.store(1);
  };
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (unsigned r = 0; r < rounds; ++r) {
        wait(may[r * threads + t]);
        let(may[r * threads + t + 1]);
      }
    });
  let(may[0]);
  for (std::thread& each : all) each.join();
}

/// Until the `pause` at that place has been replaced, and for a while then.
void until_placed(const char* what, const char* at, const std::function<void(const two_flags&)>& wait) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (first_byte(at) != jump) {
    if (std::chrono::steady_clock::now() > end) fail(what);
    in_turn(50, wait);
  }
  in_turn(500, wait);
}

void keeps_registers(const two_flags& its) {
  if (keeps(&its) != 0) fail("registers differ");
}

void keeps_registers_of_x87(const two_flags& its) {
  if (keeps_x87(&its) != 0) fail("registers of x87 differ");
}

// ---- vectors

extern "C" const char upper_pause[], no_upper_pause[], uppermost_pause[];

[[gnu::target("avx"), gnu::noinline]] void keeps_upper(const two_flags& its) {
  const double mine = static_cast<double>(reinterpret_cast<std::uintptr_t>(&its));
  register __m256d kept asm("ymm7") = _mm256_set_pd(mine, mine + 1, mine + 2, mine + 3);
  const __m256d before = kept;
  asm volatile(".p2align 4; upper_pause: pause; nop; nop; nop; cmpl $0, (%1); je upper_pause" : "+x"(kept) : "r"(&its.first) : "memory", "cc");
  const __m256d after = kept;
  if (std::memcmp(&after, &before, sizeof after) != 0) fail("an upper half differs");
}
/// Uses no upper halves, beside threads that do.
[[gnu::target("avx"), gnu::noinline]] void keeps_no_upper(const two_flags& its) {
  double after[4];
  asm volatile(
      "vzeroupper\n.p2align 4\nno_upper_pause: pause; nop; nop; nop; cmpl $0, (%[its]); je no_upper_pause\nvmovupd %%ymm7, %[after]"
      : [after] "=m"(after)
      : [its] "r"(&its.first)
      : "memory", "cc");
  if (after[2] != 0 || after[3] != 0) fail("an upper half is another thread's");
}

// Also registers that older instructions cannot name, and masks. A thread that leaves the upper halves alone does not get another's.
[[gnu::target("avx512f,avx512bw"), gnu::noinline]] void keeps_uppermost(const two_flags& its) {
  const double mine = static_cast<double>(reinterpret_cast<std::uintptr_t>(&its));
  register __m512d kept asm("zmm9") = _mm512_set_pd(mine, mine + 1, mine + 2, mine + 3, mine + 4, mine + 5, mine + 6, mine + 7);
  register __m512d other asm("zmm21") = _mm512_add_pd(kept, kept);
  const __m512d before = kept, other_before = other;
  const auto mask = static_cast<std::uint64_t>(mine);
  std::uint64_t mask_after = 0;
  asm volatile(
      "kmovq %[mask], %%k3\n.p2align 4\nuppermost_pause: pause; nop; nop; nop; cmpl $0, (%[its]); je uppermost_pause\nkmovq %%k3, %[after]"
      : "+v"(kept), "+v"(other), [after] "=r"(mask_after)
      : [its] "r"(&its.first), [mask] "r"(mask)
      : "memory", "cc", "k3");
  const __m512d after = kept, other_after = other;
  if (std::memcmp(&after, &before, sizeof after) != 0) fail("an upper half of 512 bits differs");
  if (std::memcmp(&other_after, &other_before, sizeof after) != 0) fail("a register above the sixteenth differs");
  if (mask_after != mask) fail("a mask differs");
}

// ---- handlers

bool is_blocked_by_kernel(int signal) {
  std::uint64_t its = 0;
  long result = SYS_rt_sigprocmask;
  register long bytes asm("r10") = sizeof its;
  asm volatile("syscall" : "+a"(result) : "D"(long{SIG_BLOCK}), "S"(0L), "d"(&its), "r"(bytes) : "rcx", "r11", "memory");
  return (its >> (signal - 1) & 1) != 0;
}

/// While a handler polls, its mask is in force for its thread, and for no other. The handler has interrupted no function of the C
/// library. `as_member`: the thread has waited before.
void polls_in_handler(bool as_member) {
  static two_flags handler_may_end;
  static flag others_end, wrong;
  for (auto* const each : {&handler_may_end.first, &handler_may_end.second, &others_end}) each->store(0);
  struct sigaction its {};
  its.sa_flags = SA_SIGINFO;
  its.sa_sigaction = [](int, siginfo_t*, void* context) {
    keeps_registers(handler_may_end);
    if (!is_blocked_by_kernel(SIGUSR2)) wrong.store(1);
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2;
  };
  sigaddset(&its.sa_mask, SIGUSR2);
  sigaction(SIGILL, &its, nullptr);
  std::vector<std::thread> all;
  for (unsigned t = 1; t < threads; ++t)
    all.emplace_back([&] {
      const two_flags never_mind{1, 1};
      while (others_end.load() == 0) {
        keeps_registers(never_mind);
        sched_yield();
        if (is_blocked_by_kernel(SIGUSR2)) wrong.store(1);
      }
    });
  two_flags begins;
  std::thread handles([&] {
    if (as_member) keeps_registers(begins);
    asm volatile("ud2");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  begins.first.store(1);
  begins.second.store(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  handler_may_end.first.store(1);
  handler_may_end.second.store(1);
  handles.join();
  others_end.store(1);
  for (std::thread& each : all) each.join();
  if (wrong.load() != 0) fail("a thread has the mask of a handler, or the handler has not");
}

/// A sampling profiler sees who has called the loop, while a trampoline is in the library.
void is_unwound() {
  static flag seen;
  static const void* library = nullptr;
  Dl_info found;
  dladdr(dlsym(RTLD_DEFAULT, "GOMP_barrier"), &found);
  library = found.dli_fbase;
  void* first[1];
  backtrace(first, 1);  // loads the unwinder
  struct sigaction its {};
  its.sa_flags = SA_SIGINFO | SA_RESTART;
  its.sa_sigaction = [](int, siginfo_t*, void* context) {
    const auto code = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    Dl_info in;
    if (dladdr(reinterpret_cast<void*>(code), &in) == 0 || in.dli_fbase != library) return;
    void* frames[64];
    const int n = backtrace(frames, 64);
    for (int i = 0; i < n; ++i) {
      const char* const at = static_cast<const char*>(frames[i]);
      if (at >= reinterpret_cast<const char*>(keeps) && at < keeps_end) return seen.store(seen.load() + 1);
    }
  };
  sigaction(SIGPROF, &its, nullptr);
  const itimerval often{{0, 1000}, {0, 1000}}, off{};
  setitimer(ITIMER_PROF, &often, nullptr);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (seen.load() < 5 && std::chrono::steady_clock::now() < end) in_turn(200, keeps_registers);
  setitimer(ITIMER_PROF, &off, nullptr);
  if (seen.load() < 5) fail("nobody is seen in a trampoline");
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
    const auto its = reinterpret_cast<int (*)(const two_flags*)>(dlsym(library, "keeps"));
    until_placed("no trampoline in a library", static_cast<const char*>(dlsym(library, "keeps_first_pause")), [its](const two_flags& may) {
      if (its(&may) != 0) fail("registers differ in a library");
    });
    dlclose(library);
  }
}

void stays_as_it_is() {
  std::int32_t distance = 0;
  std::memcpy(reinterpret_cast<char*>(&distance) + 1, has_no_place_pause + 2, 3);
  const auto at = (reinterpret_cast<std::uintptr_t>(has_no_place_pause) + 5 + static_cast<std::uintptr_t>(std::intptr_t{distance})) & ~4095ul;
  void* const taken = mmap(reinterpret_cast<void*>(at), 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (taken != reinterpret_cast<void*>(at)) fail("the place is not free");
  in_turn(20, [](const two_flags& may) { has_no_place(&may.first); });
  in_turn(20, [](const two_flags& may) { ends_page(&may.first); });
  if (first_byte(has_no_place_pause) != pause) fail("a jump leads to a place that is taken");
  if (first_byte(ends_page_pause) != pause) fail("a jump begins in two pages");
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
  for (const bool as_member : {false, true}) polls_in_handler(as_member);
  is_unwound();
  works_in_child();
  works_when_loaded_again(words[1]);
  stays_as_it_is();
  std::puts("ok");
}
