// The threads that run subjects. Between samples they are parked and use no processor time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "delay.hpp"
#include "subject.hpp"

namespace bench {

struct reading {
  std::uint64_t inner = 0;    // episodes in this sample
  double episode_ns = 0;      // wall time of one
  double reference_ns = 0;    // of it, what the delays alone take
  double cpu_ns = 0;          // processor time of the whole process in one
};

class crew {
 public:
  explicit crew(setting s) : setting_(std::move(s)) {}

  /// What each member's thread executes until dismiss(): a fresh std::thread, or a thread of a
  /// parallel region. Binds itself to its processor first.
  void serve(unsigned member);

  /// One measurement, by all members. Called by the coordinator, which is no member.
  reading measure(subject& s, std::uint64_t inner, const delay& work);
  void dismiss();

  const setting& team() const { return setting_; }

 private:
  void run_job(unsigned member);

  setting setting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t job_ = 0;      // number of the present job
  unsigned finished_ = 0;      // members that have done it
  bool dismissed_ = false;
  subject* subject_ = nullptr;
  const delay* work_ = nullptr;
  std::uint64_t inner_ = 0;
  std::atomic<unsigned> started_{0}, ended_{0};  // members that have begun, and done, the measured episodes
  double start_ns_ = 0, end_ns_ = 0;             // written by the last of each
  double start_cpu_ns_ = 0, end_cpu_ns_ = 0;
};

/// Binds the calling thread. Throws std::runtime_error where that is refused.
void bind_to(int processor);

}  // namespace bench
