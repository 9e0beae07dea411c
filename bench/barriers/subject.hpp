// A subject of a measurement, which members pass again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../machine/delay.hpp"

namespace bench {

/// The team that a subject is built for.
struct setting {
  unsigned members;
  std::vector<int> processors;  // that the members run on
  bool pinned;                  // member i bound to processors[i % size]

  std::vector<int> placement() const {
    std::vector<int> where;
    for (unsigned m = 0; pinned && m < members; ++m) where.push_back(processors[m % processors.size()]);
    return where;
  }
};

class subject {
 public:
  virtual ~subject() = default;
  /// Member `m` computes a delay and passes the barrier, so many times.
  virtual void run(unsigned m, std::uint64_t episodes, const delay& work) = 0;
};

/// The loop is in the same function as the barrier's call, so that each subject is called at its usual cost: the call is inlined
/// where a user's call would be, and never goes through a pointer of this program.
template <class Pass>
class looped final : public subject {
 public:
  explicit looped(Pass pass) : pass_(std::move(pass)) {}
  void run(unsigned m, std::uint64_t episodes, const delay& work) override {
    for (std::uint64_t i = 0; i < episodes; ++i) {
      work();
      pass_(m);
    }
  }

 private:
  Pass pass_;
};

template <class Pass>
std::unique_ptr<subject> make_subject(Pass pass) {
  return std::make_unique<looped<Pass>>(std::move(pass));
}

struct description {
  std::string id;
  std::string family;     // weir, peer, mine
  std::string algorithm;
  std::string waiting;
  std::string version;
};

struct entry {
  description about;
  std::function<std::unique_ptr<subject>(const setting&, const description&)> make;
};

/// All that a program can measure; each program links the lists that it has.
using catalogue = std::vector<entry>;
/// Weir's barriers; also this plan by levels, if it is not empty.
void add_weir(catalogue&, const std::string& by_levels = "");
void add_standard(catalogue&);
void add_concurrency_kit(catalogue&);
void add_openmp(catalogue&);

}  // namespace bench
