// Barriers in simulated time, under SimGrid's SMPI: the time of consecutive barriers, of one that all ranks enter at the same
// moment, and whether a rank left before all had arrived. Driven by python/weir/scale/measuring.py; one line of JSON on standard
// output.
//
//   scale ALGORITHM RADIX FAN_IN FAN_OUT EPISODES CORES WITHIN NODE_NS
//
// ALGORITHM: a name of weir::mpi::algorithms(), "auto", or "MPI_Barrier".
// CORES: the number of processes on a node, which each rank represents. All ranks of a simulation live in one process, where
// shared memory would cost nothing. So a rank is a node's leader. The cost of the node's own barrier, arrival and release, is
// NODE_NS, from the simulator of shared memory. That time passes between a leader's barriers, as it does if members arrive at the
// same moment.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/mpi.hpp>

#include "../number.hpp"
#include "choice.hpp"

namespace {

double to_ns(double seconds) { return seconds * 1e9; }

void let_pass(double ns) {
  if (ns <= 0) return;
  const auto whole = static_cast<time_t>(ns * 1e-9);
  const timespec length{whole, static_cast<long>(ns - 1e9 * static_cast<double>(whole) + 0.5)};
  nanosleep(&length, nullptr);  // simulated, as MPI_Wtime is
}

struct ranks {
  int rank = 0, size = 0;
  ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  double latest(double at) const { return over_all(at, MPI_MAX); }
  double earliest(double at) const { return over_all(at, MPI_MIN); }

 private:
  static double over_all(double own, MPI_Op op) {
    double result = 0;
    MPI_Allreduce(&own, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return result;
  }
};

/// All ranks continue at the same moment.
void together(const ranks& world) {
  constexpr double margin_ns = 1e6;
  const double latest = world.latest(MPI_Wtime());
  let_pass(to_ns(latest - MPI_Wtime()) + margin_ns);
}

using pass = std::function<void()>;

double consecutive(const ranks& world, const pass& barrier, int episodes) {
  constexpr int warm_up = 5;
  together(world);
  for (int i = 0; i < warm_up; ++i) barrier();
  const double begun = MPI_Wtime();
  for (int i = 0; i < episodes; ++i) barrier();
  const double over = MPI_Wtime();
  return to_ns(world.latest(over) - world.latest(begun)) / episodes;
}

double alone(const ranks& world, const pass& barrier) {
  together(world);
  const double begun = MPI_Wtime();
  barrier();
  const double over = MPI_Wtime();
  return to_ns(world.latest(over) - world.latest(begun));
}

/// A different rank is late each time; no rank may leave before it arrives.
bool kept(const ranks& world, const pass& barrier) {
  constexpr double late_ns = 300e3;
  constexpr int episodes = 4;
  bool all_kept = true;
  for (int i = 0; i < episodes; ++i) {
    together(world);
    if (world.rank == i * (world.size - 1) / (episodes - 1)) let_pass(late_ns);
    const double come = MPI_Wtime();
    barrier();
    const double left = MPI_Wtime();
    if (world.earliest(left) < world.latest(come)) all_kept = false;
  }
  return all_kept;
}

/// The library's choice if each rank's node had this number of processes.
weir::mpi::choice choice_with(int nodes, unsigned cores) {
  weir::mpi::places p;
  for (unsigned n = 0; n < static_cast<unsigned>(nodes); ++n) {
    p.nodes.emplace_back();
    for (unsigned c = 0; c < cores; ++c) {
      p.nodes.back().push_back(n * cores + c);
      p.node_of.push_back(n);
    }
  }
  return weir::mpi::choose(p, {});
}

struct asked {
  weir::mpi::options how;
  int episodes;
  unsigned cores;
  std::string within;
  double node_ns;

  explicit asked(char** words)
      : how{.algorithm = words[1],
            .waiting = "mpi",
            .radix = count("RADIX", words[2]),
            .fan_in = count("FAN_IN", words[3]),
            .fan_out = count("FAN_OUT", words[4]),
            .learns = false},  // trials would compare times of this machine, which simulates
        episodes(static_cast<int>(count("EPISODES", words[5]))),
        cores(count("CORES", words[6])),
        within(words[7]),
        node_ns(bench::number_in("NODE_NS", words[8], 0, 1e12)) {}

 private:
  static unsigned count(const char* what, const char* text) { return bench::whole_number_in(what, text, 1, 1'000'000); }
};

void measure(const asked& a, const ranks& world) {
  std::string says = "MPI's own";
  std::unique_ptr<weir::mpi::barrier> weirs;
  pass across = [] { MPI_Barrier(MPI_COMM_WORLD); };
  if (a.how.algorithm != "MPI_Barrier") {
    weirs = std::make_unique<weir::mpi::barrier>(MPI_COMM_WORLD, a.how);
    across = [&] { weirs->arrive_and_wait(); };
    says = weirs->choice().algorithm + ": " + weirs->choice().reason;
  }
  if (a.cores > 1 && a.how.algorithm == "auto") {
    const weir::mpi::choice there = choice_with(world.size, a.cores);
    if (there.within != a.within)
      throw std::invalid_argument("scale: within a node of " + std::to_string(a.cores) + " the library takes " + there.within +
                                  ", but the given time is that of " + a.within);
    says = there.algorithm + ", within a node " + there.within + ": " + there.reason;
  }
  const pass barrier = [&] {
    let_pass(a.node_ns);
    across();
  };
  const double consecutive_ns = consecutive(world, barrier, a.episodes);
  const double alone_ns = alone(world, barrier);
  const bool good = kept(world, barrier);
  if (world.rank == 0)
    std::printf("{\"time_ns\": %.3f, \"alone_ns\": %.3f, \"kept\": %s, \"ranks\": %d, \"chosen\": \"%s\"}\n", consecutive_ns,
                alone_ns, good ? "true" : "false", world.size, says.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) {
    std::fprintf(stderr, "scale: ALGORITHM RADIX FAN_IN FAN_OUT EPISODES CORES WITHIN NODE_NS\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  const ranks world;
  try {
    measure(asked(argv), world);
  } catch (const std::exception& e) {
    if (world.rank == 0) std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
