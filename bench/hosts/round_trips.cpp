// The time of a barrier between hosts, and the time that its messages need on the network between them.
//
//   round-trips-MPI [ROUNDS [EPISODES]]
//
// Prints a line for each barrier: its name, the number of messages between hosts on its critical path, and its median time;
// before these a line for a message itself. Comma-separated; times in microseconds.
//
// A barrier's time is that of EPISODES in a row over their number, by each process's own clock: hosts have no common clock, and
// of two processes that are half a barrier apart, each finds every second barrier complete. A message's time is half of a
// ping-pong's. Barriers and ping-pong are measured in turn, so that drift affects all alike.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <time.h>
#include <vector>

#include <weir/barriers/plans.hpp>
#include <weir/mpi.hpp>

namespace {

constexpr auto unsaid = std::numeric_limits<unsigned>::max();

double now_us() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

using groups = std::vector<std::vector<unsigned>>;

groups hosts() {
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  std::vector<int> firsts(static_cast<std::size_t>(size));
  MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  groups nodes;
  for (std::size_t r = 0; r < firsts.size(); ++r) {
    const auto same = [&](const std::vector<unsigned>& g) { return static_cast<int>(g.front()) == firsts[r]; };
    auto found = std::find_if(nodes.begin(), nodes.end(), same);
    if (found == nodes.end()) found = nodes.insert(found, std::vector<unsigned>());
    found->push_back(static_cast<unsigned>(r));
  }
  return nodes;
}

weir::plan plan_called(const std::string& name, unsigned participants, unsigned radix = 2) {
  return weir::plans::by_name(name, participants, {.radix = radix}).value();
}

weir::plan plan_of(const weir::mpi::choice& c, const groups& on) {
  const auto across = [&](unsigned participants) { return plan_called(c.algorithm, participants, c.radix); };
  if (c.within != "none")
    return weir::plans::levels(on, [&](unsigned participants) { return plan_called(c.within, participants); }, across);
  unsigned participants = 0;
  for (const auto& group : on) participants += static_cast<unsigned>(group.size());
  return across(participants);
}

/// The length of the critical path, where signals within a host count zero.
unsigned messages_in_a_row(const weir::plan& p, const groups& on) {
  std::vector<unsigned> group(p.participants()), reached(p.participants()), signaller(p.slots()), told(p.slots(), unsaid);
  for (unsigned g = 0; g < on.size(); ++g)
    for (const unsigned r : on[g]) group[r] = g;
  std::vector<std::vector<weir::step>> left;
  for (const auto& script : p.scripts) {
    left.emplace_back(script.arrival);
    left.back().insert(left.back().end(), script.release.begin(), script.release.end());
    std::reverse(left.back().begin(), left.back().end());
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned i = 0; i < p.participants(); ++i)
      for (; !left[i].empty(); left[i].pop_back(), moved = true) {
        const weir::step s = left[i].back();
        if (s.act == weir::step::action::signal) {
          signaller[s.slot] = i;
          told[s.slot] = reached[i];
        } else if (told[s.slot] == unsaid) {
          break;
        } else {
          reached[i] = std::max(reached[i], told[s.slot] + (group[signaller[s.slot]] == group[i] ? 0 : 1));
        }
      }
  }
  return *std::max_element(reached.begin(), reached.end());
}

struct subject {
  std::string name;
  unsigned messages;  // 0: not known
  std::function<void()> pass;
  std::vector<double> times;
};

void sleep_briefly() {
  const timespec length{0, 200'000};
  nanosleep(&length, nullptr);
}

// Between the first processes of two hosts; the others sleep, so that they leave the processors free.
void ping_pong(const groups& on, int rank, unsigned exchanges, std::vector<double>& times) {
  const int a = static_cast<int>(on[0].front()), b = static_cast<int>(on[1].front());
  for (unsigned i = 0; i < exchanges; ++i) {
    if (rank == a) {
      const double start = now_us();
      MPI_Send(nullptr, 0, MPI_BYTE, b, 1, MPI_COMM_WORLD);
      MPI_Recv(nullptr, 0, MPI_BYTE, b, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      times.push_back((now_us() - start) / 2);
    } else if (rank == b) {
      MPI_Recv(nullptr, 0, MPI_BYTE, a, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(nullptr, 0, MPI_BYTE, a, 1, MPI_COMM_WORLD);
    }
  }
  MPI_Request all_done;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
  for (int done = 0; MPI_Test(&all_done, &done, MPI_STATUS_IGNORE), !done;) sleep_briefly();
}

double median(std::vector<double>& of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

// Over all rounds of all processes; meaningful in process 0.
double median_of_all(const std::vector<double>& own, int size) {
  std::vector<double> gathered(own.size() * static_cast<std::size_t>(size));
  const auto count = static_cast<int>(own.size());
  MPI_Gather(own.data(), count, MPI_DOUBLE, gathered.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return median(gathered);
}

void measure(int rank, int size, unsigned rounds, unsigned episodes) {
  const groups on = hosts();
  if (on.size() < 2) {
    if (rank == 0) std::fputs("round-trips: all processes are on one host; scripts/hosts makes several\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  std::vector<std::unique_ptr<weir::mpi::barrier>> barriers;
  std::vector<subject> subjects;
  for (const char* name : {"auto", "dissemination", "mcs", "tournament-tree", "linear"}) {
    barriers.push_back(std::make_unique<weir::mpi::barrier>(MPI_COMM_WORLD, weir::mpi::options{.algorithm = name}));
    weir::mpi::barrier* const b = barriers.back().get();
    subjects.push_back({name, messages_in_a_row(plan_of(b->choice(), on), on), [b] { b->arrive_and_wait(); }, {}});
  }
  subjects.push_back({"MPI_Barrier", 0, [] { MPI_Barrier(MPI_COMM_WORLD); }, {}});

  std::vector<double> one_way;
  for (unsigned round = 0; round < rounds; ++round) {
    ping_pong(on, rank, episodes, one_way);
    for (subject& s : subjects) {
      s.pass();
      s.pass();  // from here on all are in step
      const double start = now_us();
      for (unsigned e = 0; e < episodes; ++e) s.pass();
      s.times.push_back((now_us() - start) / episodes);
    }
  }
  if (rank == 0) std::printf("message,1,%.1f\n", median(one_way));
  for (subject& s : subjects)
    if (const double m = median_of_all(s.times, size); rank == 0) std::printf("%s,%u,%.1f\n", s.name.c_str(), s.messages, m);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto rounds = static_cast<unsigned>(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 10);
  const auto episodes = static_cast<unsigned>(argc > 2 ? std::max(std::atoi(argv[2]), 1) : 10);
  measure(rank, size, rounds, episodes);
  MPI_Finalize();
}
