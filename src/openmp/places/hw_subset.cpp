#include "openmp/places/hw_subset.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>

#include "openmp/support/scanner.hpp"
#include "system/environment.h"

namespace weir::openmp {

namespace {

using kind = hw_layer::kind;

std::optional<kind> kind_of(std::string_view word) {
  static constexpr std::pair<std::string_view, kind> words[] = {
      {"s", kind::socket},      {"socket", kind::socket},           {"sockets", kind::socket},
      {"n", kind::numa_domain}, {"numa_domain", kind::numa_domain}, {"numa_domains", kind::numa_domain},
      {"ll", kind::ll_cache},   {"ll_cache", kind::ll_cache},       {"ll_caches", kind::ll_cache},
      {"c", kind::core},        {"core", kind::core},               {"cores", kind::core},
      {"t", kind::thread},      {"thread", kind::thread},           {"threads", kind::thread}};
  const auto* const known = std::ranges::find(words, word, &std::pair<std::string_view, kind>::first);
  return known == std::end(words) ? std::nullopt : std::optional(known->second);
}

int number_of(const location& l, kind of) {
  switch (of) {
    case kind::socket: return l.socket;
    case kind::numa_domain: return l.numa_domain;
    case kind::ll_cache: return l.ll_cache;
    case kind::core: return l.core;
    case kind::thread: return l.thread;
  }
  return 0;
}

constinit bool is_too_much = false;
[[gnu::constructor(101)]] void when_loaded() { restrict_to_hw_subset(); }

}  // namespace

std::optional<std::vector<hw_layer>> parse_hw_subset(std::string_view text) {
  scanner in(text);
  std::vector<hw_layer> layers;
  in.take(':');
  do {
    hw_layer layer{};
    layer.count = in.integer_from(std::numeric_limits<int>::min());
    if (layer.count && *layer.count < 1) return std::nullopt;
    if (!layer.count) in.take('*');
    const auto known = kind_of(in.word());
    if (!known) return std::nullopt;
    layer.of = *known;
    if (in.take('@')) {
      const auto offset = in.integer_from(0);
      if (!offset) return std::nullopt;
      layer.offset = *offset;
    }
    if (std::ranges::find(layers, layer.of, &hw_layer::of) != layers.end()) return std::nullopt;
    layers.push_back(layer);
  } while (in.take(','));
  if (!in.done()) return std::nullopt;
  return layers;
}

std::optional<std::vector<int>> processors_of(const std::vector<hw_layer>& layers, std::vector<location> locations) {
  std::vector<hw_layer> ordered = layers;
  std::ranges::sort(ordered, {}, &hw_layer::of);
  std::vector<kind> around;
  for (const hw_layer& layer : ordered) {
    const auto part_around = [&around](const location& l) {
      std::vector<int> part;
      for (const kind k : around) part.push_back(number_of(l, k));
      return part;
    };
    std::map<std::vector<int>, std::set<int>> there;  // the numbers in each part around
    // A thread's number is one in its core, so cores are around threads even if nobody has asked for a number of them.
    if (layer.of == kind::thread && std::ranges::find(around, kind::core) == around.end()) around.push_back(kind::core);
    for (const location& l : locations) there[part_around(l)].insert(number_of(l, layer.of));
    std::map<std::vector<int>, std::set<int>> taken;
    for (const auto& [part, numbers] : there) {
      const int left = static_cast<int>(numbers.size()) - layer.offset, count = layer.count.value_or(left);
      if (count < 1 || count > left) return std::nullopt;
      const auto first = std::next(numbers.begin(), layer.offset);
      taken[part] = {first, std::next(first, count)};
    }
    std::erase_if(locations, [&](const location& l) { return !taken[part_around(l)].contains(number_of(l, layer.of)); });
    around.push_back(layer.of);
  }
  std::vector<int> processors;
  for (const location& l : locations) processors.push_back(l.processor);
  std::ranges::sort(processors);
  return processors;
}

void restrict_to_hw_subset() {
  const char* text = std::getenv("KMP_HW_SUBSET");
  if (text == nullptr) text = std::getenv("KMP_PLACE_THREADS");  // an older name
  if (text == nullptr) return;
  // The program that started this one has chosen already: here, numbers would count within what is left.
  if (const char* const chosen = weir_value_of(WEIR_HW_SUBSET); chosen != nullptr && std::string_view(chosen) == text) return;
  const auto layers = parse_hw_subset(text);
  if (!layers) return;  // read_settings() tells
  const auto processors = processors_of(*layers, locations_in(topology_below("", running_on())));
  is_too_much = !processors;
  if (processors && run_on(*processors) == 0) setenv(weir_name_of(WEIR_HW_SUBSET), text, 1);
}
bool asked_for_too_much() { return is_too_much; }

}  // namespace weir::openmp
