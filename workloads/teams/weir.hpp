// Threads, or members of a crowd on virtual processors, that meet at a barrier of Weir's.
#pragma once

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <weir/barrier.hpp>
#include <weir/crowd.hpp>
#include <weir/machine/processors.hpp>
#include <weir/team_barrier.hpp>

#include "options.hpp"

namespace workloads {

class team {
 public:
  class member {
   public:
    long number() const { return number_; }
    long count() const { return count_; }
    void barrier() {
      if (numbered_ != nullptr)
        numbered_->arrive_and_wait(static_cast<unsigned>(number_));
      else
        standard_->arrive_and_wait();
    }

   private:
    friend class team;
    member(long number, long count, weir::team_barrier<>* numbered, weir::barrier<>* standard)
        : number_(number), count_(count), numbered_(numbered), standard_(standard) {}

    const long number_, count_;
    weir::team_barrier<>* const numbered_;  // or else
    weir::barrier<>* const standard_;
  };

  /// `program`: the name in messages about wrong options.
  explicit team(std::string_view program) : program_(program) {}

  options& add_to(options& known) {
    return known.whole("--threads", threads_, 1, 1024, "members of the team")
        .name("--barrier", barrier_, "where they meet: a name that `weir-measure list` has, or weir::barrier")
        .name("--waiting", waiting_, "how they wait there")
        .whole("--processors", processors_, 0, 1024, "virtual ones, on which the members run; 0: the members are kernel threads")
        .whole("--bind", bind_, 0, 1, "1: member m to processor m mod P of the P that there are, as the barrier is told");
  }

  long members() const { return threads_; }

  std::string described() const {
    return std::to_string(threads_) + " threads" +
           (processors_ == 0 ? "" : " on " + std::to_string(processors_) + " virtual processors") + ", barrier " + barrier_ +
           (barrier_ == standard ? "" : ", waiting " + waiting_);
  }

  /// Each member executes `body(member&)`. Ends the program if there is no such team.
  template <class Body>
  void run(Body body) {
    const std::vector<int> placement = bind_ == 0 ? std::vector<int>{} : round_robin();
    make_barrier(placement);
    const auto run_member = [&](unsigned number) {
      if (!placement.empty()) bind_to(placement[number]);
      member me(number, threads_, numbered_ ? &*numbered_ : nullptr, standard_ ? &*standard_ : nullptr);
      body(me);
    };
    std::vector<std::thread> threads;  // outside: refuse() leaves those that have begun alone
    try {
      if (processors_ > 0) {
        weir::crowd(static_cast<unsigned>(threads_), run_member, {.processors = static_cast<unsigned>(processors_)}).join();
        return;
      }
      for (unsigned number = 0; number < static_cast<unsigned>(threads_); number++) threads.emplace_back(run_member, number);
    } catch (const std::system_error& error) {
      refuse(program_, "the system refuses " + std::to_string(threads_) + " threads: " + error.what());
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  static constexpr const char* standard = "weir::barrier";

  void make_barrier(const std::vector<int>& placement) {
    if (barrier_ == standard) {
      if (waiting_ != "auto") refuse(program_, "weir::barrier takes no waiting policy: leave --waiting " + waiting_ + " out");
      standard_.emplace(threads_);
      return;
    }
    try {
      numbered_.emplace(static_cast<unsigned>(threads_),
                        weir::team_options{.algorithm = barrier_,
                                           .waiting = waiting_,
                                           .placement = placement,
                                           .processors = static_cast<unsigned>(processors_)});
    } catch (const std::invalid_argument& error) {
      refuse(program_, error.what());
    }
    barrier_ = numbered_->choice().algorithm;
    waiting_ = numbered_->choice().waiting;
  }

  std::vector<int> round_robin() const {
    const std::vector<int>& usable = weir::affinity();
    const auto used = processors_ > 0 ? static_cast<std::size_t>(processors_) : usable.size();
    if (used > usable.size())
      refuse(program_,
             "--bind 1: " + std::to_string(used) + " virtual processors, but there are " + std::to_string(usable.size()));
    std::vector<int> placement;
    for (std::size_t m = 0; m < static_cast<std::size_t>(threads_); m++) placement.push_back(usable[m % used]);
    return placement;
  }

  void bind_to(int processor) const {
    if (const int error = weir::run_on({processor}); error != 0)
      refuse(program_, "--bind 1: processor " + std::to_string(processor) + ": " + std::strerror(error));
  }

  std::string_view program_;
  std::string barrier_ = "auto", waiting_ = "auto";
  long threads_ = static_cast<long>(weir::affinity().size()), processors_ = 0, bind_ = 0;
  std::optional<weir::team_barrier<>> numbered_;
  std::optional<weir::barrier<>> standard_;
};

}  // namespace workloads
