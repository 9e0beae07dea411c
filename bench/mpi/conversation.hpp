// How the processes of a measurement talk between samples: rank 0 tells all, all tell rank 0.
//
// Not MPI's collectives: with more processes than processors some MPIs take tens of milliseconds for each of them, since whoever
// waits spins. Here it gives its processor away.
#pragma once

#include <mpi.h>

#include <type_traits>
#include <vector>

namespace bench::mpi {

class conversation {
 public:
  explicit conversation(MPI_Comm of);
  ~conversation();
  conversation(const conversation&) = delete;
  conversation& operator=(const conversation&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// What rank 0 says, in all processes.
  template <class T>
  T told(T said) {
    static_assert(std::is_trivially_copyable_v<T>);
    tell(&said, sizeof said);
    return said;
  }

  /// What each says, in rank 0, by rank; nothing elsewhere.
  template <class T>
  std::vector<T> heard(const std::vector<T>& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(rank_ == 0 ? mine.size() * static_cast<std::size_t>(size_) : 0);
    hear(mine.data(), mine.size() * sizeof(T), all.data());
    return all;
  }
  template <class T>
  std::vector<T> heard(const T& mine) {
    return heard(std::vector<T>{mine});
  }

 private:
  void tell(void* what, std::size_t bytes);
  void hear(const void* mine, std::size_t bytes, void* all);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

}  // namespace bench::mpi
