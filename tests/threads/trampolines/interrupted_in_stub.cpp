// A signal that comes in the first instructions of a trampoline finds the thread at the replaced instruction, with the stack
// pointer that it had there. Prints "ok".
//
// usage: threads-interrupted-in-stub LIBRARY (loops.S)
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

#include <dlfcn.h>
#include <ucontext.h>

#include "threads/preemption/trampoline_entry.hpp"

using namespace weir::threads;

namespace {

constexpr unsigned often = 8, jump_bytes = 5;
constexpr greg_t stack = 0x7000'0000;
// lea -128(%rsp), %rsp: by which a stub begins.
constexpr unsigned char lowers_stack[] = {0x48, 0x8d, 0x64, 0x24, 0x80};

bool has_soon(std::uintptr_t code) {
  for (int ms = 0; ms < 60'000 && !has_trampoline(code); ++ms) {
    place_wanted_trampolines();  // again: another thread may have been about to end
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return has_trampoline(code);
}

bool is_found_at(std::uintptr_t at, std::uintptr_t code, greg_t pointer) {
  ucontext_t in{};
  in.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(at);
  in.uc_mcontext.gregs[REG_RSP] = stack;
  leave_stub(in);
  return in.uc_mcontext.gregs[REG_RIP] == static_cast<greg_t>(code) && in.uc_mcontext.gregs[REG_RSP] == pointer;
}

const char* wrong(const char* library) {
  if (trampoline_entry() == nullptr) return nullptr;
  void* const handle = dlopen(library, RTLD_NOW);
  const auto pause = reinterpret_cast<std::uintptr_t>(handle != nullptr ? dlsym(handle, "keeps_first_pause") : nullptr);
  if (pause == 0) return "no library";
  for (unsigned i = 0; i < often; ++i) want_trampoline_at_pause(pause, trampoline_entry());
  if (!has_soon(pause)) return "no trampoline";
  std::int32_t distance = 0;
  std::memcpy(&distance, reinterpret_cast<const char*>(pause) + 1, sizeof distance);
  const std::uintptr_t stub = pause + jump_bytes + static_cast<std::uintptr_t>(std::intptr_t{distance});
  if (replaced_by(stub).at != pause) return "the jump leads elsewhere";
  if (std::memcmp(reinterpret_cast<const void*>(stub), lowers_stack, sizeof lowers_stack) != 0)
    return "the stub begins otherwise";
  if (!is_found_at(stub, pause, stack)) return "before the stack pointer moves";
  if (!is_found_at(stub + sizeof lowers_stack, pause, stack + 128)) return "after the stack pointer has moved";
  if (!is_found_at(pause, pause, stack)) return "outside";
  return nullptr;
}

}  // namespace

int main(int, char** words) {
  const char* const what = wrong(words[1]);
  std::puts(what == nullptr ? "ok" : what);
}
