#include "crew.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <stdexcept>

#include "clock.hpp"

namespace bench {

void bind_to(int processor) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(static_cast<std::size_t>(processor), &mask);
  if (sched_setaffinity(0, sizeof mask, &mask) != 0)
    throw std::runtime_error("cannot run on processor " + std::to_string(processor) + ": " + std::strerror(errno));
}

void crew::serve(unsigned member) {
  if (setting_.pinned) bind_to(setting_.processors[member % setting_.processors.size()]);
  std::uint64_t done = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return job_ != done || dismissed_; });
      if (dismissed_) return;
      done = job_;
    }
    run_job(member);
    const std::lock_guard lock(mutex_);
    if (++finished_ == setting_.members) changed_.notify_all();
  }
}

void crew::run_job(unsigned member) {
  // One episode to bring the members into step; it also takes the cost of waking them. The clock
  // runs from the moment when the last member has left it to the moment when the last has left
  // the last episode. One member's own time would not do where a sample is a single episode: whoever
  // comes late finds the others there and passes at once. And one episode more at the end: a member
  // that is done would sleep and leave its processor to the others, which no member in the midst
  // of a program does. Where members spin on shared processors that would hide a whole time slice.
  const auto is_last = [&](std::atomic<unsigned>& passed) {
    return passed.fetch_add(1, std::memory_order_relaxed) + 1 == setting_.members;
  };
  subject_->run(member, 1, *work_);
  if (is_last(started_)) {
    start_ns_ = now_ns();
    start_cpu_ns_ = cpu_ns();
  }
  subject_->run(member, inner_, *work_);
  if (is_last(ended_)) {
    end_ns_ = now_ns();
    end_cpu_ns_ = cpu_ns();
  }
  subject_->run(member, 1, *work_);
}

reading crew::measure(subject& s, std::uint64_t inner, const delay& work) {
  // The reference: the delay alone, right before, on a machine that is as quiet as it will be.
  // Where members share processors the ideal is T_s / p, each processor doing its members' delays.
  const std::size_t share = (setting_.members + setting_.processors.size() - 1) / setting_.processors.size();
  const double reference = work.measure(100e3) * static_cast<double>(share);
  std::unique_lock lock(mutex_);
  subject_ = &s;
  work_ = &work;
  inner_ = inner;
  finished_ = 0;
  started_ = ended_ = 0;
  ++job_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return finished_ == setting_.members; });
  const auto episodes = static_cast<double>(inner);
  return {inner, (end_ns_ - start_ns_) / episodes, reference, (end_cpu_ns_ - start_cpu_ns_) / episodes};
}

void crew::dismiss() {
  const std::lock_guard lock(mutex_);
  dismissed_ = true;
  changed_.notify_all();
}

}  // namespace bench
