// Signals as flags in a window: the signaller writes the episode's number into the flag that the waiter polls.
#include <algorithm>
#include <atomic>

#include "call.hpp"
#include "transport.hpp"

namespace weir::mpi {

namespace {

class window : public transport {
 public:
  window(MPI_Comm comm, const route& r, const std::vector<unsigned>& indices)
      : comm_(comm), indices_(indices), awaits_(std::max(r.message_awaits, 1u)), flags_(std::make_unique<flag[]>(awaits_)) {
    for (const move& m : r.moves)
      if (m.by == move::path::message && m.act == move::action::signal) to_.push_back(static_cast<int>(m.peer));
    values_.resize(to_.size());
  }
  void open() override {
    // Memory of our own: MPICH 4.0 mixes up the addresses of small windows in the memory of MPI_Win_allocate.
    const auto bytes = static_cast<MPI_Aint>(awaits_ * sizeof(flag));
    check(PMPI_Win_create(flags_.get(), bytes, sizeof(flag), MPI_INFO_NULL, comm_, &window_), "making a window");
    check(PMPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "opening a window");
    check(PMPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "opening a window");
    check(PMPI_Win_sync(window_), "opening a window");
  }
  ~window() override {
    if (window_ == MPI_WIN_NULL) return;
    PMPI_Win_unlock_all(window_);
    PMPI_Win_free(&window_);
  }

  void begin(std::uint32_t episode) override { episode_ = episode; }
  void signal(unsigned i) override {
    const auto at = static_cast<MPI_Aint>(indices_[i]);
    values_[i] = episode_;
    check(PMPI_Accumulate(&values_[i], 1, MPI_UINT32_T, to_[i], at, 1, MPI_UINT32_T, MPI_REPLACE, window_), "setting a flag");
    check(PMPI_Win_flush_local(to_[i], window_), "setting a flag");
  }
  bool arrived(unsigned i) override {
    // acquire: what the signaller did before is visible, as far as the two share memory.
    const std::uint32_t now = std::atomic_ref(flags_[i].episode).load(std::memory_order_acquire);
    if (static_cast<std::int32_t>(now - episode_) >= 0) return true;
    // If an implementation's windows need the target's help, any call gives it; and the window may be a copy.
    int come = 0;
    check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &come, MPI_STATUS_IGNORE), "waiting for a flag");
    check(PMPI_Win_sync(window_), "waiting for a flag");
    return false;
  }
  void finish() override {
    if (!to_.empty()) check(PMPI_Win_flush_all(window_), "setting flags");
  }

 private:
  struct alignas(64) flag {
    std::uint32_t episode = 0;
  };

  const MPI_Comm comm_;
  const std::vector<unsigned> indices_;
  const unsigned awaits_;
  std::unique_ptr<flag[]> flags_;
  std::vector<int> to_;
  std::vector<std::uint32_t> values_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::uint32_t episode_ = 0;
};

}  // namespace

std::unique_ptr<transport> by_rma(MPI_Comm comm, const route& r, const std::vector<unsigned>& indices_at_receivers) {
  return std::make_unique<window>(comm, r, indices_at_receivers);
}

}  // namespace weir::mpi
