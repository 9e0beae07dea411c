// An entry of a table, by the name that it has there.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

namespace weir::simulator::openmp {

/// Throws std::invalid_argument, which lists the names, if there is none. `kind`: what such an entry is.
template <class Entry>
const Entry& by_name(std::span<const Entry> entries, const std::string& kind, const std::string& name) {
  std::string known;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    known += std::string(known.empty() ? "" : ", ") + entry.name;
  }
  throw std::invalid_argument("no " + kind + " is called \"" + name + "\" here; known are " + known);
}

}  // namespace weir::simulator::openmp
