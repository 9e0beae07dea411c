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
  // One episode to bring the members into step; it also takes the cost of waking them. Member 0's
  // time from leaving that episode to leaving the last one is that of `inner` whole episodes,
  // whatever the order in which members leave.
  subject_->run(member, 1, *work_);
  if (member != 0) {
    subject_->run(member, inner_, *work_);
    return;
  }
  const double cpu = cpu_ns();
  const double start = now_ns();
  subject_->run(member, inner_, *work_);
  const double end = now_ns();
  result_.episode_ns = (end - start) / static_cast<double>(inner_);
  result_.cpu_ns = (cpu_ns() - cpu) / static_cast<double>(inner_);
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
  result_ = {};
  finished_ = 0;
  ++job_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return finished_ == setting_.members; });
  result_.inner = inner;
  result_.reference_ns = reference;
  return result_;
}

void crew::dismiss() {
  const std::lock_guard lock(mutex_);
  dismissed_ = true;
  changed_.notify_all();
}

}  // namespace bench
