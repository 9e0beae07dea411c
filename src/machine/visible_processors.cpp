#include "visible_processors.hpp"

#include <algorithm>
#include <charconv>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <errno.h>
#include <weir/machine/processors.hpp>

#include "system/environment.h"
#include "system/made_once.hpp"
#include "system/processor_mask.hpp"
#include "system/raw_call.hpp"

namespace weir::visible {

std::optional<unsigned> how_many(std::string_view said, unsigned in_mask, std::optional<double> quota) {
  if (said == "auto") {
    const double most = quota ? std::ceil(std::max(*quota, 0.01)) : in_mask;
    return most < in_mask ? static_cast<unsigned>(most) : in_mask;
  }
  unsigned number = 0;
  const char* const end = said.data() + said.size();
  const auto [read, error] = std::from_chars(said.data(), end, number);
  if (error != std::errc() || read != end || number == 0) return std::nullopt;
  return std::min(number, in_mask);
}

bool hears_the_truth(std::string_view program) {
  static constexpr std::string_view exact[] = {"taskset",    "numactl", "numad",   "schedtool",       "cset",       "chrt",
                                               "tuna",       "lscpu",   "mpirun",  "orterun",         "orted",      "prun",
                                               "prte",       "prted",   "prterun", "hydra_pmi_proxy", "srun",       "slurmd",
                                               "slurmstepd", "sbatch",  "aprun",   "jsrun",           "likwid-pin", "htop",
                                               "top"};
  static constexpr std::string_view beginnings[] = {"hwloc-", "lstopo", "mpiexec", "mpirun.", "likwid-"};
  const auto begins = [program](std::string_view with) { return program.starts_with(with); };
  return std::find(std::begin(exact), std::end(exact), program) != std::end(exact) ||
         std::any_of(std::begin(beginnings), std::end(beginnings), begins);
}

void keep(std::size_t bytes, cpu_set_t* mask, unsigned count, int first) {
  const int most = static_cast<int>(bytes * 8);
  unsigned kept = 0;
  for (int i = 0; i < most; ++i) {
    const auto p = static_cast<std::size_t>((first + i) % most);
    if (!CPU_ISSET_S(p, bytes, mask)) continue;
    if (kept == count)
      CPU_CLR_S(p, bytes, mask);
    else
      ++kept;
  }
}

namespace {

struct heard_set {
  std::optional<unsigned> processors;  // none: the truth
  int first = 0;
  unsigned highest = 0;
  std::size_t bytes = 0;
  cpu_set_t* allowed = nullptr;  // not freed: used as long as the process lives
  cpu_set_t* some = nullptr;
};

cpu_set_t* copy(const heard_set& heard, const cpu_set_t* from) {
  auto* const made = static_cast<cpu_set_t*>(std::malloc(heard.bytes));
  if (made != nullptr) std::memcpy(made, from, heard.bytes);
  return made;
}

heard_set find_out() {
  heard_set heard;
  const char* const said = weir_value_of(WEIR_PROCESSORS);
  if (said == nullptr || hears_the_truth(program_invocation_short_name)) return heard;
  const auto mask = processor_mask::of_this_thread();
  if (!mask) return heard;
  std::optional<double> quota;
  if (const auto limit = quota_below("")) quota = limit->processors;
  heard.processors = how_many(said, static_cast<unsigned>(mask->count()), quota);
  if (!heard.processors) return heard;
  unsigned here = 0;
  raw_call(SYS_getcpu, as_argument(&here));
  heard.first = static_cast<int>(here);
  heard.bytes = mask->bytes();
  heard.allowed = copy(heard, mask->set());
  heard.some = heard.allowed != nullptr ? copy(heard, heard.allowed) : nullptr;
  if (heard.some == nullptr) return {};
  keep(heard.bytes, heard.some, *heard.processors, heard.first);
  for (std::size_t p = 0; p < heard.bytes * 8; ++p)
    if (CPU_ISSET_S(p, heard.bytes, heard.allowed)) heard.highest = static_cast<unsigned>(p) + 1;
  return heard;
}

constinit made_once<heard_set> once;
constinit thread_local bool finds_out = false;

const heard_set& this_process() {
  static constexpr heard_set truth;
  if (finds_out) return truth;
  return once([] {
    finds_out = true;
    const int before = errno;
    heard_set heard = find_out();
    errno = before;
    finds_out = false;
    return heard;
  });
}

bool same(affinity_mask a, affinity_mask b) {
  const auto* const x = reinterpret_cast<const unsigned char*>(a.set);
  const auto* const y = reinterpret_cast<const unsigned char*>(b.set);
  for (std::size_t i = 0; i < std::max(a.bytes, b.bytes); ++i)
    if ((i < a.bytes ? x[i] : 0) != (i < b.bytes ? y[i] : 0)) return false;
  return true;
}

}  // namespace

std::optional<unsigned> processors() { return this_process().processors; }

std::optional<unsigned> highest() {
  const heard_set& heard = this_process();
  return heard.processors ? std::optional(heard.highest) : std::nullopt;
}

bool is_of_this_process(pid_t thread) {
  constexpr int no_signal = 0;
  return thread == 0 || raw_call(SYS_tgkill, getpid(), thread, no_signal) == 0;
}

void reduce(std::size_t bytes, cpu_set_t* mask) {
  const heard_set& heard = this_process();
  if (!heard.processors || static_cast<unsigned>(CPU_COUNT_S(bytes, mask)) <= *heard.processors) return;
  keep(bytes, mask, *heard.processors, heard.first);
}

affinity_mask meant(affinity_mask wanted) {
  const heard_set& heard = this_process();
  if (!heard.processors || wanted.set == nullptr || !same(wanted, {heard.bytes, heard.some})) return wanted;
  return {heard.bytes, heard.allowed};
}

}  // namespace weir::visible
