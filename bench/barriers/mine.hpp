// A barrier of the user's own, from a shared library (include/weir/mine.h).
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "subject.hpp"

namespace bench {

/// The three functions of the library, which stays loaded: threads may hold thread-local storage of the library.
struct user_barrier {
  void* (*create)(unsigned members);
  void (*wait)(void* barrier, unsigned member);
  void (*destroy)(void* barrier);

  /// Throws std::runtime_error where the library cannot be loaded or lacks a function.
  static user_barrier load(const std::string& library);

  /// A barrier that is destroyed with its last owner. Throws std::runtime_error where there is none for `members`.
  std::shared_ptr<void> made(unsigned members) const;
};

/// One subject, called after the file.
void add_mine(catalogue&, const std::string& library);

/// A team passes the barrier for a moment, and each member in turn arrives late. Returns {"episodes": N}; or {"failed": why} if a
/// member left early, or if no member moved for a while. Members may then still be inside, so the process can only be ended
/// (_Exit). Returns {"refused": why} if there is no barrier for this many members, which is no fault.
nlohmann::json check_contract(const user_barrier&, const setting&);

}  // namespace bench
