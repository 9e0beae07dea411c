#include "subjects.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <weir/mpi.hpp>

namespace bench::mpi {

namespace {

template <class Pass>
class looped final : public subject {
 public:
  explicit looped(Pass pass) : pass_(std::move(pass)) {}
  void run(unsigned thread, std::uint64_t episodes) override {
    for (std::uint64_t i = 0; i < episodes; ++i) pass_(thread);
  }

 private:
  Pass pass_;
};

template <class Pass>
std::unique_ptr<subject> peer(Pass pass) {
  return std::make_unique<looped<Pass>>(std::move(pass));
}

nlohmann::json shown(const weir::mpi::choice& c) {
  return {{"algorithm", c.algorithm}, {"within", c.within}, {"transport", c.transport}, {"reason", c.reason}};
}

class of_processes final : public subject {
 public:
  explicit of_processes(const weir::mpi::options& how) : barrier_(MPI_COMM_WORLD, how) {}
  void run(unsigned, std::uint64_t episodes) override {
    for (std::uint64_t i = 0; i < episodes; ++i) barrier_.arrive_and_wait();
  }
  nlohmann::json choice() const override { return shown(barrier_.choice()); }

 private:
  weir::mpi::barrier barrier_;
};

class of_threads_and_processes final : public subject {
 public:
  of_threads_and_processes(unsigned threads, const weir::mpi::team_options& how) : barrier_(MPI_COMM_WORLD, threads, how) {}
  void run(unsigned thread, std::uint64_t episodes) override {
    for (std::uint64_t i = 0; i < episodes; ++i) barrier_.arrive_and_wait(thread);
  }
  nlohmann::json choice() const override {
    nlohmann::json c = shown(barrier_.choice());
    c["threads"] = barrier_.threads_choice().algorithm;
    return c;
  }

 private:
  weir::mpi::team_barrier barrier_;
};

std::pair<std::string, std::string> cut(const std::string& text, char at) {
  const auto where = text.find(at);
  if (where == std::string::npos) return {text, ""};
  return {text.substr(0, where), text.substr(where + 1)};
}

// "auto", "mcs", "mcs/rma", "mcs/shared"
weir::mpi::options options_of(const std::string& text) {
  const auto [name, way] = cut(text, '/');
  weir::mpi::options how;
  if (way == "shared") {
    how.within = name;
    return how;
  }
  how.algorithm = name;
  if (!way.empty()) how.transport = way;
  return how;
}

std::unique_ptr<subject> of_several_threads(const std::string& id, unsigned threads, int processes) {
  const auto [kind, names] = cut(id, ':');
  if (kind == "team") {
    weir::mpi::team_options how;
    if (!names.empty()) {
      const auto [of_threads, between] = cut(names, '+');
      how.threads = of_threads;
      how.processes = options_of(between.empty() ? "auto" : between);
    }
    return std::make_unique<of_threads_and_processes>(threads, how);
  }
  if (id == "omp+MPI_Barrier") {
    return peer([](unsigned thread) {
#pragma omp barrier
      if (thread == 0) MPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
    });
  }
  if (id == "omp" && processes > 1)
    throw std::invalid_argument("omp is a barrier of one process, and there are " + std::to_string(processes));
  if (id == "omp") {
    return peer([](unsigned) {
#pragma omp barrier
    });
  }
  throw std::invalid_argument("\"" + id + "\" is no barrier of " + std::to_string(threads) +
                              " threads in a process; known are team, team:THREADS+PROCESSES, omp, omp+MPI_Barrier");
}

}  // namespace

std::unique_ptr<subject> make(const std::string& id, unsigned threads, int processes) {
  if (threads > 1) return of_several_threads(id, threads, processes);
  const auto [kind, name] = cut(id, ':');
  if (kind == "weir") return std::make_unique<of_processes>(name.empty() ? weir::mpi::options{} : options_of(name));
  if (id == "MPI_Barrier") return peer([](unsigned) { MPI_Barrier(MPI_COMM_WORLD); });
  if (id == "MPI_Ibarrier") {
    return peer([](unsigned) {
      MPI_Request request;
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  }
  throw std::invalid_argument("\"" + id + "\" is no barrier of processes with one thread; known are weir, weir:NAME, "
                              "weir:NAME/TRANSPORT, weir:NAME/shared, MPI_Barrier, MPI_Ibarrier");
}

}  // namespace bench::mpi
