// Machines whose gates are broken, each in one way. On real cores only a few runs in a million would show the fault.
#pragma once

#include "simulator/explorer/explored.hpp"

namespace mutants {

using weir::explorer::explored;
using weir::explorer::explored_kernel;

/// The sleeper's load may precede its announcement, or the signaller's check of the gate its store.
struct unfenced_kernel : explored_kernel {
  static void heavy_fence() {}
};
struct gate_without_fence : explored {
  using gate = weir::basic_gate<unfenced_kernel>;
};

/// The sleeper announces itself and sleeps without checking the word, which may have been signalled before.
struct gate_without_look : explored {
  class gate {
   public:
    template <class Ready>
    void sleep_unless(Ready) {
      const std::uint32_t announced = state_.fetch_or(1, std::memory_order_relaxed) | 1u;
      explored_kernel::heavy_fence();
      explored_kernel::sleep_while(state_, announced);
    }
    void open() {
      std::uint32_t seen = state_.load(std::memory_order_relaxed);
      if ((seen & 1u) != 0 && state_.compare_exchange_strong(seen, seen + 1, std::memory_order_relaxed))
        explored_kernel::wake_sleepers(state_);
    }

   private:
    explored_kernel::word<std::uint32_t> state_{0};
  };
};

/// A flag that says whether there are sleepers, cleared by each opening, instead of a count of openings.
struct gate_with_flag : explored {
  class gate {
   public:
    template <class Ready>
    void sleep_unless(Ready ready) {
      state_.exchange(1, std::memory_order_relaxed);
      explored_kernel::heavy_fence();
      if (!ready()) explored_kernel::sleep_while(state_, 1);
    }
    void open() {
      if (state_.load(std::memory_order_relaxed) == 0) return;
      state_.exchange(0, std::memory_order_relaxed);
      explored_kernel::wake_sleepers(state_);
    }

   private:
    explored_kernel::word<std::uint32_t> state_{0};
  };
};

/// The gate becomes guarded too early: either immediately, although a signaller may have found it unguarded before the fence; or
/// after the fence, but together with a new announcement, which a signaller may not have seen either.
enum class haste { at_once, announced_anew };
template <haste How>
struct gate_guarded_in_haste : explored {
  class gate {
   public:
    template <class Ready>
    void sleep_unless(Ready ready) {
      const std::uint32_t first = How == haste::at_once ? announced | guarded : announced;
      const std::uint32_t before = state_.fetch_or(first, std::memory_order_acq_rel);
      if ((before & guarded) == 0) {
        explored_kernel::heavy_fence();
        if (How == haste::announced_anew) state_.fetch_or(announced | guarded, std::memory_order_acq_rel);
      }
      const std::uint32_t seen = state_.load(std::memory_order_relaxed);
      if ((seen & announced) != 0 && !ready()) explored_kernel::sleep_while(state_, seen);
    }
    void open() {
      if ((state_.load(std::memory_order_relaxed) & (announced | guarded)) == 0) return;
      std::uint32_t seen = state_.fetch_add(opening, std::memory_order_acq_rel) + opening;
      while ((seen & announced) != 0) {
        if (!state_.compare_exchange_strong(seen, seen & ~announced, std::memory_order_acq_rel)) continue;
        explored_kernel::wake_sleepers(state_);
        return;
      }
    }

   private:
    static constexpr std::uint32_t announced = 1, guarded = 2, opening = 4;
    explored_kernel::word<std::uint32_t> state_{0};
  };
};

/// Opens without waking.
struct silent_kernel : explored_kernel {
  template <class Word>
  static void wake_sleepers(const Word&) {}
};
struct gate_that_wakes_nobody : explored {
  using gate = weir::basic_gate<silent_kernel>;
};

}  // namespace mutants
