// The members that run subjects: threads that are parked between samples, and use no processor time then; or others
// (threads/teams.hpp).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "../machine/delay.hpp"
#include "subject.hpp"

namespace bench {

struct reading {
  std::uint64_t inner = 0;    // episodes in this sample
  double episode_ns = 0;      // wall time of one
  double reference_ns = 0;    // the time of the delays alone
  double cpu_ns = 0;          // processor time of all members in one
};

/// Members that can do one thing together.
class members_of_team {
 public:
  explicit members_of_team(setting s) : setting_(std::move(s)) {}
  virtual ~members_of_team() = default;

  /// One measurement of `inner` episodes, by all members, after as many that are not measured.
  /// Called by the coordinator, which is no member.
  reading measure(subject& s, std::uint64_t inner, const delay& work);

  /// Returns how many episodes take about `wanted_ns` once the team is in step. Runs the subject for many times as long, without
  /// a pause, but for at most `limit_ns` as far as it can tell.
  std::uint64_t pilot(subject& s, double wanted_ns, double limit_ns, const delay& work);

  const setting& team() const { return setting_; }

 protected:
  using job = std::function<void(unsigned member)>;

  /// All members do it, each once.
  virtual void together(const job& all_do) = 0;
  /// Does this member have a clock of processor time that no other counted member uses?
  virtual bool has_clock(unsigned) const { return true; }

  setting setting_;
};

class crew final : public members_of_team {
 public:
  using members_of_team::members_of_team;

  /// The thread of each member, a fresh std::thread or a thread of a parallel region, executes this until dismiss(). It first
  /// binds itself to its processor.
  void serve(unsigned member);
  void dismiss();

 private:
  /// Then they are parked again.
  void together(const job& all_do) override;

  std::mutex mutex_;
  // Two condition variables, so that the end of a job wakes only the coordinator, and not every member.
  std::condition_variable begun_, ended_;
  const job* job_ = nullptr;
  std::uint64_t number_ = 0;   // of the present job
  unsigned finished_ = 0;      // members that have done it
  bool dismissed_ = false;
};

}  // namespace bench
