#include <weir/crowd.hpp>

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "system/cancel_type.hpp"
#include "system/filter.hpp"
#include "threads/threads.hpp"

#if defined(WEIR_IS_STATIC)
// A static program cannot look them up (body.cpp). Weak: the C library has them from version 2.35 on.
extern "C" {
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned __rseq_size;
}
namespace {
[[gnu::constructor]] void when_loaded() {
  if (&__rseq_offset != nullptr && &__rseq_size != nullptr) weir::threads::rseq_is_at(&__rseq_offset, &__rseq_size);
}
}  // namespace
#endif

namespace weir {

namespace {
// A crowd of the calling thread sits on the thread's own processor, too. Its members are done when the thread leaves join();
// those of a second crowd could block in the kernel thread until the thread goes on.
constinit thread_local bool lends_own_processor = false;
}  // namespace

struct crowd::state : std::enable_shared_from_this<state> {
  struct argument {
    state* of;
    unsigned number;
  };
  std::function<void(unsigned)> run;
  std::vector<argument> arguments;  // of begin(), for each member
  std::atomic<unsigned> left{0};  // members that have not ended
  gate all_ended;
  bool has_own_processor = false;  // of the thread that joins

  static void begin(void* given) {
    const argument me = *static_cast<argument*>(given);
    // Also where pthread_exit() unwinds the member.
    const struct ending {
      state* of;
      ~ending() { of->end(1); }
    } at_the_end{me.of};
    call(*me.of, me.number);
  }
  /// Nothing is to be destroyed here, so a member that may be cancelled anywhere may be cancelled after its last instruction,
  /// too.
  [[gnu::noinline]] static void call(const state& of, unsigned number) {
    of.run(number);
    defer_cancellation_for_good();
  }
  void end(unsigned members) {
    const auto alive = shared_from_this();  // join() may return, and the crowd end, before the gate is open
    // acq_rel: what all members did, for join().
    if (left.fetch_sub(members, std::memory_order_acq_rel) == members) all_ended.open();
  }
};

crowd::crowd(unsigned members, std::function<void(unsigned)> run) : crowd(members, std::move(run), options{}) {}

crowd::crowd(unsigned members, std::function<void(unsigned)> run, options o) : its_(std::make_shared<state>()) {
  if (const char* why = threads::why_not_here()) throw std::system_error(ENOTSUP, std::generic_category(), why);
  if (filter::forbids_members()) throw std::system_error(ENOTSUP, std::generic_category(), "a filter of system calls");
  const unsigned processors = o.processors != 0 ? o.processors : static_cast<unsigned>(affinity().size());
  state& s = *its_;
  s.run = std::move(run);
  s.left.store(members, std::memory_order_relaxed);
  for (unsigned m = 0; m < members; ++m) s.arguments.push_back({&s, m});
  s.has_own_processor = !std::exchange(lends_own_processor, true);
  threads::processor* const first = s.has_own_processor ? &threads::seat() : threads::helper(0);
  for (unsigned m = 0; m < members; ++m) {
    const unsigned which = m % processors;
    threads::processor* const on = which == 0 || first == nullptr ? first : threads::helper_beside(*first, which - 1);
    const int error = on == nullptr ? EAGAIN : threads::start(state::begin, &s.arguments[m], on, o.stack_bytes);
    if (error == 0) continue;
    s.end(members - m);
    join();
    throw std::system_error(error, std::generic_category(), "weir::crowd: a member's thread");
  }
}

crowd::~crowd() { join(); }

void crowd::join() {
  std::optional<threads::driving> as_processor;
  if (its_->has_own_processor) as_processor.emplace();
  const auto ended = [this] { return its_->left.load(std::memory_order_acquire) == 0; };
  while (!ended()) its_->all_ended.sleep_unless(ended);
  if (std::exchange(its_->has_own_processor, false)) lends_own_processor = false;
  its_->run = nullptr;  // members may still be on their way home
}

void this_member::yield() noexcept { native::yield(); }

}  // namespace weir
