// A member may use as much stack as a thread that was made with the same size.
#include "team.hpp"

namespace {

constexpr std::size_t for_signals = 8192;  ///< a handler's frame must have room anywhere

/// From here to the guard page.
std::size_t left() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  CHECK(pthread_attr_getstack(&attributes, &low, &bytes) == 0);
  pthread_attr_destroy(&attributes);
  return static_cast<std::size_t>(static_cast<char*>(__builtin_frame_address(0)) - static_cast<char*>(low));
}
/// Writes to all of it.
[[gnu::noinline]] void use(std::size_t bytes) {
  auto* frame = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 512) frame[i] = 1;
  frame[0] = 1;
}

void are_as_large_as_a_threads() {
  std::size_t threads = 0;
  pthread_t thread;
  CHECK(pthread_create(&thread, nullptr, [](void* into) -> void* {
    *static_cast<std::size_t*>(into) = left();
    return nullptr;
  }, &threads) == 0);
  pthread_join(thread, nullptr);
  std::vector<std::size_t> sizes(static_cast<std::size_t>(members));
  team([&](int me) {
    sizes[static_cast<std::size_t>(me)] = left();
    meet();
  });
#if defined(_OPENMP)
  const int first = 1;  // main's is its own
#else
  const int first = 0;
#endif
  for (int m = first; m < members; ++m) {
    const std::size_t its_own = sizes[static_cast<std::size_t>(m)];
    if (its_own + 512 < threads) std::fprintf(stderr, "member %d has %zu bytes of %zu\n", m, its_own, threads);
    CHECK(its_own + 512 >= threads);  // what calls the member
  }
}

// What lies below has been used by nobody else: it is there to the last page, at each time.
void hold_deep_calls_at_the_same_time() {
  team([](int me) {
    for (int i = 0; i < 5; ++i) {
      if (me > 0) use(left() - for_signals);
      meet();
    }
  });
}

}  // namespace

int main() {
  subject("are as large as a thread's", are_as_large_as_a_threads);
  subject("hold deep calls at the same time", hold_deep_calls_at_the_same_time);
  return verdict();
}
