#include <weir/machine/processors.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <sched.h>
#include <thread>

namespace weir {

namespace {
std::vector<int> read_affinity() {
  std::vector<int> processors;
  // The mask may be larger than cpu_set_t; the kernel says EINVAL until the buffer is large enough.
  for (int capacity = 1024; capacity <= 1 << 20; capacity *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(static_cast<std::size_t>(capacity));
    if (mask == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
    const bool read = sched_getaffinity(0, bytes, mask) == 0;
    for (int p = 0; read && p < capacity; ++p)
      if (CPU_ISSET_S(static_cast<std::size_t>(p), bytes, mask)) processors.push_back(p);
    CPU_FREE(mask);
    if (read) break;
  }
  if (processors.empty())  // no affinity call at all: trust the count
    for (unsigned p = 0; p < std::max(1u, std::thread::hardware_concurrency()); ++p)
      processors.push_back(static_cast<int>(p));
  return processors;
}

[[gnu::constructor]] void remember_affinity() { (void)affinity(); }
}  // namespace

const std::vector<int>& affinity() {
  // Not destroyed: where a program ends, threads of it may ask still.
  static const std::vector<int>& processors = *new std::vector<int>(read_affinity());
  return processors;
}

std::optional<cpu_quota> quota() {
  using clock = std::chrono::steady_clock;
  static constinit std::mutex mutex;
  static std::optional<cpu_quota>& latest = *new std::optional<cpu_quota>;  // not destroyed either
  static constinit clock::time_point read_at = clock::time_point::min();
  // While another reads it, each reads for itself: in a process forked meanwhile the other will never have done.
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) return quota_below("");
  const auto now = clock::now();
  if (read_at == clock::time_point::min() || now - read_at > std::chrono::seconds(1)) {
    latest = quota_below("");
    read_at = now;
  }
  return latest;
}

double usable_processors() {
  const double processors = static_cast<double>(affinity().size());
  const auto limit = quota();
  return limit ? std::min(processors, std::max(limit->processors, 0.01)) : processors;
}

}  // namespace weir
