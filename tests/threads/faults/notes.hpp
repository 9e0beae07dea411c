// What the programs here note for scripts/fault-threads, which shows it when a program does not end: the round, what the process
// should end with, and what each thread does. A note is a copy of a few bytes into shared memory, so notes survive the end of the
// process.
//
//   PROGRAM SEED ROUNDS [NOTES]     NOTES: a file of 4096 bytes
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

constexpr std::size_t notes_bytes = 4096, note_bytes = 32;
inline char* notes = nullptr;
inline std::atomic<int> wrongs{0};
inline thread_local unsigned notes_as = 0;  // 0: the first thread
inline unsigned notes_of_child = 0;         // added to it in the child of a fork

/// Of the calling thread; the text stays as it is.
inline void note(const char* what) {
  char text[note_bytes] = {};
  std::memcpy(text, what, std::min(std::strlen(what), note_bytes - 1));
  std::memcpy(notes + note_bytes * (2 + notes_of_child + notes_as), text, note_bytes);
}
inline void note_round(long round) {
  char text[note_bytes] = {};
  std::snprintf(text, sizeof text, "%ld", round);
  std::memcpy(notes, text, sizeof text);
}
/// What was wrong: once said, the process ends with status 1, whichever fault it was in.
inline void wrong(const char* what, long is = 0, long expected = 0) {
  char text[160];
  const int n = std::snprintf(text, sizeof text, "wrong: %s (%ld, not %ld)\n", what, is, expected);
  (void)!write(2, text, static_cast<std::size_t>(n));
  ++wrongs;
  _exit(1);
}
inline void expect(bool holds, const char* what, long is = 0, long expected = 0) {
  if (!holds) wrong(what, is, expected);
}

struct asked {
  std::uint64_t seed = 1;
  long rounds = 1;
  asked(int n, char** words) {
    if (n > 1) seed = std::strtoull(words[1], nullptr, 10);
    if (n > 2) rounds = std::strtol(words[2], nullptr, 10);
    const int file = n > 3 ? open(words[3], O_RDWR | O_CLOEXEC) : -1;
    void* const at =
        mmap(nullptr, notes_bytes, PROT_READ | PROT_WRITE, file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    if (at == MAP_FAILED) std::exit(2);
    notes = static_cast<char*>(at);
    if (file >= 0) close(file);
    note_round(0);
  }
};

/// Numbers that look random, the same for the same seed [Steele, Lea, Flood 2014, SplitMix].
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(next() % n); }
  bool once_in(unsigned n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Some time below that, asleep.
inline void pause_below(dice& by, unsigned us) {
  const unsigned time = by.below(us + 1);
  timespec duration{0, static_cast<long>(time) * 1000};
  nanosleep(&duration, nullptr);
}
