// Signals as empty messages.
#include "call.hpp"
#include "transport.hpp"

namespace weir::mpi {

namespace {

struct letter {
  int peer, tag;
};

class letters : public transport {
 public:
  letters(MPI_Comm comm, const route& r)
      : comm_(comm), sends_(r.message_signals, MPI_REQUEST_NULL), receives_(r.message_awaits, MPI_REQUEST_NULL) {
    for (const move& m : r.moves)
      if (m.by == move::path::message)
        (m.act == move::action::signal ? to_ : from_).push_back({static_cast<int>(m.peer), static_cast<int>(m.tag)});
  }

  bool arrived(unsigned index) override {
    int flag = 0;
    if (const int code = PMPI_Test(&receives_[index], &flag, MPI_STATUS_IGNORE); code != MPI_SUCCESS) [[unlikely]]
      fail(code, index);
    return flag != 0;
  }
  bool wait(unsigned index) override {
    if (const int code = PMPI_Wait(&receives_[index], MPI_STATUS_IGNORE); code != MPI_SUCCESS) [[unlikely]]
      fail(code, index);
    return true;
  }

  // If the network could not take a message immediately, MPI sends it in a later call, which may be long after the barrier.
  void finish() override {
    if (!sends_.empty())
      check(PMPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE), "completing sends");
  }

 protected:
  [[noreturn]] void fail(int code, unsigned index) const {
    throw error(code, "weir: waiting for a message of rank " + std::to_string(from_[index].peer) + ": " + text_of(code));
  }

  const MPI_Comm comm_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<letter> to_, from_;
};

class plain : public letters {
 public:
  using letters::letters;
  void begin(std::uint32_t) override {
    for (std::size_t i = 0; i < from_.size(); ++i)
      check(PMPI_Irecv(nullptr, 0, MPI_BYTE, from_[i].peer, from_[i].tag, comm_, &receives_[i]), "posting a receive");
  }
  void signal(unsigned i) override {
    check(PMPI_Isend(nullptr, 0, MPI_BYTE, to_[i].peer, to_[i].tag, comm_, &sends_[i]), "sending a signal");
  }
};

class persistent : public letters {
 public:
  persistent(MPI_Comm comm, const route& r) : letters(comm, r) {
    for (std::size_t i = 0; i < to_.size(); ++i)
      check(PMPI_Send_init(nullptr, 0, MPI_BYTE, to_[i].peer, to_[i].tag, comm_, &sends_[i]), "making a send");
    for (std::size_t i = 0; i < from_.size(); ++i)
      check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, from_[i].peer, from_[i].tag, comm_, &receives_[i]), "making a receive");
  }
  ~persistent() override {
    for (auto* requests : {&sends_, &receives_})
      for (MPI_Request& request : *requests)
        if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
  }
  void begin(std::uint32_t) override {
    if (!receives_.empty())
      check(PMPI_Startall(static_cast<int>(receives_.size()), receives_.data()), "starting receives");
  }
  void signal(unsigned i) override { check(PMPI_Start(&sends_[i]), "sending a signal"); }
};

}  // namespace

std::unique_ptr<transport> by_messages(MPI_Comm comm, const route& r) { return std::make_unique<plain>(comm, r); }
std::unique_ptr<transport> by_persistent_requests(MPI_Comm comm, const route& r) {
  return std::make_unique<persistent>(comm, r);
}

}  // namespace weir::mpi
