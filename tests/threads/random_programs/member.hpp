// A member of a random program: what it draws, what it has seen of its signals, and its log.
//
// Whatever a member does has results that depend on the seed and on its number alone, as long as members are threads. So its log
// is the same in each run, on each runtime and with each kind of thread.
#pragma once

#include "../as_threads/team.hpp"

#include <cstdarg>
#include <cstdint>
#include <span>
#include <string>

#include <setjmp.h>

struct member {
  int number = 0;
  std::uint64_t state = 1;
  std::string log;
  volatile int handled[65] = {};
  volatile int on_alternate_stack = 0;
  std::vector<char> alternate_stack = std::vector<char>(64 * 1024);
  sigjmp_buf jump;
  volatile bool jumps = false;

  /// 0 to below - 1.
  unsigned draw(unsigned below) {
    state += 0x9e3779b97f4a7c15u;  // splitmix64
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<unsigned>((z ^ (z >> 31)) % below);
  }
  bool owns(const void* address) const {
    return address >= alternate_stack.data() && address < alternate_stack.data() + alternate_stack.size();
  }
};
inline thread_local member* self = nullptr;
inline std::atomic<int> strays{0};  ///< signals that were handled by a thread that is no member

inline unsigned draw(unsigned below) { return self->draw(below); }
[[gnu::format(printf, 1, 2)]] inline void say(const char* format, ...) {
  char text[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  self->log += text;
}
/// A result and what errno says about it.
inline void say_result(const char* name, long result) {
  const int why = errno;
  if (result == -1) say(" %s -1 %s", name, strerrorname_np(why));
  else say(" %s %ld", name, result);
}
inline void say_error(const char* name, int error) {
  const char* known = strerrorname_np(error);
  say(" %s %s", name, error == 0 ? "0" : known == nullptr ? "?" : known);
}

// ---- signals that members send to themselves

constexpr int kinds_of_signals = 6;
/// Their handlers: on the alternate stack, without restarting, blocking the others, lasting, jumping, plain.
int a_signal(unsigned which);
void handle_signals();
/// The mask and the pending ones, a digit for each of them.
std::string digits(const sigset_t& signals);
inline std::string mask_digits() { return digits(mask_now()); }

// ---- what members do

struct call {
  const char* name;
  unsigned weight;
  void (*make)();
};
std::span<const call> calls_of_signals();
std::span<const call> calls_with_limits();
std::span<const call> calls_of_files();
std::span<const call> calls_of_processes();
std::span<const call> calls_of_state();
/// Before the team begins, and as its members begin and end: state that later teams could find.
void prepare_all();
void begin_state();
void end_state();
