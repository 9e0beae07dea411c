// The work of pools of tasks: chains of integers that go on from round to round, of uneven lengths.
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "work.hpp"

namespace pools {

/// `count` chains. In a round, chain p takes between half and three halves of `steps`.
class parts {
 public:
  parts(long count, long steps) : steps_(steps), at_(static_cast<std::size_t>(count)) {
    for (std::size_t p = 0; p < at_.size(); p++) at_[p].value = begins(p);
  }

  void advance(std::size_t p) { at_[p].value = workloads::chain(at_[p].value, length(p)); }

  std::uint64_t sum() const {
    std::uint64_t found = 0;
    for (const part& one : at_) found += one.value;
    return found;
  }

  /// Whether each part was computed once in each round.
  bool right(std::string_view program, long rounds) const {
    for (std::size_t p = 0; p < at_.size(); p++)
      if (workloads::chain(begins(p), length(p) * rounds) != at_[p].value) {
        std::fprintf(stderr, "%.*s: wrong: part %zu was not computed once in each round\n", static_cast<int>(program.size()),
                     program.data(), p);
        return false;
      }
    return true;
  }

 private:
  struct alignas(64) part {
    std::uint64_t value = 0;
  };

  static std::uint64_t begins(std::size_t p) { return p + 1; }
  long length(std::size_t p) const { return steps_ / 2 + steps_ * static_cast<long>(p) / static_cast<long>(at_.size()); }

  long steps_;
  std::vector<part> at_;
};

/// Prints the result of all jobs; the exit status.
inline int finish(std::string_view program, const std::vector<parts>& jobs, long rounds) {
  std::uint64_t sum = 0;
  bool right = true;
  for (const parts& one : jobs) {
    sum += one.sum();
    right = one.right(program, rounds) && right;
  }
  std::printf("%zu jobs of %ld rounds, the parts' sum is %016" PRIx64 "\n", jobs.size(), rounds, sum);
  return right ? 0 : 1;
}

}  // namespace pools
