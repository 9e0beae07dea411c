// Random programs: each seed is a team whose members make random calls of the C library, with barriers in between.
//
//   random-programs FIRST COUNT
//
// Says for each seed what each member has found. scripts/random-programs compares what members say on threads of the kernel with
// what they say on virtual processors.
#include "../seats.hpp"
#include "member.hpp"

#include <memory>

namespace {

// ---- what all members do together

int pipes[64][2];
std::vector<std::atomic<long>> numbers(static_cast<std::size_t>(members));
pthread_barrier_t posix_barrier;
std::atomic<int> turn;

void meet_only() {}
void round_by_pipes() {
  const int me = self->number, next = (me + 1) % members;
  int value = 0;
  if (me == 0) {
    value = 1;
    if (write(pipes[next][1], &value, sizeof value) != sizeof value) say(" no write");
    if (read(pipes[0][0], &value, sizeof value) != sizeof value) say(" no read");
  } else {
    if (read(pipes[me][0], &value, sizeof value) != sizeof value) say(" no read");
    ++value;
    if (write(pipes[next][1], &value, sizeof value) != sizeof value) say(" no write");
  }
  say(" %d", value);
}
void round_by_spinning() {
  while (turn.load() % members != self->number) {
  }
  say(" %d", turn.load() % members);
  ++turn;
}
void meet_by_posix() { say(" %d", pthread_barrier_wait(&posix_barrier) <= 0); }
void exchange_numbers() {
  numbers[static_cast<std::size_t>(self->number)] = draw(1000);
  meet();
  long sum = 0;
  for (const auto& number : numbers) sum += number.load();
  say(" %ld", sum);
  meet();
}
void kill_each_other() {
  static std::vector<pthread_t> threads(static_cast<std::size_t>(members));
  threads[static_cast<std::size_t>(self->number)] = pthread_self();
  const int number = a_signal(3);
  const sigset_t own = mask_now();
  unblock(number);  // those that were pending have come
  const int before = self->handled[number];
  meet();
  say_error("pthread_kill", pthread_kill(threads[static_cast<std::size_t>((self->number + 1) % members)], number));
  for (const double until = now_s() + patience; self->handled[number] == before && now_s() < until;) {
    const timespec moment{0, 200'000};
    nanosleep(&moment, nullptr);
  }
  say(" got %d", self->handled[number] - before);
  meet();
  pthread_sigmask(SIG_SETMASK, &own, nullptr);
}

// The C library sends every thread a signal for it, which ends calls by EINTR: the others wait meanwhile.
void set_all_users() {
  meet();
  if (self->number == 1) {
    say_result("setuid", setuid(getuid()));
    say_result("setresgid", setresgid(static_cast<gid_t>(-1), getegid(), static_cast<gid_t>(-1)));
  }
  meet();
}

constexpr call for_all[] = {
    {"barrier", 8, meet_only},        {"pipes", 2, round_by_pipes},       {"spinning", 1, round_by_spinning},
    {"posix", 2, meet_by_posix},      {"numbers", 2, exchange_numbers},   {"kills", 1, kill_each_other},
    {"users", 1, set_all_users},
};

// ---- one seed

const call& drawn(std::span<const call> from, unsigned number) {
  for (const call& entry : from) {
    if (number < entry.weight) return entry;
    number -= entry.weight;
  }
  return from.front();
}
unsigned weight(std::span<const call> of) {
  unsigned total = 0;
  for (const call& entry : of) total += entry.weight;
  return total;
}
std::vector<call> alone() {
  std::vector<call> chosen;
  for (const auto of : {calls_of_signals(), calls_with_limits(), calls_of_files(), calls_of_processes(), calls_of_state()}) {
    chosen.insert(chosen.end(), of.begin(), of.end());
  }
  return chosen;
}

void make(const char* kind, int step, const call& entry) {
  member& me = *self;
  me.log += std::to_string(me.number) + " " + std::to_string(step) + " " + kind + entry.name + ":";
  errno = 0;
  entry.make();
  me.log += " | " + mask_digits();
  for (unsigned i = 0; i < kinds_of_signals; ++i) me.log += " " + std::to_string(me.handled[a_signal(i)]);
  me.log += " on stack " + std::to_string(me.on_alternate_stack) + "\n";
}

void live(std::uint64_t seed, member& me, std::span<const call> own) {
  self = &me;
  begin_state();
  member together;  // draws the same for all
  together.state = seed * 1000003 + 17;
  const unsigned steps = 4 + together.draw(6);
  const unsigned all_own = weight(own), all_together = weight(for_all);
  for (unsigned step = 0; step < steps; ++step) {
    make("", static_cast<int>(step), drawn(own, me.draw(all_own)));
    if (together.draw(3) == 0) {
      make("all: ", static_cast<int>(step), drawn(for_all, together.draw(all_together)));
      errno = 1 + me.number;
      meet();
      if (errno != 1 + me.number) say("%d: errno after a barrier %d\n", me.number, errno);
    }
  }
  end_state();
  meet();
  self = nullptr;
}

void run(std::uint64_t seed) {
  static const std::vector<call> own = alone();
  std::vector<std::unique_ptr<member>> players;
  for (int m = 0; m < members; ++m) {
    players.push_back(std::make_unique<member>());
    players.back()->number = m;
    players.back()->state = seed * 7919 + static_cast<std::uint64_t>(m) * 104729;
  }
  turn = 0;
  const std::string before = mask_digits();
  team([&](int me) { live(seed, *players[static_cast<std::size_t>(me)], own); });
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  for (const auto& one : players) std::fputs(one->log.c_str(), stdout);
  std::printf("main's mask %s, %d strays\nend\n", mask_digits() == before ? "as before" : mask_digits().c_str(), strays.load());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 || members > 64) return 2;
  prepare_all();
  for (int m = 0; m < members; ++m) {
    if (pipe(pipes[m]) != 0) return 1;
  }
  pthread_barrier_init(&posix_barrier, nullptr, static_cast<unsigned>(members));
#if defined(WEIR_TEST_THREADS)
  open_seats();
#endif
  const std::uint64_t first = std::strtoull(words[1], nullptr, 10);
  for (std::uint64_t seed = first; seed < first + std::strtoull(words[2], nullptr, 10); ++seed) run(seed);
}
