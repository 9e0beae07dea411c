#include "openmp/support/call_site.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

namespace weir::openmp {

namespace {

/// The file that an address is in; null: none.
const void* file_of(const void* address) {
  Dl_info known;
  return dladdr(address, &known) != 0 ? known.dli_fbase : nullptr;
}

struct search {
  const void* own_file;
  const void* found = nullptr;
};

_Unwind_Reason_Code look(_Unwind_Context* frame, void* data) {
  auto& found = *static_cast<search*>(data);
  // The known address is the one after the call; one less is within the call.
  const auto* const at = reinterpret_cast<const char*>(_Unwind_GetIP(frame)) - 1;
  if (file_of(at) == found.own_file) return _URC_NO_REASON;
  found.found = at;
  return _URC_END_OF_STACK;
}

/// The standard output of a program within ten seconds; empty if it cannot be run.
std::string output_of(const char* const* words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // Without the environment of the program, because this library must not be preloaded.
  const char* const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", nullptr};
  pid_t process;
  const int error = posix_spawnp(&process, words[0], &actions, nullptr, const_cast<char* const*>(words),
                                 const_cast<char* const*>(environment));
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string said;
  if (error == 0) {
    std::array<char, 1024> some;
    pollfd from{ends[0], POLLIN, 0};
    ssize_t bytes = 1;
    while (bytes > 0 && poll(&from, 1, 10'000) == 1)
      if ((bytes = read(ends[0], some.data(), some.size())) > 0) said.append(some.data(), static_cast<std::size_t>(bytes));
    if (bytes > 0) kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  close(ends[0]);
  return said;
}

/// "function at file:line" becomes "file:line (function)"; empty if the file has no such information.
std::string source_line(const char* file, std::uintptr_t offset) {
  char address[32];
  std::snprintf(address, sizeof address, "0x%jx", static_cast<std::uintmax_t>(offset));
  const char* const words[] = {"addr2line", "-Cfpse", file, address, nullptr};
  std::string said = output_of(words);
  said.erase(std::min(said.find_first_of('\n'), said.size()));
  said.erase(std::min(said.find(" (discriminator"), said.size()));
  const std::size_t middle = said.rfind(" at ");
  if (middle == std::string::npos || said[middle + 4] == '?' || said.ends_with(":?")) return {};
  return said.substr(middle + 4) + " (" + said.substr(0, middle) + ")";
}

}  // namespace

const void* call_site() {
  search found{file_of(reinterpret_cast<const void*>(&look))};
  _Unwind_Backtrace(look, &found);
  // The caller is the C library, which has begun the thread: the program's function has ended in a jump to the runtime.
  return file_of(found.found) == file_of(reinterpret_cast<const void*>(&pthread_create)) ? nullptr : found.found;
}

namespace {
/// Never deleted; there are as many as there are places in the program that messages name.
struct known_place {
  const void* site;
  std::string text;
  const known_place* next;
};
constinit std::atomic<const known_place*> known_places{nullptr};
}  // namespace

const std::string& place_of_call() {
  const void* const site = call_site();
  // acquire, release: what another thread has written about a place.
  const known_place* first = known_places.load(std::memory_order_acquire);
  for (const known_place* it = first; it != nullptr; it = it->next)
    if (it->site == site) return it->text;
  auto* const place = new known_place{site, text_of(site), first};
  while (!known_places.compare_exchange_weak(place->next, place, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return place->text;
}

std::string text_of(const void* call_site) {
  Dl_info known;
  link_map* file = nullptr;
  if (call_site == nullptr || dladdr1(call_site, &known, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) == 0)
    return "an unknown place";
  // Addresses in a file begin where it is loaded, except in one that can be loaded at one place only.
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(call_site) - file->l_addr;
  // The program itself has no name here.
  std::array<char, 4096> program{};
  const char* name = file->l_name;
  if (name[0] == '\0' && readlink("/proc/self/exe", program.data(), program.size() - 1) > 0) name = program.data();
  if (std::string line = source_line(name, offset); !line.empty()) return line;
  const char* const last = std::strrchr(name, '/');
  char text[64];
  std::snprintf(text, sizeof text, "+0x%jx", static_cast<std::uintmax_t>(offset));
  const std::string place = (last != nullptr ? last + 1 : name) + std::string(text);
  return known.dli_sname != nullptr ? place + " (" + known.dli_sname + ")" : place;
}

}  // namespace weir::openmp
