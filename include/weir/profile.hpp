// SPDX-License-Identifier: Apache-2.0
// The profile of this machine: which barriers `weir tune` has found to be faster here than those that "auto" takes otherwise.
//
// A profile is a small text file [Weir's docs/tune.md], with a section for each machine that it knows, by the machine's signature
// (machine/topology.hpp). WEIR_PROFILE names the file, or is "none". Otherwise it is $XDG_CONFIG_HOME/weir/profile
// (~/.config/weir/profile) or, if this one says nothing about the machine, /etc/weir/profile.
#pragma once

#if __cplusplus <= 201703L
#error "Weir needs C++20: compile with -std=c++20"
#else

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weir/team.hpp>

namespace weir {

/// What a file says of one machine.
struct machine_profile {
  /// In teams of this size, this barrier was faster than the usual one.
  struct finding {
    unsigned members;
    bool bound;  ///< was each member bound to a processor?
    std::string barrier, usual;  ///< names of algorithms(); `barrier` in teams that are bound, also of a plan by levels
    double ns, usual_ns;
  };

  std::string signature;
  unsigned processors = 0;     ///< those that the teams used
  bool simulated = false;      ///< instead of measured
  std::string date;            ///< 2026-11-25
  std::array<std::vector<unsigned>, 2> sizes;  ///< that were tried, ascending: of teams that are not bound, and of those that are
  std::vector<finding> findings;
};

/// The sections of a file, each of which is checked. Throws std::invalid_argument: the line, and what was expected there.
std::vector<machine_profile> parsed_profile(std::string_view text);

/// What the profile says about a team of this size, or null. A size that was not tried lies between two that were: if one barrier
/// was the faster one in both, it is taken for the sizes between them, unless only the larger ones share processors.
const machine_profile::finding* found_in(const machine_profile& known, unsigned members, bool bound);

/// Is this a team like those that were tried: of kernel threads, on as many processors and without a quota; not bound, or with as
/// many members on each of `processors` as if they had been bound to them in turn?
bool is_like_those_tried(const team& t, const machine_profile& known, std::span<const int> processors);

/// The profile that this process uses.
struct profile_in_use {
  std::string file;                       ///< the file that it is in, or the last one that was tried; empty: there is none
  std::optional<machine_profile> profile;  ///< none: no file speaks of this machine
  std::vector<std::string> troubles = {}; ///< of each file that is not used: which file, why, and what to do
};

/// Looks for it, as above. `variable`, `config`, `home`: values of WEIR_PROFILE, XDG_CONFIG_HOME and HOME, null if they are not
/// set; `root`: where the files of the system are (empty but for tests). `trusted`: does the program run with the rights of its
/// user? Otherwise only the file in /etc is read. Trouble that the user should know of in each process is passed to `tell`.
profile_in_use find_profile(const char* variable, const char* config, const char* home, const std::string& root, bool trusted,
                            void (*tell)(const std::string&));

/// Of this process, found at the first call; says on stderr what is wrong with a file. Thread-safe.
const profile_in_use& profile_here();

/// In one line, for people: which file is used, or why none is. Empty: there is none.
std::string in_words(const profile_in_use& profile);

}  // namespace weir

#endif
