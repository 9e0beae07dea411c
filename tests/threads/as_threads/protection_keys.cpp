// What a thread may do with the memory of a protection key is its own.
//
// Where the processor has no keys, a handler executes the two instructions for the kernel thread that has met them: then it is
// found whose register they change, not what that means for memory.
#include "team.hpp"

#include <csetjmp>

#include <sys/mman.h>
#include <ucontext.h>

#if defined(__x86_64__)
#include "../../../src/system/raw_call.hpp"

namespace {

int key = 1;
bool has_keys = false;

struct pretended {
  std::atomic<long> thread{0};
  std::uint32_t rights = 0;
};
pretended registers[4096];

std::uint32_t& register_of_kernel_thread() {
  const long me = weir::raw_call(SYS_gettid);
  for (auto i = static_cast<std::size_t>(me);; ++i) {
    pretended& entry = registers[i % std::size(registers)];
    // relaxed, both: the entry is its thread's alone.
    long none = 0;
    if (entry.thread.compare_exchange_strong(none, me, std::memory_order_relaxed) || none == me) return entry.rights;
  }
}

void execute(int, siginfo_t*, void* where) {
  greg_t* const saved = static_cast<ucontext_t*>(where)->uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const unsigned char*>(saved[REG_RIP]);
  if (code[0] != 0x0f || code[1] != 0x01 || (code[2] != 0xee && code[2] != 0xef)) std::abort();
  if (code[2] == 0xee)  // rdpkru
    saved[REG_RAX] = register_of_kernel_thread(), saved[REG_RDX] = 0;
  else
    register_of_kernel_thread() = static_cast<std::uint32_t>(saved[REG_RAX]);
  saved[REG_RIP] += 3;
}

void begin() {
  key = pkey_alloc(0, 0);
  has_keys = key > 0;
  if (has_keys) return;
  key = 1;
  struct sigaction action {};
  action.sa_sigaction = execute;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, nullptr);
}

void stay(int me, int own) {
  for (int i = 0; i < 20; ++i) {
    if (i == me) compute(0.01);
    if (i == me + 3) sleep_for(0.002);
    meet();
    if (const int found = pkey_get(key); found != own) {
      std::fprintf(stderr, "rights of member %d: %d, not %d\n", me, found, own);
      return CHECK(found == own);
    }
  }
}

void rights_of_each() {
  begin();
  const int before = pkey_get(key);
  team([](int me) {
    const int own = me % 4;
    meet();
    if (me % 4 != 3) CHECK(pkey_set(key, static_cast<unsigned>(own)) == 0);
    const int first = pkey_get(key);
    if (me % 4 != 3) CHECK(first == own);
    meet();
    stay(me, first);
    pkey_set(key, 0);
  });
  CHECK(pkey_get(key) == before || has_keys);
}

thread_local sigjmp_buf back;

void memory_of_each() {
  begin();
  if (!has_keys) return;
  handle(SIGSEGV, [](int) { siglongjmp(back, 1); }, SA_NODEFER);
  const long bytes = sysconf(_SC_PAGESIZE);
  void* const page = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pkey_mprotect(page, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, key) == 0);
  team([&](int me) {
    const bool may = me % 2 == 0;
    meet();
    CHECK(pkey_set(key, may ? 0 : PKEY_DISABLE_ACCESS) == 0);
    for (int i = 0; i < 20; ++i) {
      meet();
      volatile bool could = false;
      if (sigsetjmp(back, 1) == 0) {
        *static_cast<volatile int*>(page);
        could = true;
      } else {
        pkey_set(key, PKEY_DISABLE_ACCESS);  // the kernel's for a handler are other ones
      }
      if (could != may) return CHECK(could == may);
    }
    pkey_set(key, 0);
  });
}

// One that a member allocates.
void a_members_key() {
  begin();
  if (!has_keys) return;
  std::vector<int> own(static_cast<std::size_t>(members));
  team([&](int me) {
    if (me == 1) own[1] = pkey_alloc(0, PKEY_DISABLE_WRITE);
    meet();
    const int key = own[1];
    const int first = pkey_get(key);
    if (me == 1) CHECK(first == PKEY_DISABLE_WRITE);
    for (int i = 0; i < 20; ++i) {
      meet();
      CHECK(pkey_get(key) == first);
    }
  });
}

}  // namespace

int main() {
  subject("rights of each", rights_of_each);
  subject("memory of each", memory_of_each);
  subject("a member's key", a_members_key);
  return verdict();
}
#else
int main() { return verdict(); }
#endif
