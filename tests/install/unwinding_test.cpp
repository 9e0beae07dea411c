// An exception finds its handler through frames of this program and of a library that was opened later, by our
// _dl_find_object (src/linking/find_object.c) instead of the C library's.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

extern "C" int _dl_find_object(void*, dl_find_object*);

namespace {

[[gnu::noinline]] void thrower(int depth) {
  if (depth == 0) throw std::runtime_error("found");
  thrower(depth - 1);
  std::puts("not a tail call");
}

int compare(const void*, const void*) { throw 7; }

}  // namespace

int main() {
  try {
    thrower(5);
    return 1;
  } catch (const std::runtime_error&) {
  }
  // Through a frame of the C library's.
  std::array<int, 3> numbers{3, 1, 2};
  try {
    std::qsort(numbers.data(), numbers.size(), sizeof(int), compare);
    return 2;
  } catch (int thrown) {
    if (thrown != 7) return 3;
  }
  // Ours names no link map; the C library's does. Nothing is where no file is.
  dl_find_object found{};
  int local = 0;
  if (_dl_find_object(reinterpret_cast<void*>(&compare), &found) != 0 || found.dlfo_link_map != nullptr) return 4;
  return _dl_find_object(&local, &found) == -1 ? 0 : 5;
}
