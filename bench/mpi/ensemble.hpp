// All threads of all processes, which take samples as rank 0 orders.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "conversation.hpp"
#include "subjects.hpp"

namespace bench::mpi {

/// The time of consecutive episodes, without a pause.
struct reading {
  double wall_ns = 0;  // of the slowest process, by its own clock
  double cpu_ns = 0;   // of all threads
};

/// The times of episodes that all processes began at agreed instants.
struct rounds {
  std::vector<double> wall_ns;  // of each valid episode: from the last arrival to the last departure, in common time
  unsigned late = 0;            // invalid ones: a thread arrived too long after its instant
  double clock_ns = 0;          // the largest possible difference of clocks
  double apart_ns = 0;          // the largest distance of an arrival from its instant, over the valid episodes
};

class ensemble {
 public:
  /// `processors`: one for each thread, which is bound to it; or none.
  ensemble(conversation& talk, const process_clock& clock, unsigned threads, const std::vector<int>& processors,
           std::vector<std::unique_ptr<subject>>& subjects);

  /// All processes but rank 0: executes its orders until it calls end().
  void serve();

  // Rank 0:
  reading consecutive(std::size_t subject, std::uint64_t episodes);
  rounds in_rounds(std::size_t subject, std::uint64_t episodes, double window_ns);
  /// The offsets of the clocks now.
  const std::vector<clock_offset>& synchronise();
  void end();

 private:
  struct order {
    enum class kind : std::uint8_t { consecutive, rounds, synchronise, end } what;
    std::size_t subject = 0;
    std::uint64_t episodes = 0;
    std::int64_t first = 0, window = 0;  // common time
  };
  struct visit {
    std::int64_t came, left;  // arrival and departure of the last thread
    bool late;
  };

  reading pass(const order& o);
  std::vector<visit> pass_in_rounds(const order& o);
  reading consecutive(const order& o);
  rounds in_rounds(const order& o);

  conversation& talk_;
  const process_clock& clock_;
  common_time time_;
  const unsigned threads_;
  std::vector<std::unique_ptr<subject>>& subjects_;
};

}  // namespace bench::mpi
