#include "threads/scheduling/rseq_areas.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <linux/rseq.h>
#include <sys/types.h>

#include "system/fork_page.hpp"
#include "system/raw_call.hpp"
#include "threads/threads.hpp"

namespace weir::threads {

namespace {

// What glibc and tcmalloc pass to the kernel, and put before each place where a sequence begins anew.
#if defined(__aarch64__)
constexpr unsigned signature = 0xd428bc00;
#else
constexpr unsigned signature = 0x53053053;
#endif

// Looked up at run time, since only C libraries from version 2.35 on have these names [glibc manual, "Restartable Sequences"].
constinit const std::ptrdiff_t* offset_in_library = nullptr;
constinit const unsigned* size_in_library = nullptr;
[[gnu::constructor]] void when_loaded() {
  if (offset_in_library != nullptr) return;
  offset_in_library = static_cast<const std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  size_in_library = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
}

// The kernel's first version demands this number; far more than there are fields.
constexpr unsigned least_bytes = 32, most_bytes = 1024;

enum class state : std::uint8_t { as_it_was, given_up, kept };
struct areas {
  // Not as large as the kernel's type, which grows. The kernel writes there until the thread ends, so the memory is as that of
  // the C library's area: initial-exec, part of the thread's stack or of its thread control block.
  alignas(least_bytes) std::byte spare[least_bytes];
  pid_t thread = 0;    // the kernel's, that has the spare
  unsigned bytes = 0;  // of the C library's area; 0: it was not registered
  state now = state::as_it_was;
};
constinit thread_local areas of_thread{.spare = {}};

struct rseq* area_in_library() {
  return reinterpret_cast<struct rseq*>(static_cast<char*>(__builtin_thread_pointer()) + *offset_in_library);
}

/// Has the calling thread's kernel thread the C library's area?
bool has_area_of_library() {
  if (offset_in_library == nullptr || size_in_library == nullptr || *size_in_library == 0) return false;
  // The kernel writes less than 0 when the area is given up, and the C library if it could not register it.
  return static_cast<std::int32_t>(*static_cast<const volatile std::uint32_t*>(&area_in_library()->cpu_id)) >= 0;
}

long call(const void* at, unsigned bytes, unsigned flags) { return raw_call(SYS_rseq, as_argument(at), bytes, flags, signature); }

/// Returns its length; 0: the kernel refuses. How long it is only the C library and the kernel know: __rseq_size says how much of
/// it is used, from glibc 2.40 on, and from 2.41 on the larger of that and 32 is registered. The kernel refuses any other length,
/// and does nothing then.
unsigned unregister_area_of_library() {
  static constinit std::atomic<unsigned> found{0};  // relaxed: a number, the same for all threads
  const auto error_of = [](unsigned bytes) { return call(area_in_library(), bytes, RSEQ_FLAG_UNREGISTER); };
  const unsigned known = found.load(std::memory_order_relaxed), told = std::max(least_bytes, *size_in_library);
  unsigned bytes = known != 0 ? known : told;
  long error = error_of(bytes);
  for (unsigned other = least_bytes; error == -EINVAL && other <= most_bytes; ++other) error = error_of(bytes = other);
  if (error != 0) return 0;
  found.store(bytes, std::memory_order_relaxed);
  return bytes;
}

constexpr const char *of_library = "because the kernel does not give up the C library's areas for restartable sequences (rseq)",
                     *own = "because they have areas for restartable sequences (rseq) of their own";
// relaxed, all: no other data goes with them.
constinit std::atomic<const char*> why_kept{nullptr};
constinit std::atomic<unsigned> own_areas{0};

}  // namespace

void rseq_is_at(const std::ptrdiff_t* offset, const unsigned* size) {
  offset_in_library = offset;
  size_in_library = size;
}

void note_own_area() {
  if (of_thread.now != state::kept) own_areas.fetch_add(1, std::memory_order_relaxed);
  of_thread.now = state::kept;
}

bool gives_up_area() {
  if (of_thread.now != state::as_it_was) [[likely]] return of_thread.now == state::given_up;
  const bool is_registered = has_area_of_library();
  of_thread.bytes = is_registered ? unregister_area_of_library() : 0;
  if (is_registered && of_thread.bytes == 0) {
    why_kept.store(of_library, std::memory_order_relaxed);
    of_thread.now = state::kept;
    return false;
  }
  // EINVAL: the thread has another area. Any other error: the kernel has none, or a filter refuses them, also to the program.
  if (call(of_thread.spare, least_bytes, 0) == -EINVAL) {
    note_own_area();
    return false;
  }
  of_thread.thread = static_cast<pid_t>(raw_call(SYS_gettid));
  of_thread.now = state::given_up;
  return true;
}

namespace {
WEIR_RUN_BY_FORKS void takes_back(const void* spare) {
  of_thread.now = state::as_it_was;
  call(spare, least_bytes, RSEQ_FLAG_UNREGISTER);
  if (of_thread.bytes == 0) return;
  area_in_library()->rseq_cs = 0;  // what the thread has left there meanwhile may not exist any more
  call(area_in_library(), of_thread.bytes, 0);
}
}  // namespace

void takes_area_back() {
  if (of_thread.now == state::given_up && of_thread.thread == raw_call(SYS_gettid)) takes_back(of_thread.spare);
}
WEIR_RUN_BY_FORKS void takes_area_back_in_child(const void* spare_of_parent) {
  if (of_thread.now == state::given_up) takes_back(spare_of_parent);
}
WEIR_RUN_BY_FORKS const void* spare_area() { return of_thread.spare; }

void keep_areas() {
  const char* none = nullptr;
  why_kept.compare_exchange_strong(none, own, std::memory_order_relaxed);
}

const char* why_areas_are_kept() { return why_kept.load(std::memory_order_relaxed); }
unsigned threads_with_own_area() { return own_areas.load(std::memory_order_relaxed); }

}  // namespace weir::threads
