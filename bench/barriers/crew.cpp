#include "crew.hpp"

#include <algorithm>
#include <cmath>

#include "../machine/binding.hpp"
#include "../machine/clock.hpp"

namespace bench {

void crew::serve(unsigned member) {
  if (setting_.pinned) bind_to(setting_.processors[member % setting_.processors.size()]);
  std::uint64_t done = 0;
  for (;;) {
    const job* now = nullptr;
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return number_ != done || dismissed_; });
      if (dismissed_) return;
      done = number_;
      now = job_;
    }
    (*now)(member);
    const std::lock_guard lock(mutex_);
    if (++finished_ == setting_.members) ended_.notify_one();
  }
}

void crew::together(const job& all_do) {
  std::unique_lock lock(mutex_);
  job_ = &all_do;
  finished_ = 0;
  ++number_;
  begun_.notify_all();
  ended_.wait(lock, [&] { return finished_ == setting_.members; });
}

reading members_of_team::measure(subject& s, std::uint64_t inner, const delay& work) {
  // The reference is the delay alone, measured right before the sample, on a machine that is as quiet as it will be. If members
  // share processors, the ideal is T_s / p: each processor does the delays of its members.
  const std::size_t share = (setting_.members + setting_.processors.size() - 1) / setting_.processors.size();
  const double reference = work.measure(100e3) * static_cast<double>(share);

  std::atomic<unsigned> started{0}, ended{0};  // members that have begun, and finished, the measured episodes
  double start_ns = 0, end_ns = 0;             // written by the last member to begin, and to finish
  // Each member adds its own processor time: while other threads run, the kernel's figure for the whole process is up to a timer
  // tick old, which is longer than a sample.
  std::atomic<double> members_cpu_ns{0};
  const auto is_last = [&](std::atomic<unsigned>& passed) {
    return passed.fetch_add(1, std::memory_order_relaxed) + 1 == setting_.members;
  };
  together([&](unsigned member) {
    // Members that are woken one after another are out of step: the early ones sleep, and while they are woken the next ones go
    // to sleep. A barrier whose members spin before they sleep needs hundreds of episodes until they are in step again. So the
    // counted episodes follow as many that do not count.
    s.run(member, inner, work);
    // The time runs from the moment at which the last member has left the uncounted episodes to the moment at which the last
    // member has left the last counted episode. The time of one member would not do if a sample is a single episode: the last
    // member to arrive finds that all others have arrived, and passes at once.
    const double start_cpu = thread_cpu_ns();
    if (is_last(started)) start_ns = now_ns();
    s.run(member, inner, work);
    if (is_last(ended)) end_ns = now_ns();
    if (has_clock(member)) members_cpu_ns.fetch_add(thread_cpu_ns() - start_cpu, std::memory_order_relaxed);
    // One more episode follows: a member that has finished would sleep and leave its processor to the others, which no member
    // does in the middle of a program. If spinning members share processors, that would hide a whole time slice.
    s.run(member, 1, work);
  });
  const auto episodes = static_cast<double>(inner);
  return {inner, (end_ns - start_ns) / episodes, reference, members_cpu_ns.load() / episodes};
}

std::uint64_t members_of_team::pilot(subject& s, double wanted_ns, double limit_ns, const delay& work) {
  // The pilot runs stretches of 1, 2, 4, ... episodes; member 0 reads the clock, and one more episode tells the others whether
  // another stretch follows. The fastest stretch counts: another program that takes a processor, or members out of step, can only
  // make a stretch slower. Short stretches do not count, because the last member to arrive finds that all others have arrived,
  // and passes at once.
  const double enough_ns = std::min(16 * wanted_ns, limit_ns / 2);
  double fastest_ns = 0;  // of one episode; member 0's own
  std::atomic<std::uint64_t> next{1};
  together([&](unsigned member) {
    for (std::uint64_t n = 1; n != 0; n = next.load(std::memory_order_relaxed)) {
      const double start = now_ns();
      s.run(member, n, work);
      if (member == 0) {
        const double lasted = now_ns() - start, episode = lasted / static_cast<double>(n);
        if (lasted >= std::min(wanted_ns / 4, enough_ns) && (fastest_ns == 0 || episode < fastest_ns)) fastest_ns = episode;
        next.store(lasted >= enough_ns ? 0 : 2 * n, std::memory_order_relaxed);
      }
      s.run(member, 1, work);
    }
  });
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(std::min(wanted_ns, limit_ns) / fastest_ns)));
}

void crew::dismiss() {
  const std::lock_guard lock(mutex_);
  dismissed_ = true;
  begun_.notify_all();
}

}  // namespace bench
