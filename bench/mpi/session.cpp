#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../machine/clock.hpp"

namespace bench::mpi {

using nlohmann::json;

session::session(ensemble& ranks, const arguments& asked, const site& here, std::vector<series> plan,
                 std::function<void(const json&)> say)
    : ranks_(ranks), asked_(asked), shared_(!here.dedicated), plan_(std::move(plan)), say_(std::move(say)), random_(asked.seed) {
  if (here.pair.size() == 2) transfer_.emplace(here.pair[0], here.pair[1]);
}

json session::probe() {
  const std::optional<double> found = transfer_ ? transfer_->ns() : std::nullopt;
  return found ? json(*found) : json();
}

void session::run() {
  for (unsigned turn = 0; turn < asked_.samples; ++turn) {
    shuffle();
    for (series& s : plan_)
      if (!s.stopped) take(s, turn);
  }
  // Samples must not be missing without a reason in the record.
  for (series& s : plan_)
    if (!s.stopped && s.samples < asked_.samples)
      stop(s, "a process arrived too late for every start in " + std::to_string(asked_.samples - s.samples) + " of its turns");
}

void session::shuffle() {
  for (std::size_t left = plan_.size(); left > 1; --left) std::swap(plan_[left - 1], plan_[random_() % left]);
}

void session::take(series& s, unsigned turn) {
  const double start = now_ns();
  if (s.inner == 0) {
    pilot(s);
    before_ = probe();
  }
  json event = s.method == "round-time" ? sample_in_rounds(s, turn) : sample_consecutive(s, turn);
  const json after = probe();
  if (!event.is_null() && transfer_) event.update({{"transfer_before_ns", before_}, {"transfer_after_ns", after}});
  if (!event.is_null()) say_(event);
  before_ = after;
  s.spent_ms += (now_ns() - start) / 1e6;
  if (s.stopped || s.samples == asked_.samples) return;
  if (s.in_vain == 5) return stop(s, "a process arrived too late for every start, five samples in a row");
  // Three samples are worth waiting for, but not without limit.
  if (s.spent_ms > (s.samples < 3 ? 4 : 1) * asked_.series_ms)
    stop(s, "its " + std::to_string(std::lround(s.spent_ms)) + " ms were spent after " + std::to_string(s.samples) + " samples");
}

// Series of 1, 2, 4, .. episodes, until three have lasted long enough, because a single one may have been interrupted. The
// fastest counts, because another program can only make one slower. Short ones do not count: they are too fast when a late
// process finds that the others have already arrived.
void session::pilot(series& s) {
  say_({{"event", "begins"}, {"id", s.id}, {"method", s.method}});
  const double wanted_ns = asked_.sample_ms * 1e6 * (shared_ ? 4 : 1), start = now_ns();
  double fastest_ns = 0;
  int enough = 0;
  for (std::uint64_t n = 1; enough < 3 && now_ns() - start < asked_.series_ms * 1e6 / 4; n *= 2) {
    const double wall_ns = ranks_.consecutive(s.subject, n).wall_ns, episode_ns = wall_ns / static_cast<double>(n);
    if (fastest_ns == 0 || (wall_ns >= wanted_ns / 4 && episode_ns < fastest_ns)) fastest_ns = episode_ns;
    if (wall_ns >= wanted_ns) ++enough;
  }
  fastest_ns = std::max(fastest_ns, 1.0);
  s.inner = static_cast<std::uint64_t>(std::max(1.0, std::round(wanted_ns / fastest_ns)));
  if (s.method != "round-time") return;
  // Room for an episode that takes three times as long, and for arriving at the next start in time.
  s.window_ns = 3 * fastest_ns + 5'000;
  s.inner = static_cast<std::uint64_t>(std::clamp(wanted_ns / s.window_ns, 10.0, 100.0));
}

json session::sample_consecutive(series& s, unsigned turn) {
  const reading r = ranks_.consecutive(s.subject, s.inner);
  const auto episodes = static_cast<double>(s.inner);
  ++s.samples;
  return {{"event", "sample"}, {"id", s.id}, {"method", s.method}, {"turn", turn}, {"inner", s.inner},
          {"episode_ns", r.wall_ns / episodes}, {"cpu_ns", r.cpu_ns / episodes}, {"late", 0}, {"clock_ns", 0}, {"apart_ns", 0}};
}

json session::sample_in_rounds(series& s, unsigned turn) {
  const rounds r = ranks_.in_rounds(s.subject, s.inner, s.window_ns);
  s.late += r.late;
  if (r.wall_ns.empty()) {
    ++s.in_vain;
    return {};
  }
  s.in_vain = 0;
  ++s.samples;
  const double mean = std::accumulate(r.wall_ns.begin(), r.wall_ns.end(), 0.0) / static_cast<double>(r.wall_ns.size());
  return {{"event", "sample"}, {"id", s.id}, {"method", s.method}, {"turn", turn}, {"inner", s.inner}, {"episode_ns", mean},
          {"cpu_ns", 0}, {"late", s.late}, {"clock_ns", r.clock_ns}, {"apart_ns", r.apart_ns}};
}

void session::stop(series& s, const std::string& why) {
  s.stopped = true;
  say_({{"event", "stopped"}, {"id", s.id}, {"method", s.method}, {"samples", s.samples}, {"late", s.late}, {"why", why}});
}

}  // namespace bench::mpi
