#include "simulator/openmp/constructs.hpp"

#include <stdexcept>

#include "simulator/engine.hpp"

namespace weir::simulator::openmp {

course::course(unsigned members, unsigned directives, time delay, std::uint64_t seed) : directives_(directives), delay_(delay) {
  for (unsigned m = 0; m < members; ++m) dice_.emplace_back(seed * 0x9e3779b97f4a7c15u + m);
}

void course::delay(unsigned member) {
  constexpr double spread = 0.02;
  const double factor = 1 - spread + 2 * spread * dice_[member].uniform();
  engine::here().compute(static_cast<time>(static_cast<double>(delay_) * factor));
}

void course::mark() {
  if (++made_ < warm_up) return;
  if (made_ == warm_up) engine::here().forget_counts();
  marks_.push_back(engine::here().now());
}

namespace {

// Each as in bench/openmp, whose functions have the same names.

void parallel(team& t, course& c) {
  for (unsigned j = 0; j < c.directives(); ++j) {
    t.parallel([&](unsigned me) { c.delay(me); });
    c.mark();
  }
}

void barrier(team& t, course& c) {
  t.parallel([&](unsigned me) {
    for (unsigned j = 0; j < c.directives(); ++j) {
      c.delay(me);
      t.barrier(me);
      if (me == 0) c.mark();
    }
  });
}

constexpr construct all[] = {
    {"parallel", "synchronisation", work::of_each, true, parallel},
    {"barrier", "synchronisation", work::of_each, true, barrier},
};

}  // namespace

std::span<const construct> constructs() { return all; }

const construct& construct_called(const std::string& name) {
  std::string known;
  for (const construct& c : all) {
    if (c.name == name) return c;
    known += std::string(known.empty() ? "" : ", ") + c.name;
  }
  throw std::invalid_argument("no construct is called \"" + name + "\" here; known are " + known);
}

}  // namespace weir::simulator::openmp
