#include "ensemble.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "../machine/clock.hpp"

namespace bench::mpi {

namespace {

constexpr std::int64_t tolerance_ns = 1000;  // a thread that arrives later than this after the instant is late
constexpr std::uint64_t first_rounds = 3;    // rounds at the beginning of each sample that do not count

}  // namespace

ensemble::ensemble(conversation& talk, const process_clock& clock, unsigned threads, const std::vector<int>& processors,
                   std::vector<std::unique_ptr<subject>>& subjects)
    : talk_(talk), clock_(clock), time_(talk, clock), threads_(threads), subjects_(subjects) {
  omp_set_dynamic(0);
  int given = 0;
#pragma omp parallel num_threads(static_cast<int>(threads_))
#pragma omp single
  given = omp_get_num_threads();
  if (given != static_cast<int>(threads_))
    throw std::runtime_error("OpenMP gives " + std::to_string(given) + " threads, not " + std::to_string(threads_) +
                             ": raise or unset OMP_THREAD_LIMIT");
  if (processors.empty()) return;
  // Regions of one size use the same threads. If the system refuses, they run where it places them.
#pragma omp parallel num_threads(static_cast<int>(threads_))
  weir::run_on({processors[static_cast<std::size_t>(omp_get_thread_num())]});
}

// As many episodes before as will count, so that members that were woken one after another are in step (bench/barriers/crew.cpp);
// and one after, so that a member that has finished does not leave its processor to the others.
reading ensemble::pass(const order& o) {
  subject& s = *subjects_[o.subject];
  reading taken;
  std::atomic<double> cpu_ns{0};
#pragma omp parallel num_threads(static_cast<int>(threads_))
  {
    const auto thread = static_cast<unsigned>(omp_get_thread_num());
    s.run(thread, o.episodes);
    const double start_cpu = thread_cpu_ns();
    const std::int64_t start = clock_.now();
    s.run(thread, o.episodes);
    if (thread == 0) taken.wall_ns = static_cast<double>(clock_.now() - start);
    cpu_ns.fetch_add(thread_cpu_ns() - start_cpu, std::memory_order_relaxed);
    s.run(thread, 1);
  }
  taken.cpu_ns = cpu_ns.load();
  return taken;
}

reading ensemble::consecutive(const order& o) {
  reading merged;
  for (const reading& r : talk_.gather(pass(o))) {
    merged.wall_ns = std::max(merged.wall_ns, r.wall_ns);
    merged.cpu_ns += r.cpu_ns;
  }
  return merged;
}

std::vector<ensemble::visit> ensemble::pass_in_rounds(const order& o) {
  subject& s = *subjects_[o.subject];
  std::vector<std::vector<visit>> of_threads(threads_, std::vector<visit>(o.episodes));
#pragma omp parallel num_threads(static_cast<int>(threads_))
  {
    const auto thread = static_cast<unsigned>(omp_get_thread_num());
    for (std::uint64_t i = 0; i < o.episodes; ++i) {
      const std::int64_t start = time_.here(o.first + static_cast<std::int64_t>(i) * o.window);
      std::int64_t came = clock_.now();
      for (; came < start; came = clock_.now()) weir::native::pause();
      s.run(thread, 1);
      of_threads[thread][i] = {came, clock_.now(), came > start + tolerance_ns};
    }
  }
  std::vector<visit> last = of_threads[0];
  for (const auto& visits : of_threads)
    for (std::size_t i = 0; i < last.size(); ++i)
      last[i] = {std::max(last[i].came, visits[i].came), std::max(last[i].left, visits[i].left), last[i].late || visits[i].late};
  return last;
}

rounds ensemble::in_rounds(const order& o) {
  time_.synchronise();
  // Rank 0 has met the last of the others: the instants can be agreed upon.
  order agreed = o;
  agreed.first += talk_.broadcast(time_.now());
  std::vector<visit> visits = pass_in_rounds(agreed);
  time_.synchronise();
  for (visit& v : visits) v = {time_.common(v.came), time_.common(v.left), v.late};
  const std::vector<visit> gathered = talk_.gather(visits);
  rounds r;
  r.clock_ns = time_.largest_uncertainty_ns();
  for (std::uint64_t i = first_rounds; i < o.episodes && talk_.rank() == 0; ++i) {
    const std::int64_t start = agreed.first + static_cast<std::int64_t>(i) * o.window;
    visit last = visits[i];
    std::int64_t apart = 0;
    for (std::size_t at = i; at < gathered.size(); at += o.episodes) {
      last = {std::max(last.came, gathered[at].came), std::max(last.left, gathered[at].left), last.late || gathered[at].late};
      apart = std::max(apart, std::abs(gathered[at].came - start));
    }
    if (last.late) {
      ++r.late;
      continue;
    }
    r.wall_ns.push_back(static_cast<double>(last.left - last.came));
    r.apart_ns = std::max(r.apart_ns, static_cast<double>(apart));
  }
  return r;
}

void ensemble::serve() {
  for (;;) {
    const order o = talk_.broadcast(order{});
    if (o.what == order::kind::end) return;
    if (o.what == order::kind::consecutive) consecutive(o);
    if (o.what == order::kind::rounds) in_rounds(o);
    if (o.what == order::kind::synchronise) time_.synchronise();
  }
}

reading ensemble::consecutive(std::size_t subject, std::uint64_t episodes) {
  return consecutive(talk_.broadcast(order{order::kind::consecutive, subject, episodes}));
}

rounds ensemble::in_rounds(std::size_t subject, std::uint64_t episodes, double window_ns) {
  // The others must have heard of the instant, and made their threads, before it comes.
  const std::int64_t heed = 300'000 + 5'000 * std::int64_t{talk_.size()};
  return in_rounds(talk_.broadcast(
      order{order::kind::rounds, subject, episodes + first_rounds, heed, static_cast<std::int64_t>(window_ns)}));
}

const std::vector<clock_offset>& ensemble::synchronise() {
  talk_.broadcast(order{order::kind::synchronise});
  time_.synchronise();
  return time_.found();
}

void ensemble::end() { talk_.broadcast(order{order::kind::end}); }

}  // namespace bench::mpi
