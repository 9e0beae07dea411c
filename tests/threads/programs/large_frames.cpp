// On a processor whose signals have larger frames than the stack of a parked thread there are no members.
#include <weir/crowd.hpp>

#include <cstdio>
#include <cstring>
#include <system_error>

#include <dlfcn.h>
#include <sys/auxv.h>

/// Weir asks this one.
extern "C" unsigned long getauxval(unsigned long which) noexcept {
  constexpr unsigned long least_frame = 51;  // AT_MINSIGSTKSZ
  static auto* const next = reinterpret_cast<unsigned long (*)(unsigned long)>(dlsym(RTLD_NEXT, "getauxval"));
  return which == least_frame ? 20'000 : next(which);
}

int main() {
  bool has_run = false;
  try {
    weir::crowd crowd(2, [&](unsigned) { has_run = true; });
  } catch (const std::system_error& e) {
    if (!has_run && std::strstr(e.what(), "frame of a signal") != nullptr) return std::puts("ok"), 0;
  }
  return std::puts("there are members"), 1;
}
