// SPDX-License-Identifier: Apache-2.0
// A completion is what one member does for all, after all have arrived and before any leaves. It is the completion of
// std::barrier, and the message barrier between processes that each have a team of threads [paper 004].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <weir/machine/machine.hpp>
#include <weir/team.hpp>
#include <weir/waiting.hpp>

namespace weir {

/// Which member runs a completion.
enum class completed_by {
  any_member,  ///< the first member that can: the last to arrive, or a tree's root
  member_0,    ///< always member 0: where only its thread may do so (MPI_THREAD_FUNNELED)
};

/// A completion of any type, behind one pointer. It must not throw.
struct completion_call {
  void (*call)(void*);
  void* of;
  void operator()() const { call(of); }
};

namespace barriers {

/// For barriers such as dissemination, in which no member ever knows that all have arrived and none has left. After the barrier,
/// member 0 runs the completion, and releases the others by one flag.
template <class Machine, template <class> class Waiting>
class completion_point {
 public:
  explicit completion_point(const team& t) : seats_(std::make_unique<seat[]>(t.members)), waiting_(t) {}

  template <class Completion>
  void complete(unsigned member, Completion&& completion) {
    const std::uint32_t episode = ++seats_[member].episode;
    if (member == 0) {
      completion();
      // release: the completion's writes, before the flag.
      done_.store(episode, std::memory_order_release);
      waiting_.wake(gate_);
      return;
    }
    waiting_.await(member, done_, gate_, [episode](std::uint32_t now) { return now == episode; });
  }

 private:
  struct alignas(line_bytes) seat {
    std::uint32_t episode = 0;
  };

  const std::unique_ptr<seat[]> seats_;
  Waiting<Machine> waiting_;
  alignas(line_bytes) typename Machine::template word<std::uint32_t> done_{0};
  typename Machine::gate gate_;
};

}  // namespace barriers
}  // namespace weir
