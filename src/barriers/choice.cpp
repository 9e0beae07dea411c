// What "auto" takes for a team, with the reason. The measurements are in docs/measurements.
#include <weir/team_barrier.hpp>

namespace weir {

choice choose(const team& t) {
  const std::string members = std::to_string(t.members), processors = std::to_string(t.processors);
  bool shared = false;
  for (unsigned m = 0; m < t.members && !shared; ++m) shared = t.oversubscribed(m);
  if (t.members == 1) return {"counter", "auto", "nobody to wait for"};
  if (shared && t.placed())
    return {"combination", "auto",
            "members share processors, and it is known which: they meet on their processor, which costs one switch "
            "for each of them, and only one of each goes across [paper 000]"};
  if (shared)
    return {"sense", "auto",
            members + " members on " + processors +
                " processors, and not known where: a central barrier has one point to wait at, so a member is "
                "switched to once in an episode; a tree may cost a switch at each level [paper 000, section 4.1]"};
  if (t.members == 2)
    return {"distributed", "auto", "two members: one line holds both flags, so it crosses once each way"};
  if (t.members <= 16)
    return {"dissemination", "auto", "a processor for each member: the shortest critical path [paper 001, table 1]"};
  return {"tournament", "auto",
          "a processor for each of more than 16 members: fewer signals than dissemination [paper 001, table 1]"};
}

}  // namespace weir
