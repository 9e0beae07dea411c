// Barriers that try others while they are in use: no process leaves an episode before all have arrived, and all have the same
// choice after each episode, whoever passes it in two halves.
//
//   learning-MPI            until there has been a trial; on, for some more or some time, because trials that cost much are rare
//   learning-MPI off        with a process that does not want to learn: there are none
//   learning-MPI none       there shall be none, for a reason in the environment
//   learning-MPI again      barriers one after the other, each of which ends with the episode in which rank 0 tells what comes
//   next
#include <weir/mpi.hpp>

#include <functional>
#include <string>

#include "barriers/trials.hpp"
#include "checking.hpp"

namespace {

// In the same episode some processes begin and end, and others wait at once.
void pass(weir::mpi::barrier& b, unsigned episode) {
  if ((episode + b.rank()) % 3 != 0) return b.arrive_and_wait();
  b.begin();
  if (episode % 2 == 0) b.test();
  b.end();
}

std::string differs(const weir::mpi::barrier& b) {
  const std::string said = b.choice().algorithm + "/" + b.choice().within + "/" + std::to_string(b.choice().radix);
  std::vector<std::int64_t> own{static_cast<std::int64_t>(std::hash<std::string>()(said)),
                                 static_cast<std::int64_t>(b.tried().trials)};
  std::vector<std::int64_t> least(2), most(2);
  checking::combine(own, least, MPI_MIN, MPI_COMM_WORLD);
  checking::combine(own, most, MPI_MAX, MPI_COMM_WORLD);
  return least == most ? "" : "processes have different choices";
}

// What a barrier has told is not heard by the next one, whose communicator may have the same number.
void pass_again() {
  constexpr unsigned told = weir::trials::course{}.rest + 1;
  for (unsigned n = 0; n < 4; ++n) {
    weir::mpi::barrier b(MPI_COMM_WORLD);
    unsigned episode = 0;
    const auto run = [&] { pass(b, episode++); };
    checking::require(checking::keeps(MPI_COMM_WORLD, told, run, false), "until the first telling");
    if (n != 3) continue;
    checking::require(checking::keeps(MPI_COMM_WORLD, 20 * told, run, false), "after it");
    checking::require(differs(b), "after it");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = checking::rank_in(MPI_COMM_WORLD);
  const std::string how = argc > 1 ? argv[1] : "on";
  const bool off = how == "off" || how == "none";
  if (how == "again") {
    pass_again();
    if (rank == 0) std::puts("kept");
    std::fflush(stdout);
  } else {
    weir::mpi::barrier b(MPI_COMM_WORLD, {.learns = how != "off" || rank != 1});
    const std::int64_t start = checking::now();
    constexpr unsigned chunk = 2000;
    unsigned episode = 0;
    const auto run = [&] {
      checking::require(checking::keeps(MPI_COMM_WORLD, chunk, [&] { pass(b, episode++); }, false), "while trying");
      checking::require(differs(b), "after a trial");
    };
    std::vector<std::int64_t> longest(1);
    const auto is_within = [&](std::int64_t seconds) {  // on a busy machine an episode may take a time slice
      checking::combine({checking::now() - start}, longest, MPI_MAX, MPI_COMM_WORLD);
      return longest[0] < seconds * 1'000'000'000;
    };
    while (episode < 10 * chunk && (off ? is_within(5) : b.tried().trials < 4)) run();
    while (!off && b.tried().trials == 0 && is_within(60)) run();  // episodes that take longer than is worth a trial have none
    if (rank == 0) {
      std::printf("%u episodes, %u trials, %.3f ms of %.3f s lost; %s within %s: %s\n", episode,
                  static_cast<unsigned>(b.tried().trials), 1e-3 * b.tried().lost_us,
                  1e-9 * static_cast<double>(checking::now() - start), b.choice().algorithm.c_str(), b.choice().within.c_str(),
                  b.choice().reason.c_str());
      if (off && b.tried().trials != 0) checking::require("there were trials", how);
      std::puts("kept");
      std::fflush(stdout);
    }
  }
  MPI_Finalize();
}
