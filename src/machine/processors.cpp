#include <weir/machine/processors.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>

#include "system/made_once.hpp"
#include "system/processor_mask.hpp"
#include "system/raw_call.hpp"

namespace weir {

[[gnu::weak]] long get_affinity(std::size_t bytes, cpu_set_t* mask) {
  return raw_call(SYS_sched_getaffinity, 0, static_cast<long>(bytes), as_argument(mask));
}
[[gnu::weak]] long set_affinity(std::size_t bytes, const cpu_set_t* mask) {
  return raw_call(SYS_sched_setaffinity, 0, static_cast<long>(bytes), as_argument(mask));
}

namespace {
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
  std::vector<int> processors;
  const auto mask = processor_mask::of_this_thread();
  const auto count = mask ? static_cast<std::size_t>(mask->count()) : 0;
  processors.reserve(count);
  for (int p = 0; processors.size() < count; ++p)
    if (mask->has(p)) processors.push_back(p);
  return processors;
}

int run_on(const std::vector<int>& processors) {
  if (processors.empty()) return EINVAL;
  processor_mask mask(*std::max_element(processors.begin(), processors.end()) + 1);
  for (const int p : processors) mask.add(p);
  return mask.apply();
}

const std::vector<int>& affinity() {
  static constinit made_once<std::vector<int>> processors;
  return processors(read_affinity);
}

std::optional<cpu_quota> quota() {
  using clock = std::chrono::steady_clock;
  static constinit std::mutex mutex;
  static constinit std::optional<cpu_quota>* latest =
      nullptr;  // not destroyed: where a program ends, threads of it may ask still
  static constinit clock::time_point read_at = clock::time_point::min();
  // While another thread reads the quota, each thread reads it for itself: in a process that is forked meanwhile, the other
  // thread would never finish.
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) return quota_below("");
  const auto now = clock::now();
  if (read_at == clock::time_point::min() || now - read_at > std::chrono::seconds(1)) {
    if (latest == nullptr) latest = new std::optional<cpu_quota>;
    *latest = quota_below("");
    read_at = now;
  }
  return *latest;
}

double usable_processors() {
  const double processors = static_cast<double>(affinity().size());
  const auto limit = quota();
  return limit ? std::min(processors, std::max(limit->processors, 0.01)) : processors;
}

bool under_quota() { return usable_processors() < static_cast<double>(affinity().size()); }

}  // namespace weir
