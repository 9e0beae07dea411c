// The names of plans by levels: "levels:8by6down6-96packed12flag-exchange4". A profile or a user's setting may hold any text.
#include <weir/barriers/plans.hpp>

#include <charconv>
#include <stdexcept>

namespace weir::plans {

namespace {

constexpr std::string_view prefix = "levels:";
// Of dissemination: with more signals in a round, proofs take seconds.
constexpr unsigned most_radix = 16;

[[noreturn]] void expected(const std::string& what) {
  throw std::invalid_argument("expected " + what + ", as in levels:8by6down6-96by12down12-exchange4");
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

unsigned number(std::string_view& text, unsigned least, unsigned most, const char* what) {
  unsigned n = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  // Each plan has one name: no zeros before a number.
  if (error != std::errc() || text.front() == '0' || n < least || n > most)
    expected(std::string(what) + " from " + std::to_string(least) + " to " + std::to_string(most));
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return n;
}

// by4down2
level_shape level_in(std::string_view& text) {
  level_shape shape;
  shape.packed = take(text, "packed");
  if (!shape.packed && !take(text, "by")) expected("by or packed after a size");
  shape.ways = number(text, 2, most_by_levels, "the ways of an arrival");
  const bool one_flag = take(text, "flag");
  if (!one_flag && !take(text, "down")) expected("down or flag after the ways");
  shape.fan_out = one_flag ? 0 : number(text, 1, most_by_levels, "the fan-out of a release");
  return shape;
}

}  // namespace

bool names_levels(std::string_view name) { return name.starts_with(prefix); }

std::string name_of(const levels_shape& shape) {
  std::string name(prefix);
  for (const level_shape& level : shape.levels) {
    const bool last = &level == &shape.levels.back();
    if (!last) name += std::to_string(level.size);
    if (last && shape.exchange_radix != 0) {
      name += shape.exchange_radix == 1 ? "pairs" : "exchange" + std::to_string(shape.exchange_radix);
      break;
    }
    name += (level.packed ? "packed" : "by") + std::to_string(level.ways);
    name += level.fan_out == 0 ? "flag" : "down" + std::to_string(level.fan_out);
    if (!last) name += '-';
  }
  return name;
}

levels_shape levels_called(std::string_view name) {
  if (!take(name, prefix)) expected("levels:");
  levels_shape shape;
  for (unsigned below = 1;;) {
    level_shape& level = shape.levels.emplace_back();
    if (take(name, "pairs")) {
      shape.exchange_radix = 1;
      break;
    }
    if (take(name, "exchange")) {
      shape.exchange_radix = number(name, 2, most_radix, "a radix");
      break;
    }
    const bool last = name.starts_with("by") || name.starts_with("packed");
    const unsigned size = last ? 0 : number(name, 2, most_by_levels, "the size of a group");
    level = level_in(name);
    level.size = size;
    if (last) break;
    if (size == below || size % below != 0) expected("a size that is a multiple of the one below, " + std::to_string(below));
    if (!take(name, "-")) expected("- and a further level after one that has a size");
    below = size;
  }
  if (!name.empty()) expected("nothing after the last level, which is the one without a size");
  return shape;
}

}  // namespace weir::plans
