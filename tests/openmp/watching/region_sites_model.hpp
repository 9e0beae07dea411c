// A model of a machine on which regions compute, whose clock moves as the model says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>

#include "openmp/watching/region_sites.hpp"

namespace region_sites_model {

using weir::openmp::choice;
using weir::openmp::region_form;
using weir::openmp::region_site;

struct made_clock {
  static inline std::uint64_t now = 0;
  static inline double busy = 0;  // the part of the time for which others have the processor
  static std::uint64_t ticks() { return now; }
  static double ticks_per_microsecond() { return 1000; }
  static std::uint64_t machine_ns() { return now; }
  static std::uint64_t waited_for_processor() { return static_cast<std::uint64_t>(busy * static_cast<double>(now)); }
};
using sites = weir::openmp::region_sites<made_clock>;

inline constexpr unsigned most = 8, usual = region_form::usual;
inline constexpr char places[8] = {};
inline constexpr char many[200 * 16] = {};

/// The processors that a region takes, at most this number.
inline unsigned processors_of(const region_form& form, unsigned may_take = most) {
  return std::min<unsigned>(form[choice::processors], may_take);
}

/// The time of a region, in ticks, by the number of its processors.
using cost = std::function<double(unsigned processors)>;
/// Work that is divided, and what a fork and a join cost with each further processor.
inline cost divided(double work, double each = 500) {
  return [=](unsigned processors) { return work / processors + each * (processors - 1); };
}
/// Executes regions of the place. Returns their time, and how much less the best number of processors would have taken.
struct ran {
  double took = 0, lost = 0;
};
inline ran run(sites& known, unsigned place, const cost& of, unsigned regions, unsigned may_take = most) {
  double best = of(1);
  for (unsigned p = 2; p <= may_take; ++p) best = std::min(best, of(p));
  ran sum;
  for (unsigned i = 0; i < regions; ++i) {
    const double took = of(processors_of(known.begin(&places[place], most, may_take), may_take));
    made_clock::now += static_cast<std::uint64_t>(took);
    known.end();
    made_clock::now += 100;
    sum.took += took;
    sum.lost += took - best;
  }
  return sum;
}
inline unsigned chosen(const sites& known, unsigned place, choice of = choice::processors) {
  unsigned found = 0;
  known.for_each([&](const region_site& s) {
    if (s.place == &places[place]) found = s.form[of];
  });
  return found;
}

/// Others have the processor for this part of the time, until the end of the scope.
struct others_run {
  explicit others_run(double part) { made_clock::busy = part; }
  ~others_run() { made_clock::busy = 0; }
};
inline constexpr double ms = 1e6, seconds = 1e9;
inline ran run_for(sites& known, double ticks, const cost& of) {
  const auto end = made_clock::now + static_cast<std::uint64_t>(ticks);
  ran sum;
  while (made_clock::now < end) {
    const ran some = run(known, 0, of, 10);
    sum.took += some.took, sum.lost += some.lost;
  }
  return sum;
}

/// Several places in turn, each of which pays if the workers are on other processors than in the region before.
struct in_turn {
  sites known;
  unsigned last = most;
  double run(std::initializer_list<double> works, double moving, unsigned steps) {
    double took = 0;
    for (unsigned i = 0; i < steps; ++i) {
      unsigned place = 0;
      for (const double work : works) {
        const unsigned now = processors_of(known.begin(&places[place++], most, most));
        const double spent = divided(work)(now) + (now != last ? moving : 0);
        last = now;
        made_clock::now += static_cast<std::uint64_t>(spent);
        known.end();
        took += spent;
      }
    }
    return took;
  }
};

}  // namespace region_sites_model
