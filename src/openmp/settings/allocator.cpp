// OMP_ALLOCATOR: a predefined allocator, a predefined memory space, or such a space with traits.
#include <algorithm>

#include "openmp/settings/parse.hpp"

namespace weir::openmp {

namespace {

template <std::size_t Count>
bool among(const std::string_view (&names)[Count], std::string_view name) {
  return std::find(names, names + Count, name) != names + Count;
}

constexpr std::string_view predefined[] = {
    "omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc", "omp_high_bw_mem_alloc",
    "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc", "omp_pteam_mem_alloc", "omp_thread_mem_alloc"};
constexpr std::string_view spaces[] = {"omp_default_mem_space", "omp_large_cap_mem_space", "omp_const_mem_space",
                                       "omp_high_bw_mem_space", "omp_low_lat_mem_space"};

bool positive(const std::string& text) {
  scanner in(text);
  const auto value = in.natural();
  return value && *value > 0 && in.done();
}

bool power_of_two(const std::string& text) {
  scanner in(text);
  const auto value = in.natural();
  return value && *value > 0 && (*value & (*value - 1)) == 0 && in.done();
}

bool proper(const std::string& trait, const std::string& value) {
  static constexpr std::string_view sync_hints[] = {"contended", "uncontended", "serialized", "private"};
  static constexpr std::string_view accesses[] = {"all", "cgroup", "pteam", "thread"};
  static constexpr std::string_view fallbacks[] = {"default_mem_fb", "null_fb", "abort_fb", "allocator_fb"};
  static constexpr std::string_view truths[] = {"true", "false"};
  static constexpr std::string_view partitions[] = {"environment", "nearest", "blocked", "interleaved"};
  if (trait == "sync_hint") return among(sync_hints, value);
  if (trait == "alignment") return power_of_two(value);
  if (trait == "access") return among(accesses, value);
  if (trait == "pool_size") return positive(value);
  if (trait == "fallback") return among(fallbacks, value);
  if (trait == "fb_data") return among(predefined, value);
  if (trait == "pinned") return among(truths, value);
  if (trait == "partition") return among(partitions, value);
  return false;
}

}  // namespace

std::optional<allocator> parse_allocator(std::string_view text) {
  scanner in(text);
  allocator result{in.word(), {}};
  const bool space = among(spaces, result.name);
  if (!space && !among(predefined, result.name)) return std::nullopt;
  if (space && in.take(':')) {
    do {
      const std::string trait = in.word();
      if (!in.take('=')) return std::nullopt;
      const std::string value = in.word();
      if (!proper(trait, value)) return std::nullopt;
      result.traits.emplace_back(trait, value);
    } while (in.take(','));
  }
  return in.done() ? std::optional(result) : std::nullopt;
}

}  // namespace weir::openmp
