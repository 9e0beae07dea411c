// The variables of an environment, with warnings of malformed ones.
#pragma once

#include <string_view>

#include "openmp/settings/parse.hpp"
#include "system/environment.h"

namespace weir::openmp {

class variables {
 public:
  variables(const lookup& environment, std::vector<std::string>& warnings) : environment_(environment), warnings_(warnings) {}

  /// The value unchanged.
  std::optional<std::string> exact(const std::string& name) const {
    const char* const value = environment_(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  }

  /// The value without the blanks around it; an empty variable counts as unset.
  std::optional<std::string> text(const std::string& name) const {
    const auto value = exact(name);
    const std::string_view inner = trimmed(value ? *value : std::string_view());
    return inner.empty() ? std::nullopt : std::optional<std::string>(inner);
  }

  template <class Parse>
  auto read(const std::string& name, Parse parse, std::string_view expected) const -> decltype(parse(std::string_view())) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    auto result = parse(*value);
    if (!result) malformed(name, *value, expected);
    return result;
  }

  /// One of Weir's own, if this build reads it.
  template <class Parse>
  auto read(weir_variable variable, Parse parse, std::string_view expected) const -> decltype(parse(std::string_view())) {
    if (!weir_reads(variable)) return std::nullopt;
    return read(std::string(weir_name_of(variable)), parse, expected);
  }
  template <class Parse>
  auto read(weir_variable variable, Parse parse) const {
    return read(variable, parse, weir_values_of(variable));
  }

  /// NAME, or NAME_ALL, which applies to the host and the devices.
  template <class Parse>
  auto read_host(const std::string& name, Parse parse, std::string_view expected) const {
    auto of_host = read(name, parse, expected);
    auto of_all = read(name + "_ALL", parse, expected);
    return of_host ? of_host : of_all;
  }

  void warn(std::string sentence) const { warnings_.push_back(std::move(sentence)); }

  void malformed(const std::string& name, const std::string& value, std::string_view expected) const {
    warn(name + "=\"" + value + "\" is not understood: expected " + std::string(expected) + "; it is ignored");
  }

 private:
  const lookup& environment_;
  std::vector<std::string>& warnings_;
};

/// The first that has a value.
template <class Value>
std::optional<Value> first_of(std::initializer_list<std::optional<Value>> values) {
  for (const auto& value : values)
    if (value) return value;
  return std::nullopt;
}

}  // namespace weir::openmp
