#include "threads/program/left_alone.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <link.h>

#include "threads/support/code.hpp"

namespace weir::threads {

namespace {

using std::string_view;

constexpr string_view schedulers[] = {"libjvm.so", "libcoreclr.so", "libmonosgen-2.0.so", "beam.smp"};
constexpr string_view drivers[] = {"libcuda.so", "libnvidia-", "libcudart.so", "libamdhip64.so", "libhsa-runtime64.so",
                                   "libOpenCL.so", "libGLX_", "libEGL_", "libgallium"};

string_view name_of(const char* path) {
  const string_view whole = path != nullptr ? path : "";
  return whole.substr(whole.rfind('/') + 1);
}
bool begins_with_any(string_view name, const auto& table) {
  return std::ranges::any_of(table, [name](string_view each) { return name.starts_with(each); });
}

/// Go's linker marks its objects by a note of this owner [cmd/internal/buildid].
bool has_note_of_go(const dl_phdr_info& object) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(object.dlpi_addr + part.p_vaddr);
    for (const char* const end = at + part.p_filesz; at + sizeof(ElfW(Nhdr)) <= end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const auto whole = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
      const char* const owner = at + sizeof note;
      if (note.n_namesz == 4 && owner + 4 <= end && std::memcmp(owner, "Go\0\0", 4) == 0) return true;
      at = owner + whole(note.n_namesz) + whole(note.n_descsz);
    }
  }
  return false;
}

// Twice the number of objects that have been loaded, and 1 if one of them has a scheduler. relaxed: all find the same.
constinit std::atomic<unsigned long long> known{0};

struct search {
  unsigned long long loaded_before, loaded = 0;
  bool found = false;
};

}  // namespace

bool own_scheduler_is_known() { return (known.load(std::memory_order_relaxed) & 1) != 0; }

bool has_own_scheduler() {
  if (own_scheduler_is_known()) return true;
  search outcome{known.load(std::memory_order_relaxed) / 2};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        auto& s = *static_cast<search*>(to);
        s.loaded = object->dlpi_adds;
        if (s.loaded == s.loaded_before) return 1;
        const bool is_program = object->dlpi_name == nullptr || object->dlpi_name[0] == 0;
        const string_view name = is_program ? program_invocation_short_name : name_of(object->dlpi_name);
        s.found = begins_with_any(name, schedulers) || has_note_of_go(*object);
        return s.found ? 1 : 0;
      },
      &outcome);
  known.store(outcome.loaded * 2 + (outcome.found ? 1 : 0), std::memory_order_relaxed);
  return outcome.found;
}

// Looks for the object of a function by its address alone: dladdr() would compare all symbols of the object, of which C++'s
// library has some six thousand.
bool is_of_driver(const void* function) {
  // The latest function that is no driver's, and above the address the number of objects at that time. relaxed: one word says
  // all.
  static constinit std::atomic<std::uintptr_t> latest{0};
  const std::uintptr_t key = reinterpret_cast<std::uintptr_t>(function) ^ (known.load(std::memory_order_relaxed) << 48);
  if (latest.load(std::memory_order_relaxed) == key) [[likely]] return false;
  struct {
    std::uintptr_t address;
    bool found;
  } s{reinterpret_cast<std::uintptr_t>(function), false};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        auto& wanted = *static_cast<decltype(s)*>(to);
        if (!range_of(*object).has(wanted.address)) return 0;
        wanted.found = begins_with_any(name_of(object->dlpi_name), drivers);
        return 1;
      },
      &s);
  if (!s.found) latest.store(key, std::memory_order_relaxed);
  return s.found;
}

}  // namespace weir::threads
