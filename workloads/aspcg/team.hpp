// The barriers of a team of threads, counted.
#pragma once

namespace aspcg {

class team {
 public:
  /// All threads of a team call it.
  void meet() {
#pragma omp master
    meetings_++;
#pragma omp barrier
  }

  long meetings() const { return meetings_; }

 private:
  long meetings_ = 0;
};

}  // namespace aspcg
