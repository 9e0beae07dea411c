#include "clocks.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>

namespace bench::mpi {

namespace {

constexpr int pings = 64;
constexpr int ping_tag = 2, pong_tag = 3, found_tag = 4;

struct pong {
  std::int64_t here_ns, pretended_ns;
};

std::int64_t part(double of, std::int64_t ns) { return std::llround(of * static_cast<double>(ns)); }

}  // namespace

process_clock::process_clock(int rank, pretence p) : start_ns_(true_now()), skew_ns_(rank * p.skew_ns), drift_(rank * p.drift) {}

std::int64_t process_clock::true_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::int64_t process_clock::now() const {
  const std::int64_t at = true_now();
  return at + std::llround(skew_ns_ + drift_ * static_cast<double>(at - start_ns_));
}

std::int64_t process_clock::true_of(std::int64_t at) const {
  return start_ns_ + std::llround((static_cast<double>(at - start_ns_) - skew_ns_) / (1 + drift_));
}

void common_time::synchronise() {
  before_ = last_;
  if (talk_.rank() != 0) {
    answer_pings();
  } else {
    found_.clear();
    for (int r = 1; r < talk_.size(); ++r) found_.push_back(measure_offset(r));
    last_ = {clock_.now(), 0, 0, 0};
  }
  if (!met_) first_ = before_ = last_;
  met_ = true;
}

clock_offset common_time::measure_offset(int rank) {
  clock_offset best;
  for (int i = 0; i < pings; ++i) {
    pong answer;
    const std::int64_t sent = clock_.now();
    MPI_Send(nullptr, 0, MPI_BYTE, rank, ping_tag, talk_.comm());
    MPI_Recv(&answer, sizeof answer, MPI_BYTE, rank, pong_tag, talk_.comm(), MPI_STATUS_IGNORE);
    const std::int64_t back = clock_.now();
    const double half = static_cast<double>(back - sent) / 2;
    if (i == 0 || half < best.uncertainty_ns)
      best = {answer.here_ns, answer.here_ns - (sent + (back - sent) / 2), half, answer.pretended_ns};
  }
  MPI_Send(&best, sizeof best, MPI_BYTE, rank, found_tag, talk_.comm());
  return best;
}

void common_time::answer_pings() {
  for (int i = 0; i < pings; ++i) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, ping_tag, talk_.comm(), MPI_STATUS_IGNORE);
    pong answer{clock_.now(), 0};
    answer.pretended_ns = clock_.pretended(answer.here_ns);
    MPI_Send(&answer, sizeof answer, MPI_BYTE, 0, pong_tag, talk_.comm());
  }
  MPI_Recv(&last_, sizeof last_, MPI_BYTE, 0, found_tag, talk_.comm(), MPI_STATUS_IGNORE);
}

std::int64_t common_time::here(std::int64_t common) const {
  const std::int64_t about = common + last_.offset_ns, known_for = last_.here_ns - first_.here_ns;
  if (known_for <= 0) return about;
  const double drift = static_cast<double>(last_.offset_ns - first_.offset_ns) / static_cast<double>(known_for);
  return about + part(drift, about - last_.here_ns);
}

std::int64_t common_time::common(std::int64_t here) const {
  const std::int64_t apart = last_.here_ns - before_.here_ns;
  if (apart <= 0) return here - last_.offset_ns;
  const double way = static_cast<double>(here - before_.here_ns) / static_cast<double>(apart);
  return here - (before_.offset_ns + part(way, last_.offset_ns - before_.offset_ns));
}

double common_time::largest_uncertainty_ns() const {
  double largest = 0;
  for (const clock_offset& m : found_) largest = std::max(largest, m.uncertainty_ns);
  return largest;
}

}  // namespace bench::mpi
