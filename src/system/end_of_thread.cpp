#include "end_of_thread.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include <pthread.h>

#include "cancel_type.hpp"
#include "fork_page.hpp"

namespace weir {

namespace {

struct call {
  void (*does)(void*) = nullptr;
  void* what = nullptr;
};
constinit thread_local std::array<call, static_cast<std::size_t>(ending::count)> calls{};
pthread_key_t key;

void end(void*) {
  for (call& each : calls)
    if (const call registered = std::exchange(each, {}); registered.what != nullptr) registered.does(registered.what);
}
void end_of_thread(void* registered) { deferred<end>::call_if_needed(registered); }

// The last key for which each thread has room: for others the C library allocates memory, and a thread that does so for the first
// time pays for an arena. Not the first ones, which a program gets as if Weir were not there.
[[gnu::constructor(101)]] void make_key() {
  constexpr std::size_t in_thread = 32;
  std::array<pthread_key_t, in_thread> others;
  std::size_t n = 0;
  for (pthread_key_t made; n < in_thread && pthread_key_create(&made, end_of_thread) == 0;) {
    others[n++] = made;
    if (made + 1 >= in_thread) break;
  }
  if (n == 0) return;
  key = others[--n];
  while (n != 0) pthread_key_delete(others[--n]);
}

}  // namespace

WEIR_RUN_BY_FORKS void at_end_of_thread(ending which, void (*does)(void*), void* what) {
  call& known = calls[static_cast<std::size_t>(which)];
  if (known.does == does && known.what == what) return;
  known = {does, what};
  if (what != nullptr) pthread_setspecific(key, calls.data());
}

}  // namespace weir
