// A parallel region, whose size the environment sets. Its members meet at `omp barrier`.
#pragma once

#include <omp.h>

#include <string>
#include <string_view>

#include "options.hpp"

namespace workloads {

class team {
 public:
  class member {
   public:
    long number() const { return number_; }
    long count() const { return count_; }
    void barrier() {
#pragma omp barrier
    }

   private:
    friend class team;
    const long number_ = omp_get_thread_num(), count_ = omp_get_num_threads();
  };

  explicit team(std::string_view) {}

  options& add_to(options& known) { return known; }

  /// The most members that run() may have.
  long members() const { return omp_get_max_threads(); }
  std::string described() const { return std::to_string(members()) + " threads"; }

  /// Each member executes `body(member&)`.
  template <class Body>
  void run(Body body) {
#pragma omp parallel
    {
      member me;
      body(me);
    }
  }
};

}  // namespace workloads
