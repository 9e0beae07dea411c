#include "subjects.hpp"

template class weir::registry<weir::explorer::explored>;

namespace weir::explorer {

namespace {

struct passed {
  std::unique_ptr<any_barrier> barrier;
  void arrive_and_wait(unsigned member) { barrier->arrive_and_wait(*barrier, member); }
};

struct completed : passed {
  completed_by who;
  std::vector<unsigned> episode;  // of each member
  void arrive_and_wait(unsigned member) {
    unsigned now = ++episode[member];
    barrier->arrive_and_wait_completing(member, {[](void* e) { explored::complete(*static_cast<unsigned*>(e)); }, &now}, who);
  }
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

subject completing_subject(const std::string& algorithm, const std::string& waiting, const team& t, unsigned episodes,
                           completed_by who) {
  subject s = meeting(t.members, episodes, [=] {
    return std::make_unique<completed>(
        completed{{registry<explored>::make(algorithm, waiting, t)}, who, std::vector<unsigned>(t.members)});
  });
  s.completes = true;
  return s;
}

std::vector<unsigned> placements(const std::string& algorithm, const std::string& waiting, unsigned members) {
  using known = registry<explored>;
  const bool placed = known::algorithms()[known::find(known::algorithms(), algorithm, "barrier")].placed ||
                      known::waitings()[known::find(known::waitings(), waiting, "waiting policy")].placed;
  std::vector<unsigned> processors{members};
  if (placed)
    for (const unsigned fewer : {(members + 1) / 2, 1u})
      if (fewer < processors.back()) processors.push_back(fewer);
  return processors;
}

}  // namespace weir::explorer
