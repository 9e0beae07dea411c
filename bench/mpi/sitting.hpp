// What rank 0 does: all series take one sample in turn, in random order, round after round.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "ensemble.hpp"

namespace bench::mpi {

/// One subject by one method.
struct series {
  std::string id, method;
  std::size_t subject = 0;
  std::uint64_t inner = 0;  // episodes in a sample
  double window_ns = 0;     // from one start to the next, of round-time
  double spent_ms = 0;
  unsigned samples = 0, late = 0, in_vain = 0;
  bool stopped = false;
};

class sitting {
 public:
  /// `shared`: threads share processors; a sample is then four times as long, for several time slices. `say` is given each event,
  /// a line of JSON (docs/records.md).
  sitting(ensemble& all, const arguments& asked, bool shared, std::vector<series> plan,
          std::function<void(const nlohmann::json&)> say)
      : all_(all), asked_(asked), shared_(shared), plan_(std::move(plan)), say_(std::move(say)), random_(asked.seed) {}

  void run();

 private:
  void shuffle();
  void take(series& s, unsigned turn);
  void pilot(series& s);
  void sample_consecutive(series& s, unsigned turn);
  void sample_in_rounds(series& s, unsigned turn);
  void stop(series& s, const std::string& why);

  ensemble& all_;
  const arguments& asked_;
  const bool shared_;
  std::vector<series> plan_;
  const std::function<void(const nlohmann::json&)> say_;
  std::mt19937 random_;
};

}  // namespace bench::mpi
