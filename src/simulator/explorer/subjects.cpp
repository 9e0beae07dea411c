#include "subjects.hpp"

namespace weir::explorer {

namespace {

struct passed {
  std::unique_ptr<any_barrier> barrier;
  void arrive_and_wait(unsigned member) { barrier->arrive_and_wait(*barrier, member); }
};

}  // namespace

subject barrier_subject(const std::string& algorithm, const std::string& waiting, const team& t, unsigned episodes) {
  using known = registry<explored>;
  known::find(known::algorithms(), algorithm, "barrier");
  known::find(known::waitings(), waiting, "waiting policy");
  return meeting(t.members, episodes, [=] {
    return std::make_unique<passed>(passed{known::make(algorithm, waiting, t)});
  });
}

}  // namespace weir::explorer
