// Rank 0's part: all series take one sample in turn, in random order, round after round.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../machine/transfer_probe.hpp"
#include "arguments.hpp"
#include "ensemble.hpp"
#include "site.hpp"

namespace bench::mpi {

/// One subject by one method.
struct series {
  std::string id, method;
  std::size_t subject = 0;
  std::uint64_t inner = 0;  // episodes in a sample
  double window_ns = 0;     // from one start to the next, for round-time
  double spent_ms = 0;
  unsigned samples = 0, late = 0, in_vain = 0;
  bool stopped = false;
};

class session {
 public:
  /// `here`: if threads share processors, a sample is four times as long, to contain several time slices. `say` receives each
  /// event, a line of JSON (docs/records.md).
  session(ensemble& ranks, const arguments& asked, const site& here, std::vector<series> plan,
          std::function<void(const nlohmann::json&)> say);

  void run();

 private:
  void shuffle();
  void take(series& s, unsigned turn);
  void pilot(series& s);
  // The event of a sample; null if there was none.
  nlohmann::json sample_consecutive(series& s, unsigned turn);
  nlohmann::json sample_in_rounds(series& s, unsigned turn);
  void stop(series& s, const std::string& why);
  nlohmann::json probe();

  ensemble& ranks_;
  const arguments& asked_;
  const bool shared_;
  std::vector<series> plan_;
  const std::function<void(const nlohmann::json&)> say_;
  std::mt19937 random_;
  std::optional<transfer_probe> transfer_;  // used between samples, when all processes rest
  nlohmann::json before_;                   // the probe before the next sample
};

}  // namespace bench::mpi
