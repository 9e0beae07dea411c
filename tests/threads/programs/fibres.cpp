// Fibres whose stacks have no room for a signal's frame, in threads of the program: no tick comes to them, and the program sees
// no alternate stack that it has not set. The fibres compute, or poll; the page below each stack may not be written. x86-64.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

constexpr std::size_t page = 4096;

#define CHECK(...)                                                                        \
  do {                                                                                    \
    if (!(__VA_ARGS__)) {                                                                 \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__), std::abort(); \
    }                                                                                     \
  } while (false)

extern "C" void switch_to(void** save, void* to);
asm(R"(
.text
.globl switch_to
switch_to:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

struct fibre {
  char* stack = nullptr;
  void *at = nullptr, *back = nullptr;
  ucontext_t context{}, caller{};
  bool ended = false;
  bool own_switch = false;

  void leave() {
    if (own_switch)
      switch_to(&at, back);
    else
      swapcontext(&context, &caller);
  }
  void enter() {
    if (own_switch)
      switch_to(&back, at);
    else
      swapcontext(&caller, &context);
  }
};
thread_local fibre* present;
thread_local volatile std::uint64_t sum;
std::atomic<unsigned> turn{0};
std::atomic<bool> is_over{false};
std::atomic<unsigned> turns{0};
std::atomic<bool> polls{false};

// Little of the stack is used. A turn is another thread's mostly, which polls or computes meanwhile.
[[gnu::noinline]] void run_fibre() {
  fibre& current = *present;
  while (!is_over.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 100'000; ++i) sum = sum + static_cast<unsigned>(i);
    if (polls.load(std::memory_order_relaxed)) {
      const unsigned now = turn.load(std::memory_order_relaxed);
      for (int i = 0; i < 10'000 && turn.load(std::memory_order_relaxed) == now && !is_over.load(std::memory_order_relaxed); ++i)
        __builtin_ia32_pause();
      turn.store(now + 1, std::memory_order_relaxed);
    }
    turns.fetch_add(1, std::memory_order_relaxed);
    current.leave();
  }
  current.ended = true;
  current.leave();
  std::abort();
}

void make(fibre& made, bool own_switch) {
  made.own_switch = own_switch;
  made.stack = static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) + page;
  CHECK(mprotect(made.stack - page, page, PROT_NONE) == 0);
  if (own_switch) {
    auto* top = reinterpret_cast<void**>(made.stack + page) - 2;
    *--top = reinterpret_cast<void*>(run_fibre);
    top -= 6;
    std::memset(top, 0, 6 * sizeof(void*));
    made.at = top;
    return;
  }
  CHECK(getcontext(&made.context) == 0);
  made.context.uc_stack.ss_sp = made.stack;
  made.context.uc_stack.ss_size = page;
  made.context.uc_link = nullptr;
  makecontext(&made.context, run_fibre, 0);
}

thread_local volatile std::uintptr_t handled_at;
void handler(int) {
  volatile char here = 0;
  handled_at = reinterpret_cast<std::uintptr_t>(&here);
}

/// As in a plain program: no alternate stack, and a handler that asks for one runs on the thread's.
void look_at_alternate_stack() {
  volatile char here = 0;
  stack_t stack{};
  CHECK(sigaltstack(nullptr, &stack) == 0 && stack.ss_flags == SS_DISABLE && stack.ss_size == 0);
  raise(SIGUSR1);
  const auto distance = reinterpret_cast<std::uintptr_t>(&here) - handled_at;
  CHECK(distance < 64 * 1024);
  CHECK(sigaltstack(nullptr, &stack) == 0 && stack.ss_flags == SS_DISABLE);
}

void run(bool own_switch) {
  look_at_alternate_stack();
  std::vector<fibre> fibres(3);
  for (auto& each : fibres) make(each, own_switch);
  for (std::size_t ended = 0; ended < fibres.size();)
    for (auto& each : fibres) {
      if (each.ended) continue;
      present = &each;
      each.enter();
      ended += each.ended;
      sched_yield();
    }
  for (auto& each : fibres) munmap(each.stack - page, 2 * page);
  look_at_alternate_stack();
}

/// By the C library's functions, or by a few instructions.
void run_threads(bool own_switch, bool they_poll) {
  polls.store(they_poll);
  is_over.store(false);
  turns.store(0);
  const unsigned threads = 2 * std::thread::hardware_concurrency() + 2;
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) running.emplace_back(run, own_switch);
  while (turns.load(std::memory_order_relaxed) < 150 * threads) usleep(1000);  // some hundred milliseconds: many ticks
  is_over.store(true);
  for (auto& each : running) each.join();
}

}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  for (const bool own_switch : {false, true})
    for (const bool they_poll : {false, true}) run_threads(own_switch, they_poll);
  std::puts("ok");
}
