#include "threads/scheduling/interrupted.hpp"

#include <sys/uio.h>

#include "machine/filter.hpp"
#include "machine/raw_call.hpp"

namespace weir::threads {

constinit found_by calls_are_found = found_by::registers;

#if defined(__x86_64__)

namespace {

constexpr std::uint16_t call = 0x050f;  // `syscall`
constexpr greg_t call_bytes = 2;

[[gnu::constructor]] void when_loaded() {
  constexpr long mark = 1;
  long number = SYS_getpid, kept = mark;
  asm volatile("syscall" : "+a"(number), "+c"(kept) : : "r11", "memory");
  if (kept == mark) calls_are_found = found_by::code;
}

/// Code may be for execution only, and what lies before it may not be there: then it counts as none.
bool is_call(greg_t code) {
  std::uint16_t text = 0;
  const iovec to{&text, sizeof text}, from{reinterpret_cast<void*>(code), sizeof text};
  const long read = filter::call<SYS_process_vm_readv>(raw_call(SYS_getpid), as_argument(&to), 1, as_argument(&from), 1);
  return read == sizeof text && text == call;
}

}  // namespace

bool is_behind_system_call(const ucontext_t& in, found_by how) {
  const auto& now = in.uc_mcontext.gregs;
  return how == found_by::registers ? now[REG_RCX] == now[REG_RIP] : is_call(now[REG_RIP] - call_bytes);
}
bool is_before_system_call(const ucontext_t& in, found_by how) {
  const auto& now = in.uc_mcontext.gregs;
  return how == found_by::registers ? now[REG_RCX] == now[REG_RIP] + call_bytes : is_call(now[REG_RIP]);
}

#else

bool is_behind_system_call(const ucontext_t&, found_by) { return false; }
bool is_before_system_call(const ucontext_t&, found_by) { return false; }

#endif

}  // namespace weir::threads
