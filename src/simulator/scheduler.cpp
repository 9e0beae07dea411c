#include "scheduler.hpp"

#include <algorithm>
#include <numeric>

#include "node/grants.hpp"

namespace weir::simulator {

namespace {

/// Ready queues, one for each processor or one for all, over partitions of the processors.
class queueing : public scheduler {
 public:
  queueing(const schedule& s, std::vector<processor>& processors, const std::vector<job>& jobs)
      : scheduler(s, processors), jobs_(jobs), owner_(processors.size(), -1) {
    queues_.resize(s.local_queues ? processors.size() : 1);
    just_one_.resize(processors.size());
    for (unsigned p = 0; p < processors.size(); ++p) just_one_[p] = {p};
  }

  bool admit(job& j, const std::vector<job*>& active) override {
    if (shares_all()) {
      j.partition.resize(processors_.size());
      std::iota(j.partition.begin(), j.partition.end(), 0u);
      place_threads(j, next_place_);
      next_place_ = static_cast<unsigned>((next_place_ + j.threads.size()) % processors_.size());
      return true;
    }
    return how_.by == policy::partition ? give_free(j) : share_out(active, &j);
  }

  void release(job& j, const std::vector<job*>& active) override {
    if (shares_all()) return;
    for (const unsigned p : j.partition) owner_[p] = -1;
    if (how_.by != policy::partition) share_out(active, nullptr);
  }

  void enqueue(thread& t) override { queue_of(t).push_back(&t); }

  thread* take(unsigned processor) override {
    auto& queue = queues_[how_.local_queues ? processor : 0];
    const auto found = best(queue, processor);
    if (found == queue.end()) return nullptr;
    thread* const t = *found;
    queue.erase(found);
    return t;
  }

  bool wanted(unsigned processor) const override {
    auto& queue = queues_[how_.local_queues ? processor : 0];
    return best(queue, processor) != queue.end();
  }

  const std::vector<unsigned>& could_run(const thread& t) const override {
    return how_.local_queues ? just_one_[t.place] : jobs_[t.application].partition;
  }

  time quantum(const thread& t) const override {
    if (cedes_when_waiting()) return never;
    if (how_.by != policy::round_robin_job) return how_.quantum;
    // Equal shares for applications: a thread of a large one gets a smaller quantum [Leutenegger, Vernon 1990].
    const auto threads = static_cast<time>(jobs_[t.application].threads.size());
    return std::max<time>(how_.quantum * static_cast<time>(processors_.size()) / threads, 1);
  }

  bool cedes_when_waiting() const override { return how_.by == policy::process_control || how_.by == policy::shares; }

 private:
  using line_up = std::deque<thread*>;

  bool shares_all() const {
    return how_.by == policy::round_robin_process || how_.by == policy::round_robin_job;
  }
  line_up& queue_of(const thread& t) { return queues_[how_.local_queues ? t.place : 0]; }

  // The first thread that may run here; with process control, a thread that can make progress before one that waits.
  template <class Queue>
  auto best(Queue& q, unsigned processor) const -> decltype(q.begin()) {
    auto second = q.end();
    for (auto i = q.begin(); i != q.end(); ++i) {
      if (!may_run(**i) || !is_its(processor, **i)) continue;
      if (!cedes_when_waiting() || !(*i)->waits_in_vain()) return i;
      if (second == q.end()) second = i;
    }
    // Under process control a waiting thread takes no processor until it can continue.
    return cedes_when_waiting() ? q.end() : second;
  }

  bool is_its(unsigned processor, const thread& t) const {
    return how_.local_queues || shares_all() || owner_[processor] == static_cast<int>(t.application);
  }

  void place_threads(job& j, unsigned start) {
    const std::size_t places = j.partition.size(), threads = j.threads.size();
    for (std::size_t i = 0; i < threads; ++i) {
      const std::size_t turn = j.by_blocks && threads > places ? i * places / threads : i;
      j.threads[i]->place = j.partition[(start + turn) % places];
    }
  }

  bool give_free(job& j) {
    const std::size_t count = std::min(j.wanted == 0 ? j.threads.size() : j.wanted, processors_.size());
    std::vector<unsigned> free;
    for (unsigned p = 0; p < owner_.size() && free.size() < count; ++p)
      if (owner_[p] < 0) free.push_back(p);
    if (free.size() < count) return false;
    take_over(j, free);
    return true;
  }

  // Equal shares, none larger than the application's number of threads; the rest goes to the others.
  bool share_out(const std::vector<job*>& active, job* newcomer) {
    std::vector<job*> jobs = active;
    if (newcomer != nullptr) jobs.push_back(newcomer);
    if (jobs.size() > processors_.size()) return false;
    if (how_.by == policy::shares) {
      divide(jobs);
      return true;
    }
    std::vector<std::size_t> share(jobs.size(), 0);
    for (std::size_t left = processors_.size(); left > 0;) {
      const std::size_t before = left;
      for (std::size_t i = 0; i < jobs.size() && left > 0; ++i)
        if (share[i] < jobs[i]->threads.size()) ++share[i], --left;
      if (left == before) break;
    }
    std::fill(owner_.begin(), owner_.end(), -1);
    unsigned next = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      std::vector<unsigned> part(share[i]);
      std::iota(part.begin(), part.end(), next);
      next += static_cast<unsigned>(share[i]);
      take_over(*jobs[i], part);
    }
    return true;
  }

  // By the code that programs run. A program that stays keeps its processors.
  void divide(const std::vector<job*>& jobs) {
    std::vector<node::claim> claims;
    for (const job* const j : jobs) {
      claims.push_back({.weight = 1,
                        .wants = static_cast<unsigned>(j->threads.size()),
                        .may_use = processor_set::first(static_cast<unsigned>(processors_.size())),
                        .holds = {}});
      for (const unsigned p : j->partition) claims.back().holds.add(p);
    }
    const auto granted = node::grants(claims, divisions_++);
    std::fill(owner_.begin(), owner_.end(), -1);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      std::vector<unsigned> part;
      granted[i].processors.for_each([&](unsigned p) { part.push_back(p); });
      take_over(*jobs[i], part);
    }
  }

  void take_over(job& j, const std::vector<unsigned>& granted) {
    j.partition = granted;
    for (const unsigned p : granted) owner_[p] = static_cast<int>(j.id);
    std::vector<thread*> queued;
    for (thread* t : j.threads)
      if (t->is == thread::state::ready && std::erase(queue_of(*t), t) != 0) queued.push_back(t);
    place_threads(j, 0);
    for (thread* t : queued) queue_of(*t).push_back(t);
  }

  const std::vector<job>& jobs_;
  std::vector<int> owner_;  // of each processor; -1: none, or all
  std::vector<line_up> queues_;
  std::vector<std::vector<unsigned>> just_one_;
  unsigned next_place_ = 0;
  std::uint64_t divisions_ = 0;
};

/// Ousterhout's matrix: a row is a time slot, a column a processor. All threads of an application are in one row, so they run
/// together; a processor whose thread of this row cannot run takes another of its column.
class matrix : public scheduler {
 public:
  using scheduler::scheduler;

  bool admit(job& j, const std::vector<job*>&) override {
    const std::size_t columns = processors_.size();
    if (just_one_.empty())
      for (unsigned p = 0; p < columns; ++p) just_one_.push_back({p});
    for (std::size_t first = 0; first < j.threads.size(); first += columns) {
      const std::size_t count = std::min(columns, j.threads.size() - first);
      std::vector<thread*>& row = row_with(count);
      unsigned column = 0;
      for (std::size_t i = first; i < first + count; ++i, ++column) {
        while (row[column] != nullptr) ++column;
        row[column] = j.threads[i];
        j.threads[i]->place = column;
      }
    }
    j.partition.resize(columns);
    std::iota(j.partition.begin(), j.partition.end(), 0u);
    return true;
  }

  void release(job& j, const std::vector<job*>&) override {
    for (auto& row : rows_)
      for (thread*& t : row)
        if (t != nullptr && t->application == j.id) t = nullptr;
    while (!rows_.empty() && is_empty(rows_.back())) rows_.pop_back();
    if (now_ >= rows_.size()) now_ = 0;
  }

  void enqueue(thread&) override {}  // it is already in the matrix

  // This row's thread first, then the others of the column, in the order of their slots.
  thread* take(unsigned processor) override { return first_but(processor, nullptr); }

  // In its own slot, a thread that yields would be the first again.
  thread* take_instead(unsigned processor, const thread& t) override {
    thread* const other = first_but(processor, &t);
    return other != nullptr ? other : take(processor);
  }

  bool wanted(unsigned processor) const override {
    return std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
      return row[processor] != nullptr && row[processor]->is == thread::state::ready && may_run(*row[processor]);
    });
  }

  const std::vector<unsigned>& could_run(const thread& t) const override { return just_one_[t.place]; }
  time quantum(const thread&) const override { return never; }  // slots apply to all processors together
  bool has_slots() const override { return true; }

  void next_slot() override {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      now_ = (now_ + 1) % rows_.size();
      if (!is_empty(rows_[now_])) return;
    }
  }

  bool displaces(unsigned processor) const override {
    if (rows_.empty()) return false;
    const thread* const t = rows_[now_][processor];
    return t != nullptr && t->is == thread::state::ready && may_run(*t);
  }

 private:
  static bool is_empty(const std::vector<thread*>& row) {
    return std::all_of(row.begin(), row.end(), [](const thread* t) { return t == nullptr; });
  }
  thread* first_but(unsigned processor, const thread* but) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      thread* const t = rows_[(now_ + i) % rows_.size()][processor];
      if (t != nullptr && t != but && t->is == thread::state::ready && may_run(*t)) return t;
    }
    return nullptr;
  }
  std::vector<thread*>& row_with(std::size_t room) {
    for (auto& row : rows_)
      if (static_cast<std::size_t>(std::count(row.begin(), row.end(), nullptr)) >= room) return row;
    return rows_.emplace_back(processors_.size(), nullptr);
  }

  std::vector<std::vector<thread*>> rows_;
  std::size_t now_ = 0;
  std::vector<std::vector<unsigned>> just_one_;
};

}  // namespace

std::unique_ptr<scheduler> make_scheduler(const schedule& s, std::vector<processor>& processors,
                                          const std::vector<job>& jobs) {
  if (s.by == policy::coscheduling) return std::make_unique<matrix>(s, processors);
  schedule schedule_of_processors = s;
  if (s.by == policy::process_control || s.by == policy::shares) schedule_of_processors.local_queues = false;
  return std::make_unique<queueing>(schedule_of_processors, processors, jobs);
}

}  // namespace weir::simulator
