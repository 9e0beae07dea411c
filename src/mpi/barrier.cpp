// A process's barrier: its way through a plan, by flags where memory is shared and by messages elsewhere.
#include <weir/mpi.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <time.h>
#include <utility>

#include <weir/machine/processors.hpp>

#include "call.hpp"
#include "layout.hpp"
#include "waiting.hpp"

namespace weir::mpi {

namespace {

// While a process waits here.
class looking {
 public:
  looking(bool (*look)(void*, bool), void* of) : before_(std::exchange(meanwhile::current, {look, of})) {}
  ~looking() { meanwhile::current = before_; }
  looking(const looking&) = delete;
  looking& operator=(const looking&) = delete;

 private:
  const meanwhile before_;
};

}  // namespace

class barrier::implementation : layout {
 public:
  /// Collective.
  static std::unique_ptr<implementation> make(MPI_Comm of, const options& how, unsigned threads) {
    require_intra(of);
    steps together(of);
    std::unique_ptr<implementation> it;
    together.alone([&] { it.reset(new implementation(of, how, threads)); });
    together.agree();
    it->layout::make(together);
    it->near_.emplace(it->awake_us());
    it->far_wait_.emplace(it->awake_us());
    return it;
  }

  ~implementation() {
    take_back();
    // Either MPI has taken its requests and windows with it, or to give them back would take all of the others.
    if (!mpi_is_there() || failed_) static_cast<void>(far_.release());
    if (failed_) comm_.leave();
  }

  void begin() {
    start();
    guarded([&] { advance(false); });
    hand_over();
  }

  bool test() {
    if (!active_) throw std::logic_error("weir: a barrier was tested that was not begun");
    take_back();
    bool over = false;
    guarded([&] {
      throw_what_others_met();
      over = advance(false);
      if (!over) look(false);
    });
    if (!over) hand_over();
    return over;
  }

  void end() {
    if (!active_) throw std::logic_error("weir: a barrier was ended that was not begun");
    take_back();
    guarded([&] { throw_what_others_met(); });
    pass();
  }

  // Not begin() and end(): what will be waited for need not be looked at before.
  void arrive_and_wait() {
    start();
    pass();
  }

  unsigned rank() const { return rank_; }
  unsigned size() const { return static_cast<unsigned>(places_.node_of.size()); }
  const mpi::choice& choice() const { return choice_; }
  const places& where() const { return places_; }

 private:
  implementation(MPI_Comm of, const options& how, unsigned threads)
      : layout(of, how, threads), by_mpi_(how.waiting == "mpi"), alone_(threads == 1), under_quota_(under_quota()) {}

  void pass() {
    guarded([&] {
      settle_down();
      const looking here([](void* self, bool find_out) { return static_cast<implementation*>(self)->look(find_out); }, this);
      advance(true);
      if (far_) far_->finish();
    });
    active_ = false;
  }

  void start() {
    if (active_) throw std::logic_error("weir: a barrier was begun again before it was ended");
    active_ = true;
    guarded([&] {
      ++episode_;
      next_ = route_.moves.data();
      last_ = false;
      if (far_) far_->begin(episode_);
    });
  }

  // Linux leaves processes that give way to each other as they are, three on one processor and one on another.
  void settle_down() {
    if (alone_) native::live_on(home());
  }

  /// Goes through the plan as far as it can without waiting, or to its end.
  bool advance(bool patient) {
    const move* const first = route_.moves.data();
    const move* const end = first + route_.moves.size();
    while (next_ != end) {
      const move& m = *next_;
      switch (m.act) {
        case move::action::signal: signal(m); break;
        case move::action::count:
          // The last of a seat waits for other processors; nobody else wants this one meanwhile.
          last_ = is_last(m);
          if (!last_) {
            next_ = first + m.otherwise;
            continue;
          }
          break;
        case move::action::await:
          if (!(m.by == move::way::near ? await_near(m, patient) : await_far(m, patient))) return false;
          break;
      }
      ++next_;
    }
    return true;
  }

  void signal(const move& m) {
    if (m.by == move::way::far) return far_->signal(m.index);
    // release: what this process did and what it has heard of, for whoever awaits the flag.
    memory_->at(m.flag).store(episode_, std::memory_order_release);
    memory_->gate_of(m.flag).open();
  }

  bool is_last(const move& m) {
    // The counter counts for ever: an episode is over when it reaches company * episode, modulo 2^32.
    // acq_rel: publishes this process's writes, and gives the last one everybody's.
    return memory_->at(m.flag).fetch_add(1, std::memory_order_acq_rel) + 1 == m.company * episode_;
  }

  bool await_near(const move& m, bool patient) {
    // Whoever is let go by others may have signalled the next episode already: "reached", not "equal".
    const auto reached = [this](std::uint32_t now) { return static_cast<std::int32_t>(now - episode_) >= 0; };
    auto& flag = memory_->at(m.flag);
    // acquire: pairs with the release of signal().
    if (reached(flag.load(std::memory_order_acquire))) return true;
    if (!patient) return false;
    // The last of a seat has the processor to itself, as long as all live where they should: strangers, whom waking up moves
    // about, may not. It looks for as long as a switch or two take where the others come from, then it sleeps as they do.
    constexpr unsigned two_switches = 150;
    if (last_ && places_.strangers && processes::spin(flag, reached, two_switches)) return true;
    near_->await(places_.shared && (!last_ || places_.strangers), flag, memory_->gate_of(m.flag), reached);
    return true;
  }

  // For experience<messages>: a word that says whether a message has come. MPI orders what it brings.
  struct letter_box {
    far_side& side;
    unsigned index;
    bool load(std::memory_order) const { return side.arrived(index); }
  };

  bool await_far(const move& m, bool patient) {
    if (patient && by_mpi_ && far_->wait(m.index)) return true;
    if (!patient) return far_->arrived(m.index);
    nap_.rested();
    far_wait_->await(places_.shared, letter_box{*far_, m.index}, nap_, [](bool come) { return come; });
    return true;
  }

  // While it waits, and about every 50 microseconds of the time that it has a processor: a look takes MPI microseconds. While
  // something moves, at once again: where MPI copies a large message in pieces, each look moves one.
  bool look(bool find_out) {
    const std::uint64_t now = native::ticks();
    if (now < next_look_) return meanwhile::current.moving;
    const double tick = native::ticks_per_microsecond();
    // Twice: after a sleep the first takes long in any case.
    if (!find_out)
      progress();
    else if (progresses() && progresses())
      moving_until_ = now + static_cast<std::uint64_t>(1e3 * tick);
    const bool moving = now < moving_until_;
    next_look_ = moving ? now : now + static_cast<std::uint64_t>(50 * places_.sharers * tick);
    go_on_with_begun();
    if (!memory_ || now < next_roll_call_) return moving;
    const bool first = next_roll_call_ == 0;
    next_roll_call_ = now + static_cast<std::uint64_t>(100e3 * tick);
    if (!first) roll_call();
    return moving;
  }

  // Barriers of this process that were begun and have not ended are handed over to whoever waits, in whichever thread: other
  // processes may wait for them before they come here. What they meet is for those to hear who end them.
  static void go_on_with_begun() {
    const std::unique_lock lock(begun().mutex, std::try_to_lock);
    if (!lock) return;  // another thread does it
    for (implementation* const other : begun().all) {
      try {
        if (!other->met_) other->advance(false);
      } catch (const error& e) {
        other->met_ = e;
      }
    }
  }
  void hand_over() {
    const std::lock_guard lock(begun().mutex);
    begun().all.push_back(this);
  }
  void take_back() {
    const std::lock_guard lock(begun().mutex);
    std::erase(begun().all, this);
  }
  void throw_what_others_met() const {
    if (met_) throw error(*met_);
  }

  void progress() {
    int flag = 0;
    check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE), "waiting at a barrier");
  }

  // Something moves in a call that takes longer than where nothing does; the shortest so far stands for those. Of processor time:
  // Open MPI may give the processor away in it.
  bool progresses() {
    const double start_us = processor_us();
    progress();
    const double took_us = processor_us() - start_us;
    idle_look_us_ = std::min(idle_look_us_, took_us);
    return took_us > 3 * idle_look_us_ + 2;
  }
  static double processor_us() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
  }

  void roll_call() {
    int gone = memory_->people().given_up_for();
    if (gone < 0) {
      gone = memory_->people().one_that_has_ended();
      if (gone < 0) return;
      // Who has ended after its last barrier has done its part in it: only who gets no further until the next call waits for it.
      if (std::exchange(stuck_, std::pair(episode_, next_)) != std::pair(episode_, next_)) return;
    }
    const unsigned who = places_.nodes[places_.node(rank_)][static_cast<std::size_t>(gone)];
    memory_->people().give_up(gone);
    const std::string what = "weir: rank " + std::to_string(who) + " has ended or given up, and rank " + std::to_string(rank_) +
                             " waits at a barrier for " + (next_->peer == anyone ? "it" : "rank " + std::to_string(next_->peer));
    throw error(new_code(what), what);
  }

  template <class Body>
  void guarded(Body body) {
    try {
      body();
    } catch (const error& e) {
      failed_ = true;
      if (memory_ && memory_->people().given_up_for() < 0) memory_->people().give_up();
      std::fprintf(stderr, "%s\n", e.what());
      comm_.call_their_handler(e.code());
      throw;
    }
  }

  // Under a quota each microsecond of waiting awake is taken from the program's own computing; among strangers, whom a yield does
  // not always reach, from theirs. Then a process stays awake for no longer than a wake-up takes.
  double awake_us() const { return places_.strangers || under_quota_ ? 0 : waiting::automatic_constants::longest_awake; }

  struct unfinished {
    std::mutex mutex;
    std::vector<implementation*> all;
  };
  // Never destroyed: barriers may be, at exit, after this library's variables.
  static unfinished& begun() {
    static unfinished& it = *new unfinished;
    return it;
  }

  const bool by_mpi_;  // waits for messages as MPI does
  const bool alone_;  // the one thread of its process that waits
  const bool under_quota_;
  std::uint32_t episode_ = 0;
  const move* next_ = nullptr;
  bool active_ = false, last_ = false;
  std::optional<error> met_;                                   // by another thread, between begin() and end()
  std::pair<std::uint32_t, const move*> stuck_{0, nullptr};  // where it waited when somebody was found to have ended
  std::uint64_t next_look_ = 0, next_roll_call_ = 0, moving_until_ = 0;
  double idle_look_us_ = std::numeric_limits<double>::infinity();
  std::optional<waiting::experience<processes>> near_;
  std::optional<waiting::experience<messages>> far_wait_;
  nap nap_;
};

barrier::barrier(MPI_Comm comm, const options& how, unsigned threads) : it_(implementation::make(comm, how, threads)) {}
barrier::~barrier() = default;

void barrier::arrive_and_wait() { it_->arrive_and_wait(); }
void barrier::begin() { it_->begin(); }
bool barrier::test() { return it_->test(); }
void barrier::end() { it_->end(); }
unsigned barrier::rank() const { return it_->rank(); }
unsigned barrier::size() const { return it_->size(); }
const mpi::choice& barrier::choice() const { return it_->choice(); }
const std::vector<int>& barrier::processors() const { return it_->where().processors; }
bool barrier::among_strangers() const { return it_->where().strangers; }

}  // namespace weir::mpi
