// Threads with an alternate signal stack of their own, as all threads of a Rust program: they are members like others, their
// handlers run on their own stacks, and so do those of others while a handler waits.
#include "threads.hpp"

#include "../../openmp/driving_thread.h"

namespace {

constexpr std::size_t size = 64 * 1024;
constexpr int rounds = 200;

/// The calling thread has it, and gives it back as the library of a programming language does: it unmaps what the system tells
/// it.
class signal_stack {
 public:
  signal_stack() : memory_(size) {
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = size;
    CHECK(sigaltstack(&stack, &before_) == 0);
  }
  signal_stack(const signal_stack&) = delete;
  ~signal_stack() {
    CHECK(is_in_force(0));
    stack_t now;
    CHECK(sigaltstack(&before_, &now) == 0 && now.ss_sp == memory_.data() && now.ss_size == size);
  }
  bool is_in_force(int flags) const {
    stack_t now;
    return sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_.data() && now.ss_size == size && now.ss_flags == flags;
  }
  bool has(const void* address) const { return address >= memory_.data() && address < memory_.data() + size; }

 private:
  std::vector<char> memory_;
  stack_t before_{};
};

thread_local const signal_stack* own_stack = nullptr;
thread_local int handled = 0;
std::atomic<int> members_seen{0};
constinit pthread_barrier_t all_are_there{};

/// Other threads run meanwhile, and their handlers.
void yield_on_own_stack(int) {
  volatile int here[64];
  for (int& each : const_cast<int(&)[64]>(here)) each = gettid();
  if (own_stack == nullptr || !own_stack->has(const_cast<int*>(here)) || !own_stack->is_in_force(SS_ONSTACK)) return;
  for (int i = 0; i < 3; ++i) sched_yield();
  for (const int& each : const_cast<int(&)[64]>(here))
    if (each != gettid()) return;
  if (own_stack->is_in_force(SS_ONSTACK)) ++handled;
}
void handle_on_stacks() {
  struct sigaction how {};
  how.sa_handler = yield_on_own_stack;
  how.sa_flags = SA_ONSTACK | SA_RESTART;
  CHECK(sigaction(SIGUSR1, &how, nullptr) == 0);
  pthread_barrier_init(&all_are_there, nullptr, static_cast<unsigned>(members));
}

void meet_and_handle(const signal_stack& alternate) {
  own_stack = &alternate;
  bool is_member = false;
  for (int i = 0; i < rounds; ++i) {
    pthread_barrier_wait(&all_are_there);
    is_member = is_member || driving_thread() != gettid();
    CHECK(alternate.is_in_force(0));
    if (i % 4 == 0) CHECK(raise(SIGUSR1) == 0);
  }
  CHECK(handled == rounds / 4);
  members_seen += is_member ? 1 : 0;
  own_stack = nullptr;
}

/// From their first instruction on.
void from_the_beginning() {
  handle_on_stacks();
  team([](int) {
    const signal_stack alternate;
    meet_and_handle(alternate);
  });
  // One that gets its stack where another thread drives it stays in the kernel, in a team of OpenMP.
  if (threads_are == "threads" && std::getenv("WEIR_THREADS") == std::string("all")) CHECK(members_seen == members);
}

/// Once they are members already.
void later() {
  handle_on_stacks();
  team([](int) {
    for (int i = 0; i < rounds; ++i) pthread_barrier_wait(&all_are_there);
    for (int i = 0; i < 3; ++i) {
      const signal_stack alternate;
      handled = 0;
      meet_and_handle(alternate);
    }
  });
  if (threads_are == "threads" && std::getenv("WEIR_THREADS") == std::string("all")) CHECK(members_seen == 3 * members);
}

/// A handler of a thread without a stack of its own runs on the usual one, also where others have one.
void of_some() {
  handle_on_stacks();
  team([](int me) {
    if (me % 2 == 0) {
      const signal_stack alternate;
      meet_and_handle(alternate);
      return;
    }
    for (int i = 0; i < rounds; ++i) {
      pthread_barrier_wait(&all_are_there);
      stack_t now;
      CHECK(sigaltstack(nullptr, &now) == 0 && now.ss_flags == SS_DISABLE);
    }
  });
}

const subject subjects[] = {{"from the beginning", from_the_beginning}, {"later", later}, {"of some", of_some}};

}  // namespace

int main() { return run_all(subjects); }
