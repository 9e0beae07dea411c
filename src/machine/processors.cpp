#include <weir/machine/processors.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <sched.h>
#include <thread>

namespace weir {

namespace {
/// For so many processors, none of them in it.
struct mask {
  explicit mask(int processors)
      : bytes(CPU_ALLOC_SIZE(static_cast<std::size_t>(processors))), set(CPU_ALLOC(static_cast<std::size_t>(processors))) {
    if (set == nullptr) throw std::bad_alloc();
    CPU_ZERO_S(bytes, set.get());
  }
  struct freeing {
    void operator()(cpu_set_t* s) const { CPU_FREE(s); }
  };
  std::size_t bytes;
  std::unique_ptr<cpu_set_t, freeing> set;
};

std::vector<int> read_affinity() {
  std::vector<int> processors = running_on();
  if (processors.empty())  // no affinity call at all: trust the count
    for (unsigned p = 0; p < std::max(1u, std::thread::hardware_concurrency()); ++p)
      processors.push_back(static_cast<int>(p));
  return processors;
}

[[gnu::constructor]] void remember_affinity() { (void)affinity(); }
}  // namespace

std::vector<int> running_on() {
  // The mask may be larger than cpu_set_t; the kernel says EINVAL until the buffer is large enough.
  for (int most = 1024; most <= 1 << 20; most *= 2) {
    const mask m(most);
    if (sched_getaffinity(0, m.bytes, m.set.get()) != 0) continue;
    std::vector<int> processors;
    for (int p = 0; p < most; ++p)
      if (CPU_ISSET_S(static_cast<std::size_t>(p), m.bytes, m.set.get())) processors.push_back(p);
    return processors;
  }
  return {};
}

int run_on(const std::vector<int>& processors) {
  if (processors.empty()) return EINVAL;
  const mask m(*std::max_element(processors.begin(), processors.end()) + 1);
  for (const int p : processors) CPU_SET_S(static_cast<std::size_t>(p), m.bytes, m.set.get());
  return sched_setaffinity(0, m.bytes, m.set.get()) == 0 ? 0 : errno;
}

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

bool under_quota() { return usable_processors() < static_cast<double>(affinity().size()); }

}  // namespace weir
