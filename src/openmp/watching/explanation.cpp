#include "openmp/watching/explanation.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include <weir/profile.hpp>

#include "openmp/settings/in_force.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/support/call_site.hpp"
#include "openmp/support/error_output.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

namespace {

/// A piece of a line, at most 1 KiB; the rest is cut off. Async-signal-safe.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  const int bytes = std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (bytes > 0) write_to_kept_error_output({text, std::min<std::size_t>(static_cast<std::size_t>(bytes), sizeof text - 1)});
}

struct known_sites {
  const native_region_sites* sites;
  pthread_t of;
};
struct told {
  std::vector<region_site> sites;
  std::uint64_t lost = 0, lasted = 0;  // by trials, and of the threads that have the sites
};
struct everything {
  std::mutex lock;
  std::vector<known_sites> alive;
  told ended;  // of threads that have ended
  // relaxed, all: numbers, which nothing else depends on.
  std::atomic<bool> has_regions{false};
  std::atomic<bool> is_told{false};
  pid_t process = getpid();  // which has been executed; not its children
};
// Null unless it is to be told. Never destroyed: threads may end after the program's objects.
constinit everything* known = nullptr;
constinit std::atomic<unsigned> begun_on{0};  // 0: on all that it may use. relaxed: a number that is told in the end
void explain_early_end();
[[gnu::constructor]] void when_loaded() {
  if (!initial_settings().explain) return;
  keep_error_output();
  known = new everything;
  threads::tell_of_early_end.store(explain_early_end, std::memory_order_relaxed);  // relaxed: no other thread is there yet
  std::at_quick_exit(explain_early_end);
}

bool is_tried(const region_site& s) { return s.with_before.middle != 0; }

void add(told& total, const native_region_sites& sites_of_crew) {
  total.lost += sites_of_crew.lost_in_trials();
  total.lasted += sites_of_crew.lasted();
  // What threads have not tried says nothing against what others have found.
  sites_of_crew.for_each([&to = total.sites](const region_site& one) {
    const auto same = [&one](const region_site& s) {
      return s.place == one.place && s.size == one.size && (s.form == one.form || !is_tried(s) || !is_tried(one));
    };
    const auto found = std::ranges::find_if(to, same);
    if (found == to.end()) return to.push_back(one);
    const std::uint64_t regions = found->regions + one.regions;
    if (is_tried(one) != is_tried(*found) ? is_tried(one) : one.regions > found->regions) *found = one;
    found->regions = regions;
  });
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
  return text;
}
std::string times(const spread& measured) {
  const double in_us = 1 / native::ticks_per_microsecond();
  return number(measured.middle * in_us) + " us (" + number(measured.least * in_us) + " to " + number(measured.most * in_us) +
         ")";
}
std::string parts(const spread& measured) {
  return number(measured.middle) + " (" + number(measured.least) + " to " + number(measured.most) + ")";
}
std::string in_words(choice of, unsigned alternative, unsigned size) {
  const bool is_usual = alternative == region_form::usual;
  switch (of) {
    case choice::processors:
      return "on " + (is_usual           ? "all processors"
                      : alternative == 1 ? "one processor"
                                         : std::to_string(alternative) + " processors");
    case choice::barrier:
      return "by " + (is_usual ? "the usual barriers" : std::string("the barrier ") + other_barrier_of(size, alternative).name);
  }
  return {};
}

/// What the chosen form saves, and who could choose it without trials. A site of the usual form has nothing to tell.
std::string saved(const region_site& s) {
  const unsigned processors = s.form[choice::processors], barrier = s.form[choice::barrier];
  std::string usual, instead;
  const auto add = [](std::string& to, const std::string& words) { to += (to.empty() ? "" : ", ") + words; };
  if (processors != region_form::usual) {
    add(usual, in_words(choice::processors, region_form::usual, s.size));
    add(instead, "num_threads(" + std::to_string(processors) + ")");
  }
  if (barrier != region_form::usual) {
    add(usual, in_words(choice::barrier, region_form::usual, s.size));
    add(instead, std::string("WEIR_BARRIER=") + other_barrier_of(s.size, barrier).name);
  }
  return usual.empty() ? ""
                       : "; takes " + parts(s.of_usual) + " of the time " + usual + "; " + instead + " here would do as well";
}

void explain(const region_site& s) {
  std::string how = in_words(choice::processors, s.form[choice::processors], s.size);
  if (s.form[choice::barrier] != region_form::usual || (is_tried(s) && s.tried == choice::barrier))
    how += ", " + in_words(choice::barrier, s.form[choice::barrier], s.size);
  say("weir:   %.600s, %u threads, %" PRIu64 " region%s: %s", text_of(s.place).c_str(), s.size, s.regions,
      s.regions == 1 ? "" : "s", how.c_str());
  if (!is_tried(s)) {
    say("%s", s.regions == 1 ? "; one region: nothing to try\n" : "; not tried yet\n");
    return;
  }
  const bool has_changed = s.form[s.tried] == s.other;
  say(", %s from one region to the next; %s %s%s\n", times(has_changed ? s.with_other : s.with_before).c_str(),
      in_words(s.tried, has_changed ? s.before : s.other, s.size).c_str(),
      times(has_changed ? s.with_before : s.with_other).c_str(), saved(s).c_str());
}

/// What trials have cost; and where all regions have been found to do with the same number of processors, how to say so
/// beforehand.
void explain_all(const told& total) {
  if (const unsigned first = begun_on.load(std::memory_order_relaxed); first != 0)
    say("weir:   it has begun on %u processor%s, because threads of other programs ran\n", first, first == 1 ? "" : "s");
  if (total.lost != 0)
    say("weir:   trials have taken %s %% of the time\n",
        number(100 * static_cast<double>(total.lost) / static_cast<double>(std::max<std::uint64_t>(total.lasted, 1))).c_str());
  std::set<unsigned> taken;
  for (const region_site& s : total.sites) taken.insert(s.form[choice::processors]);
  if (const unsigned processors = *taken.begin(); taken.size() == 1 && processors != region_form::usual)
    say("weir:   OMP_NUM_THREADS=%u for the whole program would do as well, if it leaves its number open\n", processors);
}

/// Is there more to say of the threads than that each could have a processor?
bool is_notable(const threads::history_of_threads& past) {
  return past.threads > 1 && (!past.await_polling || past.most_at_once > past.processors);
}

void explain(const threads::history_of_threads& past) {
  if (past.threads < 2) {
    say("weir: %s has %s\n", program_invocation_short_name,
        past.processors != 0 ? "created no threads"
                             : "begun no parallel region, and the kernel schedules its threads (WEIR_THREADS)");
    return;
  }
  say("weir: %s has had %u threads, at most %u at once, on %u processors: ", program_invocation_short_name, past.threads,
      past.most_at_once, past.processors);
  if (past.members != 0)
    say("%u of them %s of Weir's virtual processors\n", past.members,
        past.members == 1 ? "has been a member" : "have been members");
  else
    say("the kernel has scheduled them, %s\n",
        past.why_none != nullptr               ? past.why_none
        : past.most_at_once <= past.processors ? "because each could have a processor"
        : past.await_polling ? "because they have not been found to wait in loops (--threads all does not wait for that)"
                             : "because they have ended soon, or have not waited for each other");
  if (past.fewest != 0)
    say("weir:   for %.1f s they have taken fewer processors, %u at least: they waited for each other while other programs ran\n",
        past.seconds_with_fewer, past.fewest);
  if (past.left_alone != 0)
    say("weir:   %u %s left to the kernel: another scheduler, a driver, or a policy or affinity of their own\n", past.left_alone,
        past.left_alone == 1 ? "thread was" : "threads were");
}

/// Threads that keep their areas, and that no virtual processor has had. `why_is_told`: by explain() above.
void explain_areas(bool why_is_told) {
  if (const char* const why = threads::why_areas_are_kept()) {
    if (!why_is_told) say("weir: teams of %s are threads of the kernel, %s\n", program_invocation_short_name, why);
  } else if (const unsigned threads = threads::threads_with_own_area(); threads != 0) {
    say("weir:   %u %s left to the kernel, with areas for restartable sequences (rseq) of their own\n", threads,
        threads == 1 ? "thread was" : "threads were");
  }
}

void explain_signals() {
  if (const unsigned bare = threads::signals_without_reason(); bare != 0)
    say("weir:   %u signals of Weir's came without what they ask, so who polls is found late: as many signals are pending as "
        "this user "
        "may have (ulimit -i)\n",
        bare);
}

void explain_profile() {
  const profile_in_use& profile = profile_here();
  if (const std::string words = in_words(profile); !words.empty())
    say("weir: %s%s\n", profile.profile ? "barriers of teams of the kernel's threads by the profile " : "", words.c_str());
}

/// Before _exit(), perhaps in a handler of a signal, or where another thread holds a lock for ever: takes no lock, and no memory.
/// The child of a fork or a vfork ends so as well, and has nothing to say.
void explain_early_end() {
  everything& e = *known;
  if (e.process != getpid() || e.is_told.exchange(true, std::memory_order_relaxed)) return;
  const threads::history_of_threads past = threads::program_threads_so_far();
  const bool has_regions = e.has_regions.load(std::memory_order_relaxed);
  const bool tells_of_threads = !has_regions || is_notable(past);
  if (tells_of_threads) explain(past);
  explain_areas(tells_of_threads);
  if (has_regions)
    say("weir: what was chosen for the parallel regions of %s is not told: it ended by _exit() or quick_exit()\n",
        program_invocation_short_name);
}

[[gnu::destructor]] void when_program_ends() {
  if (known == nullptr || known->is_told.exchange(true, std::memory_order_relaxed)) return;
  everything& e = *known;
  const bool has_regions = e.has_regions.load(std::memory_order_relaxed);
  const threads::history_of_threads past = threads::program_threads_so_far();
  const bool tells_of_threads = is_notable(past) || (!has_regions && e.process == getpid());
  if (tells_of_threads) explain(past);
  explain_areas(tells_of_threads || !has_regions);
  explain_signals();
  const std::lock_guard lock(e.lock);
  if (has_regions) explain_profile();
  told total = e.ended;
  std::vector<region_site>& sites = total.sites;
  std::size_t others = 0;
  for (const known_sites& k : e.alive) {
    if (pthread_equal(k.of, pthread_self()) != 0)
      add(total, *k.sites);
    else ++others;  // it may be changing them
  }
  if (sites.empty() && others == 0) {
    if (!has_regions) return;
    say("weir: nothing has been chosen for the parallel regions of %s: %s\n", program_invocation_short_name,
                 !initial_settings().adapt ? "WEIR_ADAPT is false"
                 : affinity_matters()      ? "the program's threads are bound"
                 : seldom::address_space_is_scarce()
                     ? "teams are threads of the kernel, as the program may use little address space (RLIMIT_AS)"
                 : !may_have_seats()       ? "teams are threads of the kernel (WEIR_THREADS=auto, or weir run, lets Weir choose)"
                                           : "none has had several threads");
    return;
  }
  say("weir: the processors of the parallel regions of %s, by place; times are the middle one of some windows, and their range\n",
               program_invocation_short_name);
  std::ranges::sort(sites, std::greater(), [](const region_site& s) { return static_cast<double>(s.regions) * s.region; });
  for (const region_site& s : sites) explain(s);
  if (!sites.empty()) explain_all(total);
  if (others != 0) say("weir:   and those of %zu threads that have not ended\n", others);
}

}  // namespace

void note_regions() {
  known->has_regions.store(true, std::memory_order_relaxed);
}

void note_begun_on(unsigned processors) { begun_on.store(processors, std::memory_order_relaxed); }

explained_sites::explained_sites(const native_region_sites& sites_of_crew) : sites_(sites_of_crew) {
  everything& e = *known;
  const std::lock_guard lock(e.lock);
  e.alive.push_back({&sites_of_crew, pthread_self()});
}

explained_sites::~explained_sites() {
  everything& e = *known;
  const std::lock_guard lock(e.lock);
  std::erase_if(e.alive, [this](const known_sites& k) { return k.sites == &sites_; });
  add(e.ended, sites_);
}

}  // namespace weir::openmp
