// The constructs that can be simulated, under the names of `weir bench openmp` (bench/openmp), which has no regions within
// regions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/openmp/team.hpp"
#include "simulator/program.hpp"
#include "simulator/thread.hpp"

namespace weir::simulator::openmp {

/// One run of a construct: what its code needs besides the team.
class course {
 public:
  course(unsigned members, unsigned warm_up, unsigned directives, time delay, std::uint64_t seed);

  /// The number of marks that the construct makes, the warm-up among them.
  unsigned directives() const { return warm_up_ + directives_; }
  /// The computing of a directive, on this member: it varies by 2 %, so that members are not in step by construction.
  void delay(unsigned member);
  /// A directive has ended; called by one member at a time. The first marks end the warm-up, after which counting begins.
  void mark();

  /// Each mark, of the member that made it, from the end of the warm-up on.
  const std::vector<moment>& marks() const { return marks_; }

 private:
  const unsigned warm_up_, directives_;
  const time delay_;
  std::vector<dice> dice_;
  unsigned made_ = 0;
  std::vector<moment> marks_;
};

/// With which computing of its threads a directive is compared, as in bench/openmp/construct.h.
enum class work : std::uint8_t { of_each, of_one, of_loop, is_shared };
/// Iterations of a schedule's loop for each thread.
inline constexpr unsigned iterations_of_each = 1024;

/// How often a construct is executed.
struct repetitions {
  unsigned warm_up = 16, samples = 40, inner = 4;                         // marks: each sample is the mean of `inner`
  unsigned (*in_a_mark)(unsigned members) = [](unsigned) { return 1u; };  // directives
};

struct construct {
  const char* name;
  const char* group;
  work reference;
  bool modelled;  // do the models of other runtimes have it?
  repetitions often;
  /// Executed by member 0: all directives, each marked.
  void (*run)(team& t, course& c);
  bool nested = false;  // is it executed by nested_teams?
};
std::span<const construct> constructs();
/// Throws std::invalid_argument for a name that is not known; it lists the known ones.
const construct& construct_called(const std::string& name);

}  // namespace weir::simulator::openmp
