// The synthetic program of paper 000, section 4: members compute for a while, meet at a barrier, and repeat. There is one
// application, or several that share the processors.
#pragma once

#include <memory>
#include <string>

#include "../barriers/subject.hpp"

namespace bench {

/// The ID describes the program: user:mcs/share:members=16:processors=2:compute_ns=1000, and if there are several applications
/// :applications=2:policy=coscheduling:distribution=exponential:slot_us=4000.
struct program {
  enum class policies {
    shared,        ///< all members of all applications on all processors, by turns as the threads' scheduler has it
    partition,     ///< each application has processors of its own
    coscheduling,  ///< one application at a time, on all processors, for a slot
  };
  bool user_level = false;
  std::string barrier, waiting;
  unsigned members = 0;     // of each application
  unsigned processors = 0;  // of all
  double compute_ns = 0;    // of a member between two barriers; the mean
  unsigned applications = 1;
  policies policy = policies::shared;
  bool exponential = false;  // how the time of computing is distributed; else it is constant
  double slot_us = 0;        // how long an application has the processors

  unsigned all_members() const { return members * applications; }
};

/// Throws std::invalid_argument.
program parse_program(const std::string& id);

/// For a team of all_members() on these processors, whose member m is on processor m % P. Throws std::invalid_argument.
std::unique_ptr<subject> make_program(const program&, const std::vector<int>& processors, const catalogue& barriers,
                                      const delay& work);

}  // namespace bench
