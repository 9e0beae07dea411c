#include "threads/posix/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <mutex>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "system/fork_page.hpp"
#include "system/kernel_mutex.hpp"
#include "system/raw_call.hpp"
#include "threads/scheduling/body.hpp"

namespace weir::threads {

namespace {

struct mapping {
  std::uintptr_t first = 0, last = 0;  // from `first` to before `last`
  bool is_shared = true;
  std::uint32_t version = 0;

  bool has(std::uintptr_t at) const { return first <= at && at < last; }
};

// How often shared memory has been mapped: what was known before does not count. relaxed: a thread that knows a word in new
// memory has seen its mapping, and so this number.
constinit std::atomic<std::uint32_t> mapped{0};

// The mappings of words that have been asked for, the latest ones. They change under the lock.
WEIR_WRITTEN_BY_FORKS constinit kernel_mutex changing;
constinit std::array<mapping, 64> known{};
constinit std::size_t next = 0;
constinit char text[16384];
constinit thread_local mapping latest{};

WEIR_RUN_BY_FORKS void begin_in_child() { changing.forget(); }
[[gnu::constructor]] void when_loaded() { pthread_atfork(nullptr, nullptr, begin_in_child); }

/// "first-last rwxs ..." in base 16 [proc(5), maps].
mapping read_line(const char* line) {
  const auto number = [&line] {
    std::uintptr_t value = 0;
    for (;; ++line) {
      const unsigned digit = *line >= 'a' ? static_cast<unsigned>(*line - 'a') + 10 : static_cast<unsigned>(*line - '0');
      if (digit > 15) return value;
      value = value << 4 | digit;
    }
  };
  mapping found{};
  found.first = number();
  ++line;
  found.last = number();
  found.is_shared = line[4] != 'p';
  return found;
}

/// The system's answer; without an answer, the word counts as shared. The caller holds the lock.
mapping ask_for(std::uintptr_t at) {
  const mapping unknown{at, at + 1};
  const long file = raw_call(SYS_openat, AT_FDCWD, as_argument("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unknown;
  mapping found = unknown;
  std::size_t kept = 0;  // of a line that the last piece has not ended
  for (bool goes_on = true; goes_on;) {
    const long n = raw_call(SYS_read, file, as_argument(text + kept), static_cast<long>(sizeof text - kept));
    if (n <= 0) break;
    const char* line = text;
    const char* const end = text + kept + n;
    for (const char* newline; goes_on && (newline = std::find(line, end, '\n')) != end; line = newline + 1) {
      const mapping each = read_line(line);
      if (each.has(at)) found = each;
      goes_on = each.last <= at;
    }
    kept = static_cast<std::size_t>(end - line);
    if (kept == sizeof text) break;  // no line is as long
    std::copy(line, end, text);
  }
  raw_call(SYS_close, file);
  return found;
}

}  // namespace

bool may_be_shared(const void* word) {
  const auto at = reinterpret_cast<std::uintptr_t>(word);
  const std::uint32_t version = mapped.load(std::memory_order_relaxed);
  const auto answers = [&](const mapping& m) { return m.version == version && m.has(at); };
  if (answers(latest)) [[likely]] return latest.is_shared;
  if (kernel_mutexes_held != 0) return true;  // a handler has interrupted this function
  const without_preemption to_the_end;
  const std::lock_guard lock(changing);
  if (const auto found = std::ranges::find_if(known, answers); found != known.end()) {
    latest = *found;
  } else {
    latest = ask_for(at);
    latest.version = version;
    known[next++ % known.size()] = latest;
  }
  return latest.is_shared;
}

void note_mapping(long number, long flags) {
  const bool is_shared = number != SYS_mmap || (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
  if (is_shared) mapped.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace weir::threads

// The functions by which a program maps shared memory, or moves it. They are bare system calls: the next library's function
// cannot be looked up in an allocator that maps the first memory of the program.
namespace {
void* mapped_by(long number, long flags, long result) {
  if (result < 0 && result >= -4095) return errno = static_cast<int>(-result), MAP_FAILED;
  weir::threads::note_mapping(number, flags);
  return reinterpret_cast<void*>(result);
}
}  // namespace

#define MAPS(name, parameters)                                                                 \
  extern "C" [[gnu::visibility("default")]] void* weir_unguarded_##name parameters asm(#name); \
  extern "C" void* weir_unguarded_##name parameters
#define MAPS_FILE(name)                                                                                                         \
  MAPS(name, (void* at, size_t bytes, int protection, int how, int file, off_t offset)) {                                       \
    return mapped_by(SYS_mmap, how,                                                                                             \
                     weir::raw_call(SYS_mmap, weir::as_argument(at), static_cast<long>(bytes), protection, how, file, offset)); \
  }

MAPS_FILE(mmap)
MAPS_FILE(mmap64)
MAPS(mremap, (void* at, size_t bytes, size_t to, int how, ...)) {
  va_list rest;
  va_start(rest, how);
  void* const there = (how & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  return mapped_by(SYS_mremap, how,
                   weir::raw_call(SYS_mremap, weir::as_argument(at), static_cast<long>(bytes), static_cast<long>(to), how,
                                  weir::as_argument(there)));
}
MAPS(shmat, (int segment, const void* at, int how)) {
  return mapped_by(SYS_shmat, how, weir::raw_call(SYS_shmat, segment, weir::as_argument(at), how));
}

#undef MAPS_FILE
#undef MAPS
