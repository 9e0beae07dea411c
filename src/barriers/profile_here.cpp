// Which file is this process's profile, and what is wrong with the others.
#include <weir/profile.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>

#include "../system/environment.h"
#include "../system/errno_kept.hpp"
#include "../system/made_once.hpp"

namespace weir {

namespace {

constexpr std::size_t most_bytes = 64 << 10;
constexpr const char* again = "; weir tune writes a new one";

struct file_text {
  std::string text;
  std::string trouble;  // why there is none
  bool missing = false;
};

// Not what has no end, such as a device, nor what keeps a reader waiting, such as a pipe.
file_text read_file(const std::string& path) {
  const errno_kept around;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return {"", std::strerror(errno), errno == ENOENT || errno == ENOTDIR};
  struct stat about;
  file_text contents;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    contents.trouble = "it is no regular file";
  } else {
    contents.text.resize(most_bytes + 1);
    std::size_t got = 0;
    ssize_t part = 0;
    while (got < contents.text.size() &&
           ((part = read(file, contents.text.data() + got, contents.text.size() - got)) > 0 || (part < 0 && errno == EINTR)))
      if (part > 0) got += static_cast<std::size_t>(part);
    if (part < 0) contents.trouble = std::strerror(errno);
    contents.text.resize(got);
    if (got > most_bytes) contents.trouble = "it is larger than 64 KiB, which no profile is" + std::string(again);
  }
  close(file);
  return contents;
}

std::string signature_here(const std::string& root) {
  std::vector<int> online = processors_online(root);
  return signature(topology_below(root, online.empty() ? affinity() : online));
}

class search {
 public:
  search(const std::string& root, void (*tell)(const std::string&)) : root_(root), tell_(tell) {}

  // `named`: by the user, who wants to know whatever is wrong. Elsewhere a home may be that of several machines, or not for
  // this user to read; a damaged file is wrong in any place.
  void look_at(const std::string& path, bool named) {
    if (found_.profile) return;
    const file_text read = read_file(path);
    if (read.missing && !named) return;
    found_.file = path;
    if (!read.trouble.empty()) return refuse(read.trouble, named || read.text.size() > most_bytes);
    try {
      take(parsed_profile(read.text), named);
    } catch (const std::invalid_argument& damage) {
      refuse(damage.what() + std::string(again), true);
    }
  }
  profile_in_use found() && { return std::move(found_); }

 private:
  void take(std::vector<machine_profile> machines, bool named) {
    const std::string here = signature_here(root_);
    const auto found = std::ranges::find(machines, here, &machine_profile::signature);
    if (found != machines.end()) {
      found_.profile = std::move(*found);
      return;
    }
    std::string others;
    for (const machine_profile& m : machines) others += (others.empty() ? "" : ", or ") + m.signature;
    refuse("it is of a machine with " + (others.empty() ? "nothing" : others) + ", and this one has " + here +
               "; weir tune measures this one",
           named);
  }

  void refuse(const std::string& why, bool to_be_told) {
    const std::string words = "the profile " + found_.file + " is not used: " + why;
    found_.troubles.push_back(words);
    if (to_be_told) tell_(words);
  }

  const std::string& root_;
  void (*const tell_)(const std::string&);
  profile_in_use found_;
};

}  // namespace

profile_in_use find_profile(const char* variable, const char* config, const char* home, const std::string& root, bool trusted,
                            void (*tell)(const std::string&)) {
  search found(root, tell);
  if (trusted && variable != nullptr && *variable != '\0') {
    if (std::string_view(variable) != "none") found.look_at(variable, true);
    return std::move(found).found();
  }
  // A relative name is none [XDG Base Directory Specification].
  if (trusted && config != nullptr && *config == '/')
    found.look_at(std::string(config) + "/weir/profile", false);
  else if (trusted && home != nullptr && *home == '/')
    found.look_at(std::string(home) + "/.config/weir/profile", false);
  found.look_at(root + "/etc/weir/profile", false);
  return std::move(found).found();
}

const profile_in_use& profile_here() {
  static constinit made_once<profile_in_use> here;
  return here([] {
    const auto tell = [](const std::string& words) { std::fprintf(stderr, "weir: %s\n", words.c_str()); };
    return find_profile(weir_value_of(WEIR_PROFILE), std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"), "",
                        getauxval(AT_SECURE) == 0, tell);
  });
}

std::string in_words(const profile_in_use& profile) {
  std::string words;
  if (profile.profile)
    words = profile.file + (profile.profile->simulated ? ", simulated on " : ", measured on ") + profile.profile->date + " for " +
            profile.profile->signature;
  for (const std::string& trouble : profile.troubles) words += (words.empty() ? "" : "; ") + trouble;
  return words;
}

}  // namespace weir
