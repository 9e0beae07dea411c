#include "engine.hpp"

#include <algorithm>
#include <sstream>

namespace weir::simulator {

thread_local engine* engine::here_ = nullptr;

namespace {
constexpr std::size_t stack_bytes = 64 * 1024;  // two pages of it are touched
constexpr time without_looking = 1'000'000 * nanosecond;  // how far one thread runs by itself before the loop checks for the end
}

engine::engine(const machine_model& m, const schedule& s)
    : model_(m), memory_(model_), kernel_(model_, s, events_, threads_, jobs_) {
  jobs_.reserve(256);  // threads and the kernel point to them
}

engine::~engine() = default;

job& engine::add_job(const std::string& name, unsigned threads, time arrives, unsigned processors,
                     std::function<void(const job&)> begin, std::function<void(unsigned)> body) {
  if (jobs_.size() == jobs_.capacity()) throw std::length_error("more than 256 applications");
  job& j = jobs_.emplace_back();
  j.name = name;
  j.id = static_cast<unsigned>(jobs_.size() - 1);
  j.wanted = processors;
  j.arrives = arrives;
  j.on_begin = std::move(begin);
  bodies_.push_back(std::move(body));
  for (unsigned m = 0; m < threads; ++m) {
    thread& t = threads_.emplace_back();
    t.id = static_cast<unsigned>(threads_.size() - 1);
    t.application = j.id;
    t.member = m;
    j.threads.push_back(&t);
  }
  return j;
}

void engine::run(time limit) {
  here_ = this;
  unfinished_ = threads_.size();
  stacks_ = std::make_unique<stacks>(threads_.size(), stack_bytes);
  for (thread& t : threads_)
    t.context.start(stacks_->top(t.id), stacks_->usable_bytes(), [this, &t] {
      t.now = now_;
      bodies_[t.application](t.member);
      drain();
      until(t, t.now);
    });
  for (const job& j : jobs_) events_.push(j.arrives, event_kind::arrival, j.id, 0);
  while (unfinished_ != 0) {
    if (!events_.empty() && events_.next_at() > std::min(limit, end_of_time))
      throw stuck(who_waits(limit <= end_of_time ? "it has not finished by the limit, "
                                                 : "it has not finished by the end of virtual time (46 days), "));
    if (events_.empty() || !can_still_finish())
      throw stuck(who_waits("the program cannot finish; no event is left that a thread waits for, at "));
    const event e = events_.pop();
    now_ = e.at;
    look_at_ = std::min({now_ + without_looking, limit, end_of_time});
    switch (e.kind) {
      case event_kind::resume:
        if (e.generation == threads_[e.who].generation) resume(threads_[e.who]);
        break;
      case event_kind::store: {
        thread& t = threads_[e.who];
        if (!t.stores.empty() && t.stores.front().number == e.generation) take_effect(t);
        break;
      }
      case event_kind::slice: kernel_.slice_ends(e.who, e.generation, now_); break;
      case event_kind::slot: kernel_.slot_ends(now_); break;
      case event_kind::arrival:
        progress_at_ = now_;
        kernel_.arrive(jobs_[e.who], now_);
        break;
    }
  }
  here_ = nullptr;
}

void engine::resume(thread& t) {
  self_ = &t;
  t.now = now_;
  t.context.resume();
  self_ = nullptr;
  if (!t.context.done()) return;
  --unfinished_;
  progress_at_ = now_;
  kernel_.finish(t, now_);
}

// Polls and yields go on for ever; a program with no other events left does not finish.
bool engine::can_still_finish() {
  time coming = 0;
  for (const job& j : jobs_)
    if (j.begun < 0) coming = std::max(coming, j.arrives);
  const time patience = 4 * model_.system.quantum * static_cast<time>(threads_.size() + 1) + from_us(1e6);
  if (events_.next_at() - std::max(progress_at_, coming) < patience) return true;
  const auto computes = [](const thread& t) {
    return (t.is == thread::state::running && t.doing == activity::computing) ||
           (t.is == thread::state::ready && t.before == activity::computing);
  };
  if (std::none_of(threads_.begin(), threads_.end(), computes)) return false;
  progress_at_ = now_;
  return true;
}

void engine::until(thread& t, time at) {
  t.now = std::max(at, now_);
  if (at <= now_) return;
  if (at < events_.next_at() && at <= look_at_) {
    now_ = at;
    return;
  }
  kernel_.resume_at(t, at);
  t.context.suspend();
  if (now_ > at) t.loads.begin({now_, t.depth});
  t.now = now_;
}

void engine::compute(time duration) {
  thread& t = *self_;
  kernel_.turn(t, activity::computing, t.now);
  until(t, t.now);
  // If the thread was preempted and resumed, none of its own time is lost: the kernel postpones the rest.
  until(t, t.now + duration);
  progress_at_ = now_;
  t.loads.begin({t.now, t.depth});
  kernel_.turn(t, activity::synchronizing, t.now);
}

void engine::spend(time cost, activity what) {
  thread& t = *self_;
  kernel_.turn(t, what, t.now);
  until(t, t.now + cost);
  kernel_.turn(t, activity::synchronizing, t.now);
}

void engine::system_call(time cost) {
  drain();
  ++system_.calls;
  spend(cost, activity::switching);
}

// A load of a value in this processor's store buffer reads that value.
bool engine::forwarded(thread& t, const void* word, void* into, std::size_t bytes) {
  for (auto s = t.stores.rbegin(); s != t.stores.rend(); ++s)
    if (s->word == word && s->bytes == bytes) {
      std::memcpy(into, &s->value, bytes);
      t.looked_at = memory_.version(s->line);
      return true;
    }
  return false;
}

void engine::load(const void* word, void* into, std::size_t bytes) {
  thread& t = *self_;
  until(t, t.now);
  if (!t.stores.empty() && forwarded(t, word, into, bytes)) {
    t.now += model_.processor.hit;
    return;
  }
  const line_id l = memory_.line_at(word);
  if (memory_.cached() && memory_.has_copy(l, t.processor)) {
    t.now = memory_.load(l, t.processor, t.now);
    t.depth = std::max(t.depth, memory_.depth(l));
  } else {
    const std::size_t most = model_.processor.misses;
    moment begun = most > 1 ? t.loads.earliest(most) : moment{t.now, t.depth};
    if (begun.at > t.now || memory_.written_since(l, begun.at)) begun = {t.now, t.depth};
    const time there = std::max(memory_.load(l, t.processor, begun.at), t.now + model_.processor.hit);
    if (most > 1) t.loads.note({there, begun.depth + 1}, most);
    t.in_access = true;
    until(t, there);
    t.in_access = false;
    t.depth = std::max(t.depth, std::max(begun.depth, memory_.depth(l)) + 1);
  }
  std::memcpy(into, word, bytes);
  t.looked_at = memory_.version(l);
}

// A line serves all stores of the processor that waits for it, before it goes on to those who have asked for it meanwhile: the
// answer to one request completes all that the processor has made for the line [gem5, Ruby's Sequencer::writeCallback], and
// stores of a line merge into the buffer that it fills [ARM DDI 0489F, section 5.9.2]. But stores leave in order. If one to a
// later line is in between, the line goes on without the last store, which asks again. A processor with weak order merges even
// that one, unless it is a release: then it waits as here, and the last store of what the runtime writes is one. When the line
// comes for such a store; never: no request is on the way.
time engine::comes_for_store(const thread& t, line_id l) const {
  if (!memory_.cached() || memory_.owns(l, t.processor)) return never;
  const time last = t.stores.empty() ? t.now : t.stores.back().takes_effect;
  for (auto s = t.stores.rbegin(); s != t.stores.rend() && s->takes_effect == last; ++s)
    if (s->line == l) return last;
  for (const requested_line& r : t.requests)
    if (r.line == l && r.comes >= last) return r.comes;
  return never;
}

void engine::store(void* word, std::uint64_t value, std::size_t bytes) {
  thread& t = *self_;
  until(t, t.now);
  const line_id l = memory_.line_at(word);
  const bool at_once = t.stores.empty() && memory_.cached() && memory_.owns(l, t.processor);
  while (t.stores.size() >= model_.processor.store_buffer) drain_one(t);
  time done = comes_for_store(t, l);
  const bool moves = done == never && memory_.moves_to_write(l, t.processor);
  if (done != never) {
    done = memory_.write_with_request(l, done);
  } else {
    done = memory_.write(l, t.processor, t.now);
    tell_watchers(l, t.now);
  }
  if (at_once && done <= t.now + model_.processor.store) {
    std::memcpy(word, &value, bytes);
    memory_.changed(l);
    stored(t, l, t.depth, false);
    progress_at_ = now_;
    t.now = done;
    return;
  }
  // In order: no store takes effect before an earlier one.
  const time effect = t.stores.empty() ? done : std::max(done, t.stores.back().takes_effect);
  t.stores.push_back({word, value, static_cast<std::uint8_t>(bytes), l, ++t.stores_made, effect, t.depth, moves});
  events_.push(effect, event_kind::store, t.id, t.stores_made);
  t.now += model_.processor.store;
  if (model_.processor.store_buffer == 1) drain();
}

void engine::request_for_writing(const void* word) {
  thread& t = *self_;
  until(t, t.now);
  const line_id l = memory_.line_at(word);
  if (!memory_.cached() || memory_.owns(l, t.processor)) return;
  std::erase_if(t.requests, [&](const requested_line& r) { return r.comes < t.now; });
  deepen(l, t.depth, memory_.moves_to_write(l, t.processor));
  t.requests.push_back({l, memory_.write(l, t.processor, t.now)});
  tell_watchers(l, t.now);
}

// In order: a thread that sees a store has waited for the thread's earlier ones, too.
void engine::stored(thread& t, line_id l, unsigned depth, bool moved) {
  memory_.depth(l) = t.stored_depth = std::max(t.stored_depth, deepen(l, depth, moved));
}

void engine::take_effect(thread& t) {
  const pending_store s = t.stores.front();
  t.stores.pop_front();
  std::memcpy(s.word, &s.value, s.bytes);
  memory_.changed(s.line);
  stored(t, s.line, s.depth, s.moves);
  progress_at_ = now_;
  // A thread that has fetched the line since this store requested it has read the old value, and waits again.
  tell_watchers(s.line, now_);
}

// The store's own event may be later than its owner's in the same moment: then the owner performs the store.
void engine::drain_one(thread& t) {
  const std::uint32_t number = t.stores.front().number;
  until(t, std::max(t.now, t.stores.front().takes_effect));
  if (!t.stores.empty() && t.stores.front().number == number) take_effect(t);
  t.depth = std::max(t.depth, t.stored_depth);
}

void engine::drain() {
  thread& t = *self_;
  while (!t.stores.empty()) drain_one(t);
}

void engine::tell_watchers(line_id l, time at) {
  std::vector<std::uint32_t>& watchers = memory_.watchers(l);
  if (watchers.empty()) return;
  for (const std::uint32_t w : watchers) {
    threads_[w].watching = false;
    kernel_.refreshed(threads_[w], at);
  }
  watchers.clear();
}

void engine::forget_watch(thread& t) {
  if (!t.watching) return;
  t.watching = false;
  std::erase(memory_.watchers(t.watched), t.id);
}

std::uint64_t engine::wait_for_change(const void* word, std::uint64_t polls, bool willing) {
  thread& t = *self_;
  kernel_.turn(t, activity::spinning, t.now);
  t.loads.begin({t.now, t.depth});
  const line_id l = memory_.line_at(word);
  // A thread that counts polls looks at the clock afterwards, and on a machine without costs would poll for ever in one moment.
  const bool takes_time = willing || polls != 0;
  const time pause = std::max(willing ? model_.system.yield : model_.processor.poll, takes_time ? nanosecond : 0);
  const time period = pause + model_.processor.hit;
  std::uint64_t gone = 1;
  until(t, t.now);
  // Parked only if polling disturbs no other thread and the next write is certain to be reported: not if one has happened since
  // the look.
  const bool quiet = memory_.version(l) == t.looked_at &&
                     (memory_.cached() ? memory_.has_copy(l, t.processor) : memory_.is_home(l, t.processor));
  if (quiet) {
    t.watching = true;
    t.watched = l;
    t.stale = false;
    memory_.watchers(l).push_back(t.id);
    t.polled = -1;
  }
  if (kernel_.cede(t, t.now) || (willing && kernel_.others_want(t) && kernel_.yield(t, t.now))) {
    t.context.suspend();
    t.now = now_;
    forget_watch(t);
  } else if (quiet) {
    t.willing = willing;
    t.poll_period = period;
    t.parked_at = t.now;
    t.parked = true;
    if (polls != 0) kernel_.resume_at(t, t.now + static_cast<time>(polls) * period);
    t.context.suspend();
    if (t.polled < 0) t.polled = now_ - t.parked_at;
    t.now = now_;
    t.parked = false;
    forget_watch(t);
    gone = period > 0 ? std::max<std::uint64_t>(static_cast<std::uint64_t>(t.polled / period), 1) : 1;
  } else {
    until(t, t.now + pause);
  }
  t.loads.begin({t.now, t.depth});
  kernel_.turn(t, activity::synchronizing, t.now);
  return gone;
}

void engine::yield() {
  thread& t = *self_;
  ++system_.calls;
  until(t, t.now);
  if (kernel_.yield(t, t.now)) {
    t.context.suspend();
    t.now = now_;
    kernel_.turn(t, activity::synchronizing, t.now);
  }
  spend(std::max(model_.system.yield, nanosecond), activity::spinning);
}

void engine::sleep_while(const void* word, const std::uint32_t* value_in_memory, std::uint32_t value) {
  system_call(model_.system.sleep);
  thread& t = *self_;
  if (*value_in_memory != value) return;
  kernel_.sleep(t, word, t.now);
  t.context.suspend();
  t.now = now_;
  kernel_.turn(t, activity::synchronizing, t.now);
}

void engine::wake(const void* word, unsigned most) {
  thread& t = *self_;
  system_call(model_.system.wake);
  // Only those that sleep now: one that is woken, looks and sleeps again is not woken a second time.
  const unsigned asleep = std::min(most, kernel_.asleep_at(word));
  for (unsigned woken = 0; woken < asleep; ++woken) {
    thread* const waiter = kernel_.wake_one(word, t.now);
    if (waiter == nullptr) return;
    waiter->wakes = std::max(waiter->wakes, ++t.wakes);
    progress_at_ = now_;
    ++system_.woken;
    spend(model_.system.wake, activity::switching);
  }
}

void engine::forget_counts() {
  counted_from_ = now_;
  system_ = {};
  memory_.forget_counts();
  kernel_.forget_counts();
  for (thread& t : threads_) {
    t.spent = {};
    t.since = std::max(t.since, now_);
    t.switches = t.preemptions = t.migrations = 0;
    t.wakes = 0;
  }
}

std::string engine::who_waits(const char* why) const {
  std::ostringstream text;
  text << why << in_ns(now_) / 1e3 << " us:";
  std::size_t listed = 0, waiting = 0;
  for (const thread& t : threads_) {
    if (t.is == thread::state::done) continue;
    if (++waiting > 20) continue;
    ++listed;
    const job& j = jobs_[t.application];
    text << "\n  " << j.name << " member " << t.member << ": ";
    if (t.is == thread::state::absent)
      text << "has not begun: " << (j.arrives > now_ ? "it arrives later" : "no processors for it");
    else
      text << (t.is == thread::state::sleeping ? "sleeps" : t.is == thread::state::ready ? "is ready, and waits" : "polls")
           << " at " << (*t.waits_for != 0 ? t.waits_for : "its barrier") << ", episode " << t.episode;
  }
  if (waiting > listed) text << "\n  and " << waiting - listed << " more";
  std::vector<std::string> ended;
  for (const job& j : jobs_)
    for (const thread* t : j.threads)
      if (t->is == thread::state::done && j.finished < 0 && ended.size() < 20)
        ended.push_back(j.name + " member " + std::to_string(t->member) + " (after episode " + std::to_string(t->episode) + ")");
  for (std::size_t i = 0; i < ended.size(); ++i) text << (i == 0 ? "\n  they wait for, and have ended: " : ", ") << ended[i];
  return text.str();
}

}  // namespace weir::simulator
