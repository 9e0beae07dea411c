#include "threads/polling/trampolines.hpp"

namespace weir::threads {
constinit thread_local unsigned handlers_running = 0;
constinit std::atomic<bool> all_handlers_count{false};
}  // namespace weir::threads

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <span>

#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "system/detached_thread.hpp"
#include "system/filter.hpp"
#include "system/fork_child.hpp"
#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "system/read_by_kernel.hpp"
#include "threads/polling/polling.hpp"
#include "threads/polling/seen_memory.hpp"
#include "threads/support/code.hpp"
#include "threads/support/library_signals.hpp"
#include "threads/support/traced.hpp"
#include "threads/support/valgrind.hpp"

namespace weir::threads {

namespace {

constexpr std::uintptr_t page_bytes = 4096, jump_bytes = 5;
constexpr std::uintptr_t lowest_place = 1 << 16;  // who follows a null pointer shall not find code
/// How many bytes of an instruction change.
constexpr unsigned written_of(unsigned replaced) { return std::min<unsigned>(replaced, jump_bytes); }
constexpr unsigned char jump_code = 0xe9;
constinit trampoline table[32];
constinit std::atomic<bool> some_are_wanted{false}, is_placing{false};
// Where stubs lead. relaxed: who wants a trampoline writes the same before it says so.
constinit std::atomic<trampoline_code> entry_of_all{nullptr};

/// A trampoline begins with a call that never returns. The call's return address is where the stub keeps the pointer to its table
/// entry. It lies below the 128 bytes that the interrupted function may use without having moved the stack pointer [System V ABI,
/// red zone].
constexpr unsigned char stub_code[] = {0x48, 0x8d, 0x64, 0x24, 0x80,         // lea -128(%rsp), %rsp
                                       0xff, 0x15, 0x08, 0x00, 0x00, 0x00};  // call *8(%rip)
struct [[gnu::packed]] stub_text {
  unsigned char code[sizeof stub_code];
  const trampoline* entry;
  trampoline_code leads_to;
  unsigned char copy[polling::longest_replaced + jump_bytes];  // of the instruction, and a jump to the one behind
};

trampoline* with(std::uintptr_t instruction) {
  auto* const found =
      std::ranges::find_if(table, [=](const trampoline& t) { return t.at.load(std::memory_order_relaxed) == instruction; });
  return found != std::end(table) ? found : nullptr;
}

/// A copy of the page with other bytes at `at` takes the place of the page. False: the system refuses, and nothing has changed.
bool change(std::uintptr_t at, const void* bytes, std::size_t n) {
  const std::uintptr_t begin = at / page_bytes * page_bytes;
  if (filter::ends_process<SYS_mremap>()) return false;
  void* const copy = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  const bool is_copied = copy_by_system(copy, begin, page_bytes);
  std::memcpy(static_cast<char*>(copy) + (at - begin), bytes, n);
  if (is_copied && mprotect(copy, page_bytes, PROT_READ | PROT_EXEC) == 0 &&
      mremap(copy, page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(begin)) != MAP_FAILED)
    return true;
  munmap(copy, page_bytes);
  return false;
}

bool overlap(std::uintptr_t a, std::uintptr_t b, std::uintptr_t bytes) { return a - b + (bytes - 1) <= 2 * (bytes - 1); }

bool is_page_of_stubs(std::uintptr_t page) {
  return std::ranges::any_of(
      table, [=](const trampoline& t) { return t.stub.load(std::memory_order_relaxed) / page_bytes == page / page_bytes; });
}

/// Is it that, or has it become that now?
bool may_be_page_of_stubs(std::uintptr_t page) {
  if (is_page_of_stubs(page)) return true;
  void* const made =
      mmap(reinterpret_cast<void*>(page), page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (made == MAP_FAILED) return false;
  if (made == reinterpret_cast<void*>(page)) return true;
  munmap(made, page_bytes);  // before Linux 4.17
  return false;
}

/// The distance to the same memory from a copy of the instruction in a stub there; none: it is too far.
std::optional<std::int32_t> distance_from(std::uintptr_t stub, const trampoline& entry) {
  const std::uint64_t text = entry.text.load(std::memory_order_relaxed);
  std::int32_t before = 0;
  std::memcpy(&before, reinterpret_cast<const char*>(&text) + entry.distance_at.load(std::memory_order_relaxed), sizeof before);
  const auto moved = static_cast<std::int64_t>(stub + offsetof(stub_text, copy) - entry.at.load(std::memory_order_relaxed));
  const std::int64_t now = before - moved;
  if (now != static_cast<std::int32_t>(now)) return std::nullopt;
  return static_cast<std::int32_t>(now);
}

/// Where a stub for it may lie: no other one is there, and the page is free or holds stubs already. `code`: what begins there
/// now.
std::optional<std::uintptr_t> free_place(const trampoline& entry, const unsigned char* code) {
  const std::uintptr_t from = entry.at.load(std::memory_order_relaxed);
  const unsigned replaced = entry.bytes.load(std::memory_order_relaxed);
  const bool has_distance = entry.distance_at.load(std::memory_order_relaxed) != 0;
  // The bytes that stay are the upper ones of the distance.
  const unsigned own = written_of(replaced) - 1, kept = 4 - own;
  std::int32_t distance = own == 4 ? std::numeric_limits<std::int32_t>::min() : 0;
  std::memcpy(reinterpret_cast<char*>(&distance) + own, code + 1 + own, kept);
  const std::uintptr_t lowest = from + jump_bytes + static_cast<std::uintptr_t>(std::intptr_t{distance});
  // Of a larger room, some pages.
  const std::uintptr_t room = std::uintptr_t{1} << 8 * own, step = own <= 1 ? 1 : room / 16;
  for (std::uintptr_t by = 0; by < room; by += step) {
    const std::uintptr_t at = lowest + by;
    if (at < lowest_place || at % page_bytes > page_bytes - sizeof(stub_text)) continue;
    if (has_distance && !distance_from(at, entry)) continue;
    if (!may_be_page_of_stubs(at / page_bytes * page_bytes)) continue;
    const auto is_taken = [&](const trampoline& other) {
      const std::uintptr_t stub = other.stub.load(std::memory_order_relaxed);
      return stub != 0 && overlap(stub, at, sizeof(stub_text));
    };
    if (std::ranges::none_of(table, is_taken)) return at;
  }
  return std::nullopt;
}

void set_distance(unsigned char* to, std::uintptr_t from, std::uintptr_t target) {
  const auto distance = static_cast<std::uint32_t>(target - from);
  std::memcpy(to, &distance, sizeof distance);
}

bool place_stub(const trampoline& entry, std::uintptr_t at) {
  const unsigned bytes = entry.bytes.load(std::memory_order_relaxed);
  const std::uint64_t instruction = entry.text.load(std::memory_order_relaxed);
  stub_text text{};
  std::memcpy(text.code, stub_code, sizeof stub_code);
  text.entry = &entry;
  text.leads_to = entry_of_all.load(std::memory_order_relaxed);
  std::memcpy(text.copy, &instruction, bytes);
  if (const unsigned to = entry.distance_at.load(std::memory_order_relaxed); to != 0) {
    const auto distance = distance_from(at, entry);
    if (!distance) return false;
    std::memcpy(text.copy + to, &*distance, sizeof *distance);
  }
  text.copy[bytes] = jump_code;
  set_distance(text.copy + bytes + 1, at + offsetof(stub_text, copy) + bytes + jump_bytes,
               entry.at.load(std::memory_order_relaxed) + bytes);
  return change(at, &text, sizeof text);
}

/// `text`: what begins at `code`.
bool is_jump_of(const trampoline& entry, std::uintptr_t code, std::span<const unsigned char, jump_bytes> text) {
  const std::uintptr_t stub = entry.stub.load(std::memory_order_relaxed);
  unsigned char jump[jump_bytes] = {jump_code};
  set_distance(jump + 1, code + jump_bytes, stub);
  return stub != 0 && std::ranges::equal(text, jump);
}
bool has_jump(const trampoline& entry) {
  const std::uintptr_t at = entry.at.load(std::memory_order_relaxed);
  unsigned char text[jump_bytes];
  return copy_by_system(text, at, sizeof text) && is_jump_of(entry, at, text);
}

/// Is the page as it is in the object's file, but for trampolines? A page that somebody else has changed is not exchanged: a
/// breakpoint of the kernel (uprobes) would go on in the copy, and nobody would handle it.
bool is_as_in_file(std::uintptr_t page) {
  if (std::ranges::any_of(table, [=](const trampoline& t) {
        return t.at.load(std::memory_order_relaxed) / page_bytes * page_bytes == page && has_jump(t);
      }))
    return true;
  constexpr std::uint64_t present = std::uint64_t{1} << 63, of_file = std::uint64_t{1} << 61;  // [proc_pid_pagemap(5)]
  std::uint64_t told = 0;
  const long got = read_by_kernel("/proc/self/pagemap", &told, sizeof told, static_cast<long>(page / page_bytes * sizeof told));
  return got == sizeof told && (told & present) != 0 && (told & of_file) != 0;
}

/// The code of the object cannot be unloaded meanwhile.
bool place(trampoline& entry) {
  const std::uintptr_t at = entry.at.load(std::memory_order_relaxed);
  const unsigned replaced = entry.bytes.load(std::memory_order_relaxed), written = written_of(replaced);
  const std::uint64_t text = entry.text.load(std::memory_order_relaxed);
  std::uintptr_t stub = entry.stub.load(std::memory_order_relaxed);
  // Two handlers have wanted it, and it has been placed between them; or the process has been forked before that was noted.
  if (has_jump(entry)) return true;
  // The instruction may be longer than the jump.
  unsigned char code[polling::longest_replaced];
  const std::size_t known = std::max<std::size_t>(replaced, jump_bytes);
  if (at % page_bytes > page_bytes - written || !copy_by_system(code, at, known) || std::memcmp(code, &text, replaced) != 0)
    return false;
  if (!is_as_in_file(at / page_bytes * page_bytes)) return false;
  for (const trampoline& other : table)
    if (&other != &entry && other.stub.load(std::memory_order_relaxed) != 0 &&
        overlap(other.at.load(std::memory_order_relaxed), at, jump_bytes))
      return false;
  if (stub == 0) {  // else from a library at the same address, which has been unloaded
    const auto place = free_place(entry, code);
    if (!place || !place_stub(entry, *place)) return false;
    entry.stub.store(stub = *place, std::memory_order_relaxed);
  }
  entry.go_on.store(entry.does_nothing() ? at + replaced : stub + offsetof(stub_text, copy), std::memory_order_relaxed);
  unsigned char jump[jump_bytes] = {jump_code};
  set_distance(jump + 1, at + jump_bytes, stub);
  return std::memcmp(jump + written, code + written, jump_bytes - written) == 0 && change(at, jump, written);
}

struct placement {
  trampoline& entry;
  bool done = false;
};
/// While dl_iterate_phdr() calls this, no object is unloaded.
int place_in_object(dl_phdr_info* object, std::size_t, void* what) {
  auto& asked = *static_cast<placement*>(what);
  const std::uintptr_t at = asked.entry.at.load(std::memory_order_relaxed);
  const auto is_code_there = [&](const ElfW(Phdr) & part) {
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    return part.p_type == PT_LOAD && at >= begin && at + jump_bytes <= begin + part.p_filesz &&
           (part.p_flags & (PF_X | PF_W | PF_R)) == (PF_X | PF_R);
  };
  if (std::none_of(object->dlpi_phdr, object->dlpi_phdr + object->dlpi_phnum, is_code_there)) return 0;
  // The child of a vfork() may execute the C library's code, and Weir's own code knows how to yield. The kernel's page is not
  // ours.
  asked.done = !is_base_code(at) && object->dlpi_addr != getauxval(AT_SYSINFO_EHDR) && place(asked.entry);
  return 1;
}

/// Handlers that the program sets by functions of the C library come after a stub, which counts them as they run. Is there
/// another one, set by a bare system call, or before Weir was loaded? The two that the C library keeps for itself wait for
/// nobody.
void look_for_uncounted_handlers() {
  if (any_handler([](int, const kernel_sigaction& action) { return !is_own_code(action.code()); }))
    all_handlers_count.store(false, std::memory_order_relaxed);
}

// Held while a trampoline is placed: the child of a fork would find a lock of the dynamic linker taken, by a thread that it has
// not.
WEIR_WRITTEN_BY_FORKS constinit kernel_mutex placing;
WEIR_RUN_BY_FORKS void before_fork() { placing.lock(); }
WEIR_RUN_BY_FORKS void after_fork() { placing.unlock(); }
[[gnu::constructor]] void before_forks() { pthread_atfork(before_fork, after_fork, after_fork); }

void* place_all(void*) {
  know_system_code();
  look_for_uncounted_handlers();
  while (some_are_wanted.exchange(false, std::memory_order_acquire))  // acquire: the stages
    for (trampoline& each : table)
      each.place_if_wanted([](trampoline& entry) {
        placement asked{entry};
        const std::lock_guard no_fork_meanwhile(placing);
        dl_iterate_phdr(place_in_object, &asked);
        return asked.done;
      });
  is_placing.store(false, std::memory_order_release);  // release: for the next thread
  return nullptr;
}

/// The entry for it; null: there is none left, or no place for it. An entry that has no trampoline may be used for another
/// instruction.
trampoline* entry_for(std::uintptr_t at) {
  if (trampoline* const known = with(at)) return known->is_refused() ? nullptr : known;
  static constinit std::atomic<unsigned> next{0};
  for (unsigned n = 0; n < std::size(table); ++n) {
    trampoline& entry = table[next.fetch_add(1, std::memory_order_relaxed) % std::size(table)];
    if (entry.take_for(at)) return &entry;
  }
  return nullptr;
}

/// If a library was unloaded and loaded again at the same address, the entry is `placed`, but the original instruction is back.
/// The stub is then used again. `enough`: so often somebody must have been there.
bool want(std::uintptr_t at, const polling::replaceable& what, std::uintptr_t first, unsigned enough, trampoline_code entry) {
  trampoline* const it = entry != nullptr ? entry_for(at) : nullptr;
  if (it == nullptr || it->found.fetch_add(1, std::memory_order_relaxed) + 1 < enough) return false;
  std::uint64_t text = 0;
  std::memcpy(&text, what.text, what.bytes);
  entry_of_all.store(entry, std::memory_order_relaxed);
  if (!it->want({at, first, text, what.bytes, what.distance_at})) return false;
  some_are_wanted.store(true, std::memory_order_release);  // release: the stage
  return true;
}
/// Entries in this stage may be wanted again, when somebody is found there again.
void forget_all(trampoline::stage in) {
  for (trampoline& entry : table) entry.forget(in);
}
}  // namespace

bool want_trampoline(const polling& loop, trampoline_code entry) {
  constexpr unsigned often = 4;  // where threads may come that do not wait
  const auto& what = loop.may_replace();
  return what.at != 0 && want(what.at, what, loop.first(), what.does_nothing ? 1 : often, entry);
}
bool want_trampoline_at_pause(std::uintptr_t code, trampoline_code entry) {
  constexpr unsigned often = 8;  // it may also have been the last iteration of a loop that only polls
  return want(code, {code, {0xf3, 0x90}, 2, 0, true}, 0, often, entry);
}

bool trampolines_are_wanted() {
  return some_are_wanted.load(std::memory_order_relaxed) && !is_placing.load(std::memory_order_relaxed);
}
void place_wanted_trampolines() {
  if (!trampolines_are_wanted()) return;
  if (runs_on_valgrind() || is_traced()) {
    some_are_wanted.store(false, std::memory_order_relaxed);
    return forget_all(trampoline::wanted);
  }
  if (is_placing.exchange(true, std::memory_order_acquire)) return;  // acquire: what the last such thread has placed
  if (!start_service(place_all, nullptr)) is_placing.store(false, std::memory_order_relaxed);
}

bool has_trampoline(std::uintptr_t code) {
  return std::ranges::any_of(table, [=](const trampoline& t) {
    return (t.first.load(std::memory_order_relaxed) == code || t.at.load(std::memory_order_relaxed) == code) && t.is_placed();
  });
}

replaced replaced_by(std::uintptr_t stub) {
  for (const trampoline& t : table) {
    if (t.stub.load(std::memory_order_relaxed) != stub) continue;
    replaced found{t.at.load(std::memory_order_relaxed), t.bytes.load(std::memory_order_relaxed), {}};
    const std::uint64_t text = t.text.load(std::memory_order_relaxed);
    std::memcpy(found.text, &text, sizeof found.text);
    return found;
  }
  return {};
}

bool leads_to_trampoline(std::uintptr_t at, std::span<const std::uint8_t> code) {
  return code.size() >= jump_bytes && code[0] == jump_code &&
         std::ranges::any_of(table, [=](const trampoline& t) { return is_jump_of(t, at, code.first<jump_bytes>()); });
}

void leave_stub(ucontext_t& in) {
  constexpr std::uintptr_t first_instruction = 5;  // bytes: it moves the stack's pointer
  auto& code = in.uc_mcontext.gregs[REG_RIP];
  for (const trampoline& t : table) {
    const std::uintptr_t stub = t.stub.load(std::memory_order_relaxed);
    const std::uintptr_t in_stub = static_cast<std::uintptr_t>(code) - stub;
    if (stub == 0 || in_stub >= sizeof(stub_text)) continue;
    const std::uintptr_t at = t.at.load(std::memory_order_relaxed), bytes = t.bytes.load(std::memory_order_relaxed);
    if (in_stub == first_instruction) in.uc_mcontext.gregs[REG_RSP] += 128;
    const bool is_behind_copy = in_stub == offsetof(stub_text, copy) + bytes;
    code = static_cast<greg_t>(is_behind_copy ? at + bytes : at);
    return;
  }
}

WEIR_RUN_BY_FORKS void forget_placing() {
  make_so_in_child(is_placing, false);
  forget_all(trampoline::writing);
}

}  // namespace weir::threads

#else

namespace weir::threads {

bool want_trampoline(const polling&, trampoline_code) { return false; }
bool want_trampoline_at_pause(std::uintptr_t, trampoline_code) { return false; }
bool trampolines_are_wanted() { return false; }
void place_wanted_trampolines() {}
bool has_trampoline(std::uintptr_t) { return false; }
replaced replaced_by(std::uintptr_t) { return {}; }
bool leads_to_trampoline(std::uintptr_t, std::span<const std::uint8_t>) { return false; }
void leave_stub(ucontext_t&) {}
void forget_placing() {}

}  // namespace weir::threads

#endif
