// What a program loads while it runs: it has a crowd, and is unloaded again.
#include <weir/crowd.hpp>
#include <weir/locks.hpp>

#include <mutex>

extern "C" int counts_by_a_crowd(int members, int rounds) {
  weir::mutex mutex;
  int sum = 0;
  weir::crowd crowd(static_cast<unsigned>(members), [&](unsigned) {
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard<weir::mutex> lock(mutex);
      ++sum;
      weir::this_member::yield();
    }
  });
  crowd.join();
  return sum;
}
