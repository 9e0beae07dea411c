// The conformance run: experiments with each function of the C library that Weir replaces, in threads that the program creates.
//
//   conformance [--only PREFIX]...    makes the experiments, and says a line for each
//   conformance --list                says the names of the rows
//
// tests/python/threads/test_conformance.py compares the lines of a plain run with those of runs on virtual processors.
#include "../seats.hpp"
#include "experiments.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <thread>

namespace {

constexpr int drivers = 8;
constexpr double longest_s = 150;  // without a line

struct experiment {
  const row* of;
  const way* by;
  during what;
};
std::mutex output;
std::atomic<unsigned> made{0}, with_seats{0}, in_children{0};

std::string title(const experiment& experiment_row) {
  return std::string(experiment_row.of->name) + " | " + experiment_row.by->name + " | " + name_of(experiment_row.what);
}
void make_and_say(const experiment& experiment_row) {
  const result found = make(*experiment_row.of, *experiment_row.by, experiment_row.what);
  const std::string line = title(experiment_row) + ": " + found.said + "\n";
  const std::lock_guard lock(output);
  std::fwrite(line.data(), 1, line.size(), stdout);
  ++made;
  with_seats += found.had_seat;
  in_children += found.forked;
}

/// Drivers take experiments in turn.
class run {
 public:
  run(const std::vector<experiment>& those, int so_many) : those_(those), at_work_(static_cast<std::size_t>(so_many)) {
    for (int d = 0; d < so_many; ++d) threads_.emplace_back([this, d] { drive(static_cast<std::size_t>(d)); });
  }
  /// Says which do not end.
  void wait() {
    unsigned seen = 0;
    for (double until = now_s() + longest_s; ended_ < static_cast<int>(threads_.size()); sleep_for(0.002)) {
      if (made != seen) seen = made, until = now_s() + longest_s;
      if (now_s() < until) continue;
      for (const auto& each : at_work_)
        if (const int which = each.load(); which >= 0)
          std::printf("%s: does not end\n", title(those_[static_cast<std::size_t>(which)]).c_str());
      std::fflush(stdout);
      _exit(3);
    }
    for (std::thread& each : threads_) each.join();
  }

 private:
  void drive(std::size_t number) {
    for (std::size_t e; (e = next_++) < those_.size();) {
      at_work_[number] = static_cast<int>(e);
      make_and_say(those_[e]);
      at_work_[number] = -1;
    }
    ++ended_;
  }
  const std::vector<experiment>& those_;
  std::vector<std::atomic<int>> at_work_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> ended_{0};
};

/// So that there are more threads than processors while one driver works alone.
class sleepers {
 public:
  sleepers() {
    sem_init(&end_, 0, 0);
    for (int i = 0; i < drivers; ++i)
      threads_.emplace_back([this] {
        while (sem_wait(&end_) != 0) {
        }
      });
  }
  sleepers(const sleepers&) = delete;
  ~sleepers() {
    for (int i = 0; i < drivers; ++i) sem_post(&end_);
    for (std::thread& each : threads_) each.join();
  }

 private:
  sem_t end_;
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int count, char** words) {
  std::vector<row> table;
  for (const auto part : {rows_of_mutexes, rows_of_conditions, rows_of_locks, rows_of_semaphores, rows_of_ends, rows_of_reading,
                          rows_of_sleeping, rows_of_signals, rows_of_awaited_signals, rows_of_children})
    for (row& each : part()) table.push_back(std::move(each));
  for (row& each : rows_of_the_rest(table)) table.push_back(std::move(each));
  std::vector<std::string_view> only;
  for (int w = 1; w < count; ++w) {
    if (std::string_view(words[w]) == "--list") {
      for (const row& each : table) std::puts(each.name);
      return 0;
    }
    if (std::string_view(words[w]) != "--only" || ++w == count) return 2;
    only.push_back(words[w]);
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  set_handlers();
  std::vector<experiment> beside, apart;
  for (const row& each : table) {
    const std::string_view name = each.name;
    if (!only.empty() && std::ranges::none_of(only, [&](std::string_view prefix) { return name.starts_with(prefix); })) continue;
    for (const way& by : each.ways)
      for (int what = 0; what <= static_cast<int>(during::in_child); ++what)
        if (const experiment it{&each, &by, static_cast<during>(what)}; applies(each, by, it.what))
          (((each.how | by.how) & alone) != 0 ? apart : beside).push_back(it);
  }
  open_seats();
  run(beside, drivers).wait();
  {
    const sleepers more;
    run(apart, 1).wait();
  }
  std::fprintf(stderr, "%u experiments, %u in children, %u with seats\n", made.load(), in_children.load(), with_seats.load());
}
