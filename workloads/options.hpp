// The options of a workload: whole numbers within a range, and names, each with a default. A word that is no option ends the
// program.
#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace workloads {

/// Ends the program because of a usage error.
[[noreturn]] inline void refuse(std::string_view program, const std::string& why) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(program.size()), program.data(), why.c_str());
  std::exit(2);
}

class options {
 public:
  /// `about`: the first lines of --help.
  options(std::string_view program, std::string_view about) : program_(program), about_(about) {}

  options& whole(std::string_view name, long& value, long least, long most, std::string_view help) {
    known_.push_back({name, &value, nullptr, least, most, help});
    return *this;
  }

  /// The user of the name checks whether it exists.
  options& name(std::string_view name, std::string& value, std::string_view help) {
    known_.push_back({name, nullptr, &value, 0, 0, help});
    return *this;
  }

  void read(int count, char** words) const {
    for (int i = 1; i < count; i++) {
      const std::string word = words[i];
      if (word == "--help") help();
      const option& asked = named(word);
      if (++i == count) refuse(program_, word + " takes " + takes(asked));
      set(asked, words[i]);
    }
  }

 private:
  struct option {
    std::string_view name;
    long* value;        // of a whole number
    std::string* text;  // or of a name
    long least, most;
    std::string_view help;
  };

  static std::string takes(const option& o) {
    return o.text != nullptr ? "a name" : "a whole number from " + std::to_string(o.least) + " to " + std::to_string(o.most);
  }

  const option& named(const std::string& word) const {
    for (const option& o : known_)
      if (word == o.name) return o;
    refuse(program_, "no option is called \"" + word + "\"; --help lists them");
  }

  void set(const option& o, std::string_view word) const {
    if (o.text != nullptr) {
      *o.text = word;
      return;
    }
    long value = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || rest != word.data() + word.size() || value < o.least || value > o.most)
      refuse(program_, std::string(o.name) + " takes " + takes(o) + ", not \"" + std::string(word) + '"');
    *o.value = value;
  }

  [[noreturn]] void help() const {
    std::printf("%.*s\n\n", static_cast<int>(about_.size()), about_.data());
    for (const option& o : known_) {
      const std::string values =
          o.text != nullptr ? *o.text : std::to_string(o.least) + ".." + std::to_string(o.most) + "; " + std::to_string(*o.value);
      std::printf("  %-12.*s %.*s (%s)\n", static_cast<int>(o.name.size()), o.name.data(), static_cast<int>(o.help.size()),
                  o.help.data(), values.c_str());
    }
    std::printf("  %-12s %s\n", "--help", "this");
    std::exit(0);
  }

  std::string_view program_, about_;
  std::vector<option> known_;
};

}  // namespace workloads
