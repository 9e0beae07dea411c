#include "openmp/watching/deadlock.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <map>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "openmp/settings/initial.hpp"
#include "openmp/support/call_site.hpp"
#include "openmp/support/stop.hpp"
#include "system/detached_thread.hpp"
#include "system/system_files.hpp"

namespace weir::openmp {

namespace {

constexpr useconds_t between_looks = 500'000;

/// A wait as one look has seen it.
struct seen_wait {
  const wait_kind* what;
  const void* call_site;
  int thread;
  std::uint32_t number;
  bool operator==(const seen_wait&) const = default;
};

struct seen_thread {
  bool asleep = false;
  std::string switches;  // the lines of its context switches
  bool operator==(const seen_thread&) const = default;
};

/// Of all threads of the process; empty if the system does not say.
using seen_threads = std::map<int, seen_thread>;

struct seen_team {
  std::vector<seen_wait> waits;  // empty: a member was awake
  bool reported = false;
};

/// Each member's wait; empty if one is awake.
std::vector<seen_wait> waits_of(const wait_notes& of) {
  std::vector<seen_wait> waits;
  for (const wait_note& note : of.of_members()) {
    // acquire: the rest of the note.
    const wait_kind* const what = note.what.load(std::memory_order_acquire);
    if (what == nullptr) return {};
    waits.push_back({what, note.call_site.load(std::memory_order_relaxed), note.thread.load(std::memory_order_relaxed),
                     note.number.load(std::memory_order_relaxed)});
  }
  return waits;
}

seen_threads threads_now() {
  seen_threads found;
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return found;
  while (const dirent* const entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name[0] == '.') continue;
    const std::string status = contents_of("/proc/self/task/" + name + "/status").value_or("");
    const auto line = [&status](const char* field) {
      const std::size_t at = status.find(field);
      return at == std::string::npos ? std::string() : status.substr(at, status.find('\n', at + 1) - at);
    };
    found[std::atoi(name.c_str())] = {line("State:").find("S (") != std::string::npos,
                                      line("\nvoluntary_ctxt") + line("\nnonvoluntary_ctxt")};
  }
  closedir(folder);
  found.erase(gettid());  // the thread that looks
  return found;
}

struct deadlock {
  std::vector<seen_wait> waits;
  unsigned outside = 0;  // threads outside of the team that might end a wait, and have slept from look to look
};

/// Is the team's state final, as far as the two looks at the process's threads tell?
std::optional<deadlock> deadlock_of(const std::vector<seen_wait>& waits, const seen_threads& before, const seen_threads& now) {
  const bool for_team = std::ranges::all_of(waits, [](const seen_wait& w) { return w.what->for_team; });
  deadlock found{waits};
  if (now.empty()) return for_team ? std::optional(found) : std::nullopt;
  for (const auto& [thread, state] : now) {
    const auto wait = std::ranges::find(waits, thread, &seen_wait::thread);
    const bool is_member = wait != waits.end();
    // The member has been woken, but has no processor yet.
    if (is_member && wait->what->asleep && !state.asleep) return std::nullopt;
    if (is_member || for_team) continue;
    const auto last = before.find(thread);
    if (!state.asleep || last == before.end() || !(last->second == state)) return std::nullopt;
    ++found.outside;
  }
  return found;
}

void report(const deadlock& found_deadlock) {
  const auto& waits = found_deadlock.waits;
  std::string text = "weir: deadlock: ";
  text += waits.size() == 1 ? "the thread waits, and none"
                            : "all " + std::to_string(waits.size()) + " members of a team wait, and none";
  text += " can go on\n";
  std::map<const void*, std::string> places;
  for (std::size_t m = 0; m < waits.size(); ++m) {
    const seen_wait& w = waits[m];
    text += "weir:   member " + std::to_string(m) + " (thread " + std::to_string(w.thread) + ") waits at " + w.what->at;
    if (w.call_site != nullptr) {
      std::string& place = places[w.call_site];
      if (place.empty()) place = text_of(w.call_site);
      text += ", " + place;
    }
    text += '\n';
  }
  if (found_deadlock.outside != 0)
    text += "weir:   threads outside of the team that have slept meanwhile, and may release it: " +
            std::to_string(found_deadlock.outside) + '\n';
  // In one piece, since other threads may be writing too.
  std::fputs(text.c_str(), stderr);
}

class deadlock_monitor {
 public:
  void add(const wait_notes& t) {
    const std::lock_guard hold(mutual_);
    teams_[&t];
    if (running_) return;
    running_ = start_service([](void* monitor) -> void* { static_cast<deadlock_monitor*>(monitor)->run(); }, this);
  }
  void remove(const wait_notes& t) {
    const std::lock_guard hold(mutual_);
    teams_.erase(&t);
  }
  void before_fork() { mutual_.lock(); }
  void in_parent() { mutual_.unlock(); }
  // The child has the calling thread alone, in a team of one.
  void in_child() {
    teams_.clear();
    running_ = false;
    mutual_.unlock();
  }

 private:
  [[noreturn]] void run();
  std::vector<deadlock> look();

  std::mutex mutual_;
  std::map<const wait_notes*, seen_team> teams_;
  seen_threads threads_;  // at the last look
  bool running_ = false;
};

// Never destroyed: teams may end after the program's objects. Null: deadlocks are not looked for.
deadlock_monitor* known = nullptr;

std::vector<deadlock> deadlock_monitor::look() {
  std::vector<deadlock> found;
  const std::lock_guard hold(mutual_);
  std::vector<seen_team*> still;
  bool any = false;
  for (auto& [team_seen, last] : teams_) {
    std::vector<seen_wait> now = waits_of(*team_seen);
    any = any || !now.empty();
    if (now != last.waits)
      last = {std::move(now)};
    else if (!now.empty() && !last.reported)
      still.push_back(&last);
  }
  seen_threads now = any ? threads_now() : seen_threads();
  for (seen_team* const t : still)
    if (auto deadlocked = deadlock_of(t->waits, threads_, now)) {
      t->reported = true;
      found.push_back(std::move(*deadlocked));
    }
  threads_ = std::move(now);
  return found;
}

void deadlock_monitor::run() {
  pthread_setname_np(pthread_self(), "weir-deadlocks");
  for (;;) {
    usleep(between_looks);
    // Reported without the lock, because finding lines of the source takes a while.
    const auto found = look();
    for (const deadlock& found_deadlock : found) report(found_deadlock);
    const bool certain = std::ranges::any_of(found, [](const deadlock& found_deadlock) { return found_deadlock.outside == 0; });
    if (certain && initial_settings().deadlocks == deadlocks::end)
      stop("the program ends, as WEIR_DEADLOCKS=end says");
  }
}

[[gnu::constructor]] void when_loaded() {
  if (initial_settings().deadlocks == deadlocks::ignore) return;
  known = new deadlock_monitor;
  pthread_atfork([] { known->before_fork(); }, [] { known->in_parent(); }, [] { known->in_child(); });
}

}  // namespace

bool deadlocks_are_looked_for() { return known != nullptr; }

wait_notes::wait_notes(unsigned members)
    : members_(members), notes_(known != nullptr ? std::make_unique<wait_note[]>(members) : nullptr) {
  if (notes_ != nullptr) known->add(*this);
}

wait_notes::~wait_notes() {
  if (notes_ != nullptr) known->remove(*this);
}

void wait_notes::note(unsigned member, const wait_kind* what) const {
  wait_note& note = notes_[member];
  if (what != nullptr) {
    // relaxed: published by the last line; two looks that see the same number have seen one note.
    note.call_site.store(what->in_program ? call_site() : nullptr, std::memory_order_relaxed);
    note.thread.store(gettid(), std::memory_order_relaxed);
    note.number.fetch_add(1, std::memory_order_relaxed);
  }
  note.what.store(what, std::memory_order_release);
}

}  // namespace weir::openmp
