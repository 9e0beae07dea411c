#include <weir/barrier.h>
#include <weir/barrier.hpp>
#include <weir/team_barrier.hpp>

#include <stdexcept>

#include "subject.hpp"

namespace bench {

namespace {

std::unique_ptr<subject> by_name(const setting& s, const description& d) {
  weir::team_options options;
  options.algorithm = d.algorithm;
  options.waiting = d.waiting;
  options.placement = s.placement();
  options.learns = false;  // all samples are of one barrier
  auto barrier = std::make_shared<weir::team_barrier<>>(s.members, options);
  return make_subject([barrier](unsigned m) { barrier->arrive_and_wait(m); });
}

std::unique_ptr<subject> standard_face(const setting& s, const description&) {
  auto barrier = std::make_shared<weir::barrier<>>(s.members);
  return make_subject([barrier](unsigned) { barrier->arrive_and_wait(); });
}

struct c_barrier {
  explicit c_barrier(unsigned members) {
    if (weir_barrier_init(&barrier, nullptr, members) != 0) throw std::runtime_error(weir_last_error());
  }
  ~c_barrier() { weir_barrier_destroy(&barrier); }
  weir_barrier_t barrier;
};

std::unique_ptr<subject> c_face(const setting& s, const description&) {
  auto holder = std::make_shared<c_barrier>(s.members);
  return make_subject([holder](unsigned) { weir_barrier_wait(&holder->barrier); });
}

}  // namespace

void add_weir(catalogue& entries, const std::string& by_levels) {
  const auto add = [&entries](const std::string& algorithm, const std::string& waiting, auto make) {
    entries.push_back({{"weir:" + algorithm + "/" + waiting, "weir", algorithm, waiting, WEIR_VERSION}, make});
  };
  add("auto", "auto", by_name);
  const auto add_with_each_waiting = [&add](const std::string& algorithm) {
    for (const auto& waiting : weir::waitings()) add(algorithm, waiting.name, by_name);
  };
  for (const auto& algorithm : weir::algorithms()) add_with_each_waiting(algorithm.name);
  if (!by_levels.empty()) add_with_each_waiting(by_levels);
  add("weir::barrier", "auto", standard_face);
  add("weir_barrier_t", "auto", c_face);
}

}  // namespace bench
