// A process's barrier: it follows a route through a plan, by flags in shared memory and by messages elsewhere.
#include <weir/mpi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <new>
#include <optional>
#include <time.h>
#include <utility>
#include <vector>

#include <weir/machine/processors.hpp>

#include "../system/raw_call.hpp"
#include "call.hpp"
#include "choice.hpp"
#include "layout.hpp"
#include "learning.hpp"
#include "movement.hpp"
#include "waiting.hpp"
#include "yielding.hpp"

namespace weir::mpi {

namespace {

// Installs the progress hook while a process waits here.
class installed_hook {
 public:
  installed_hook(bool (*look)(void*, bool), void* of) : before_(std::exchange(progress_hook::current, {look, of})) {}
  ~installed_hook() { progress_hook::current = before_; }
  installed_hook(const installed_hook&) = delete;
  installed_hook& operator=(const installed_hook&) = delete;

 private:
  const progress_hook before_;
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
    it->flag_wait_.emplace(it->awake_us());
    it->message_wait_.emplace(it->awake_us());
    it->way_ = it->ways_.data();
    if (it->ways_.size() > 1) it->learn();
    return it;
  }

  ~implementation() {
    withdraw_from_waiters();
    // Either MPI has ended, with its requests and windows, or freeing them would need all other processes.
    if (!mpi_is_there() || failed_)
      for (way& barrier_way : ways_) static_cast<void>(barrier_way.transport.release());
    if (failed_) comm_.leave();
  }

  void begin() {
    start();
    guarded([&] { advance(false); });
    offer_to_waiters();
  }

  bool test() {
    if (!active_) throw std::logic_error("weir: a barrier was tested that was not begun");
    withdraw_from_waiters();
    bool over = false;
    guarded([&] {
      throw_what_others_met();
      over = advance(false);
      if (!over) look(false);
    });
    if (!over) offer_to_waiters();
    return over;
  }

  void end() {
    if (!active_) throw std::logic_error("weir: a barrier was ended that was not begun");
    withdraw_from_waiters();
    guarded([&] { throw_what_others_met(); });
    pass();
  }

  // Not begin() and end(): a word that will be waited for need not be checked before.
  void arrive_and_wait() {
    start();
    pass();
  }

  unsigned rank() const { return rank_; }
  unsigned size() const { return static_cast<unsigned>(places_.node_of.size()); }
  const mpi::choice& choice() const { return ways_[learning_ ? learning_->chosen() : 0].choice; }
  trial_record tried() const {
    return learning_ ? trial_record{learning_->trials_so_far(), learning_->lost_us()} : trial_record{};
  }
  const places& where() const { return places_; }

 private:
  implementation(MPI_Comm of, const options& how, unsigned threads)
      : layout(of, how, threads), by_mpi_(how.waiting == "mpi"), single_thread_(threads == 1), under_quota_(under_quota()) {}

  void pass() {
    guarded([&] {
      return_home();
      wait();
      if (learning_ && learning_->is_telling()) finish_telling();
    });
    active_ = false;
  }

  void wait() {
    const installed_hook here([](void* self, bool find_out) { return static_cast<implementation*>(self)->look(find_out); }, this);
    advance(true);
    if (way_->transport) way_->transport->finish();
  }

  void start() {
    if (active_) throw std::logic_error("weir: a barrier was begun again before it was ended");
    active_ = true;
    guarded([&] {
      if (learning_) way_ = &ways_[learning_->begin(*this)];
      ++way_->episode;
      next_ = way_->route.moves.data();
      last_ = false;
      if (way_->transport) way_->transport->begin(way_->episode);
    });
  }

  void learn() {
    learning_.emplace(static_cast<unsigned>(ways_.size()), longest_worth_trying_us(places_));
    if (rank_ == 0) learning_->judge(now_us());
  }

  // What the judge tells lies in the memory of the one node, or is a message to each of the others. It is sent before the judge
  // arrives, so it is on its way to whoever has passed the episode, and is received there: the next barrier to have this
  // communicator's number would take it for its own. Messages are short, so a tree of them would save little, and each of its
  // processes would have to come first.
  friend class learning;
  static constexpr int telling_tag = 32767;  // the largest that every MPI has
  static double now_us() { return static_cast<double>(native::ticks()) / native::ticks_per_microsecond(); }
  bool is_told_by_messages() const { return places_.nodes.size() > 1; }
  void tell(const trials::course& next) {
    if (!is_told_by_messages()) {
      memory_->told() = next;
      return;
    }
    told_ = next;
    tellings_.resize(size() - 1);
    for (unsigned r = 1; r < size(); ++r)
      check(PMPI_Isend(&told_, sizeof told_, MPI_BYTE, static_cast<int>(r), telling_tag, comm_, &tellings_[r - 1]),
            "telling of a trial");
  }
  trials::course hear() { return is_told_by_messages() ? told_ : memory_->told(); }
  void finish_telling() {
    if (!is_told_by_messages()) return;
    constexpr auto doing = "telling of a trial";
    if (rank_ == 0) {
      for (MPI_Request& request : tellings_) yielding::wait(request, doing);
      return;
    }
    MPI_Request told;
    check(PMPI_Irecv(&told_, sizeof told_, MPI_BYTE, 0, telling_tag, comm_, &told), doing);
    yielding::wait(told, doing);
  }

  // Linux does not balance processes that yield to each other: three may stay on one processor and one on another.
  void return_home() {
    if (single_thread_) native::live_on(home());
  }

  /// Follows the route as far as possible without waiting or, if `patient`, to its end. Returns whether it has reached the end.
  bool advance(bool patient) {
    const move* const first = way_->route.moves.data();
    const move* const end = first + way_->route.moves.size();
    while (next_ != end) {
      const move& m = *next_;
      switch (m.act) {
        case move::action::signal: signal(m); break;
        case move::action::count:
          // The last arrival of a seat waits for other processors; no other process of the seat wants this one until then.
          last_ = is_last(m);
          if (!last_) {
            next_ = first + m.otherwise;
            continue;
          }
          break;
        case move::action::await:
          if (!(m.by == move::path::memory ? await_flag(m, patient) : await_message(m, patient))) return false;
          break;
      }
      ++next_;
    }
    return true;
  }

  void signal(const move& m) {
    if (m.by == move::path::message) return way_->transport->signal(m.index);
    // release: publishes what this process did, and what it has acquired from others, to the process that awaits the flag.
    memory_->at(m.flag).store(way_->episode, std::memory_order_release);
    memory_->gate_of(m.flag).open();
  }

  bool is_last(const move& m) {
    // The counter is never reset: an episode is complete when it reaches expected * episode, modulo 2^32.
    // acq_rel: publishes this process's writes, and the last arrival acquires those of all others.
    return memory_->at(m.flag).fetch_add(1, std::memory_order_acq_rel) + 1 == m.expected * way_->episode;
  }

  bool await_flag(const move& m, bool patient) {
    // A process that others have released may have signalled the next episode already: "reached", not "equal".
    const auto reached = [episode = way_->episode](std::uint32_t now) { return static_cast<std::int32_t>(now - episode) >= 0; };
    auto& flag = memory_->at(m.flag);
    // acquire: pairs with the release of signal().
    if (reached(flag.load(std::memory_order_acquire))) return true;
    if (!patient) return false;
    // The last arrival of a seat has the processor to itself, as long as all processes run where they should. Processes of
    // different scheduling groups may not, because waking moves them between processors. Then it polls for about as long as one
    // or two context switches take on the other processors, and after that sleeps as the others do.
    constexpr unsigned two_switches = 150;
    if (last_ && places_.scheduled_apart && processes::spin(flag, reached, two_switches)) return true;
    flag_wait_->await(places_.shared && (!last_ || places_.scheduled_apart), flag, memory_->gate_of(m.flag), reached);
    return true;
  }

  // For experience<messages>: a word that tells whether a message has arrived. MPI orders what the message publishes.
  struct message_flag {
    transport& side;
    unsigned index;
    bool load(std::memory_order) const { return side.arrived(index); }
  };

  bool await_message(const move& m, bool patient) {
    if (patient && by_mpi_ && way_->transport->wait(m.index)) return true;
    if (!patient) return way_->transport->arrived(m.index);
    message_gate_.restart();
    message_wait_->await(places_.shared, message_flag{*way_->transport, m.index}, message_gate_, [](bool come) { return come; });
    return true;
  }

  // Called while the process waits. It lets MPI progress about every 50 microseconds of the time that the process has a
  // processor, because each call takes microseconds. While something moves it does so immediately again: if MPI copies a large
  // message in pieces, each call moves one piece.
  bool look(bool find_out) {
    const std::uint64_t now = native::ticks();
    if (now < next_look_) return progress_hook::current.moving;
    const double tick = native::ticks_per_microsecond();
    const double now_us = static_cast<double>(now) / tick;
    if (find_out)
      movement_.find_out(now_us, [this] { return progress_took_us(); });
    else
      progress();
    const bool moving = movement_.is_moving(now_us);
    next_look_ = moving ? now : now + static_cast<std::uint64_t>(50 * places_.sharers * tick);
    advance_begun();
    if (!memory_ || now < next_liveness_check_) return moving;
    const bool first = next_liveness_check_ == 0;
    next_liveness_check_ = now + static_cast<std::uint64_t>(100e3 * tick);
    if (!first) check_liveness();
    return moving;
  }

  // Barriers of this process that were begun and have not ended are advanced by any thread that waits: other processes may wait
  // for their signals before this process ends them. An error is kept for the thread that ends the barrier.
  static void advance_begun() {
    const std::unique_lock lock(begun().mutex, std::try_to_lock);
    if (!lock) return;  // another thread is doing this
    for (implementation* const other : begun().barriers) {
      try {
        if (!other->met_) other->advance(false);
      } catch (const error& e) {
        other->met_ = e;
      }
    }
  }
  void offer_to_waiters() {
    const std::lock_guard lock(begun().mutex);
    begun().barriers.push_back(this);
  }
  void withdraw_from_waiters() {
    const std::lock_guard lock(begun().mutex);
    std::erase(begun().barriers, this);
  }
  void throw_what_others_met() const {
    if (met_) throw error(*met_);
  }

  void progress() {
    int flag = 0;
    check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE), "waiting at a barrier");
  }

  double progress_took_us() {
    const double start_us = processor_us();
    progress();
    return processor_us() - start_us;
  }
  // By a system call alone: a member on a virtual processor that asks the C library leaves it for good. SMPI's clock is a macro.
  static double processor_us() {
    timespec t{};
#if defined(clock_gettime)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
#else
    raw_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, as_argument(&t));
#endif
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
  }

  void check_liveness() {
    int gone = memory_->alive().abandoned_because_of();
    if (gone < 0) {
      gone = memory_->alive().find_ended();
      if (gone < 0) return;
      // A process that has ended after its last barrier has done its part in it. This process waits for it only if it has made no
      // progress until the next call.
      if (const std::pair here(way_->episode, next_); std::exchange(stuck_, here) != here) return;
    }
    const unsigned who = places_.nodes[places_.node(rank_)][static_cast<std::size_t>(gone)];
    memory_->alive().give_up(gone);
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
      if (memory_ && memory_->alive().abandoned_because_of() < 0) memory_->alive().give_up();
      std::fprintf(stderr, "%s\n", e.what());
      comm_.call_their_handler(e.code());
      throw;
    }
  }

  // Under a quota each microsecond of waiting awake is taken from the program's own computing. Between scheduling groups, where a
  // yield may not reach the others, it is taken from theirs. Then a process stays awake for no longer than a wake-up takes.
  double awake_us() const { return places_.scheduled_apart || under_quota_ ? 0 : waiting::automatic_constants::longest_awake; }

  struct unfinished {
    std::mutex mutex;
    std::vector<implementation*> barriers;
  };
  // Never destroyed, because barriers may be destroyed at exit after this library's variables.
  static unfinished& begun() {
    alignas(unfinished) static std::byte room[sizeof(unfinished)];  // no memory of the heap: a wait looks here first
    static unfinished& it = *new (room) unfinished;
    return it;
  }

  const bool by_mpi_;  // waits for messages as MPI does
  const bool single_thread_;  // no other thread of this process waits
  const bool under_quota_;
  way* way_ = nullptr;  // of this episode
  const move* next_ = nullptr;
  bool active_ = false, last_ = false;
  std::optional<error> met_;                                 // by another thread, between begin() and end()
  std::pair<std::uint32_t, const move*> stuck_{0, nullptr};  // where this process waited when another was found to have ended
  std::uint64_t next_look_ = 0, next_liveness_check_ = 0;
  movement movement_;
  std::optional<waiting::experience<processes>> flag_wait_;
  std::optional<waiting::experience<messages>> message_wait_;
  message_gate message_gate_;
  std::optional<learning> learning_;
  trials::course told_;
  std::vector<MPI_Request> tellings_;
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
trial_record barrier::tried() const { return it_->tried(); }
const std::vector<int>& barrier::processors() const { return it_->where().processors; }
bool barrier::scheduled_apart() const { return it_->where().scheduled_apart; }

}  // namespace weir::mpi
