// Threads that wait by any of the futex calls of Linux are woken by any other: by futex(2), and by those that came later.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using word = std::atomic<std::uint32_t>;
constexpr long wait_for_some = 449, wake_some = 454, wait_for_one = 455;
constexpr unsigned of_32_bits = 2, is_private = FUTEX_PRIVATE_FLAG;

long wait(word& at) { return syscall(SYS_futex, &at, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0); }
long wait_later(word& at) { return syscall(wait_for_one, &at, 0ul, ~0u, of_32_bits | is_private, nullptr, 0); }
long wait_among_some(word& at) {
  futex_waitv one{};
  one.uaddr = reinterpret_cast<std::uintptr_t>(&at);
  one.flags = of_32_bits | is_private;
  return syscall(wait_for_some, &one, 1u, 0u, nullptr, 0);
}
long wake(word& at) { return syscall(SYS_futex, &at, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }
long wake_later(word& at) { return syscall(wake_some, &at, ~0u, 1, of_32_bits | is_private); }

bool is_there(long (*call)(word&)) {
  word other{1};
  return call(other) != -1 || errno != ENOSYS;
}

}  // namespace

int main() {
  constexpr int threads = 8, rounds = 50;
  for (auto* const waits : {wait, wait_later, wait_among_some})
    for (auto* const wakes : {wake, wake_later}) {
      if (!is_there(waits) || !is_there(wakes)) continue;
      // Pairs: each thread waits for the other one in turn.
      struct alignas(64) {
        word at[2]{};
      } pairs[threads / 2];
      std::vector<std::thread> begun;
      for (int i = 0; i < threads; ++i)
        begun.emplace_back([&pair = pairs[i / 2], side = i % 2, waits, wakes] {
          const auto await = [&](word& at) {
            while (at == 0) waits(at);
            at = 0;
          };
          for (int round = 0; round < rounds; ++round) {
            if (side != 0) await(pair.at[1]);
            pair.at[1 - side] = 1;
            wakes(pair.at[1 - side]);
            if (side == 0) await(pair.at[0]);
          }
        });
      for (auto& each : begun) each.join();
    }
  std::puts("ok");
}
