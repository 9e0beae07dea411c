// Broadcast and gather between the samples of a measurement: rank 0 sends to all, all send to rank 0.
//
// MPI's collectives are not used: with more processes than processors some MPIs take tens of milliseconds for each, because
// waiting processes spin. Here they yield the processor.
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

  /// Rank 0's value, in all processes.
  template <class T>
  T broadcast(T said) {
    static_assert(std::is_trivially_copyable_v<T>);
    send_to_all(&said, sizeof said);
    return said;
  }

  /// In rank 0 the values of all processes, by rank; empty elsewhere.
  template <class T>
  std::vector<T> gather(const std::vector<T>& own) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> gathered(rank_ == 0 ? own.size() * static_cast<std::size_t>(size_) : 0);
    receive_from_all(own.data(), own.size() * sizeof(T), gathered.data());
    return gathered;
  }
  template <class T>
  std::vector<T> gather(const T& own) {
    return gather(std::vector<T>{own});
  }

 private:
  void send_to_all(void* what, std::size_t bytes);
  void receive_from_all(const void* own, std::size_t bytes, void* gathered);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

}  // namespace bench::mpi
