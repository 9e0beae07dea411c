// Each member's alternate stack is its own, and whatever runs on it is left alone until it has ended.
#include "team.hpp"

namespace {

constexpr std::size_t size = 64 * 1024;
thread_local char* own_stack;
thread_local volatile int handled;

bool on_own_stack(const void* address) { return address >= own_stack && address < own_stack + size; }

unsigned char byte_of(std::size_t i, int depth) { return static_cast<unsigned char>(i * 7 + unsigned(member_here + depth)); }

/// Lasts 30 ms on its stack, in frames that it looks at.
[[gnu::noinline]] int fill(int depth) {
  volatile unsigned char frame[512];
  for (std::size_t i = 0; i < sizeof frame; ++i) frame[i] = byte_of(i, depth);
  if (depth > 0) fill(depth - 1);
  else compute(0.03);
  int wrong_ones = 0;
  for (std::size_t i = 0; i < sizeof frame; ++i) wrong_ones += frame[i] != byte_of(i, depth);
  CHECK(wrong_ones == 0);
  return wrong_ones;
}

void long_one(int) {
  int here = 0;
  CHECK(on_own_stack(&here));
  stack_t stack;
  CHECK(sigaltstack(nullptr, &stack) == 0 && stack.ss_sp == own_stack && stack.ss_flags == SS_ONSTACK);
  fill(8);
  CHECK(on_own_stack(&here));
  handled = handled + 1;
}
void short_one(int) {
  int here = 0;
  CHECK(on_own_stack(&here));
  handled = handled + 1;
}

template <class Run>
void team_on_stacks(Run run) {
  std::vector<char> memory(size * static_cast<std::size_t>(members));
  stack_t before, after;
  CHECK(sigaltstack(nullptr, &before) == 0);
  team([&](int me) {
    stack_t old;
    CHECK(sigaltstack(nullptr, &old) == 0);
    own_stack = memory.data() + size * static_cast<std::size_t>(me);
    stack_t stack{};
    stack.ss_sp = own_stack;
    stack.ss_size = size;
    CHECK(sigaltstack(&stack, nullptr) == 0);
    handled = 0;
    run(me);
    meet();
    CHECK(sigaltstack(&old, &stack) == 0);
    CHECK(stack.ss_sp == own_stack && stack.ss_size == size && stack.ss_flags == 0);
  });
  CHECK(sigaltstack(nullptr, &after) == 0);
  CHECK(after.ss_sp == before.ss_sp && after.ss_size == before.ss_size && after.ss_flags == before.ss_flags);
}

void is_the_members_own() {
  team_on_stacks([](int me) {
    for (int i = 0; i < 20; ++i) {
      if (i % members == me) compute(0.02);
      meet();
      stack_t stack;
      CHECK(sigaltstack(nullptr, &stack) == 0 && stack.ss_sp == own_stack && stack.ss_size == size && stack.ss_flags == 0);
    }
  });
}

void handlers_that_compute_for_long() {
  handle(SIGUSR1, long_one, SA_ONSTACK | SA_RESTART);
  team_on_stacks([](int) {
    for (int i = 1; i <= 3; ++i) {
      raise(SIGUSR1);
      CHECK(handled == i);
      if (i != 2) meet();
    }
  });
}

void short_handlers_often() {
  handle(SIGUSR1, short_one, SA_ONSTACK | SA_RESTART);
  team_on_stacks([](int) {
    for (int i = 1; i <= 20'000; ++i) {
      raise(SIGUSR1);
      if (handled != i) return CHECK(handled == i);
    }
  });
}

// A member that overflows its stack says so on the alternate one, as programs do that report where they have crashed.
void an_overflow_is_reported() {
  struct overflow {
    static int deeper(volatile char* last) {
      volatile char frame[1024];
      frame[0] = 1;
      return *last == 0 ? 0 : deeper(frame) + frame[0];
    }
  };
  const pid_t child = fork();
  if (child == 0) {
    handle(SIGSEGV, [](int) {
      int here = 0;
      _exit(on_own_stack(&here) && member_here == 1 ? 42 : 1);
    }, SA_ONSTACK);
    team_on_stacks([](int me) {
      meet();
      volatile char first = 1;
      if (me == 1) overflow::deeper(&first);
      meet();
    });
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

}  // namespace

int main() {
  subject("is the member's own", is_the_members_own);
  subject("handlers that compute for long", handlers_that_compute_for_long);
  subject("short handlers, often", short_handlers_often);
  subject("an overflow is reported", an_overflow_is_reported);
  return verdict();
}
