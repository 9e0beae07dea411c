// What a thread has for itself: in the kernel, in the processor and in the C library.
#include "member.hpp"

#include <fenv.h>
#include <locale.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>

namespace {

pthread_key_t key;
thread_local long own_variable;
cpu_set_t all_processors;
std::string first_name;

std::string name_now() {
  char text[17] = {};
  prctl(PR_GET_NAME, text);
  return text;
}
void change_the_name() {
  say(" was %s", name_now() == first_name ? "the first" : name_now().c_str());
  const std::string next = "member-" + std::to_string(self->number) + "-" + std::to_string(draw(10));
  if (draw(2) == 0) say_result("prctl", prctl(PR_SET_NAME, next.c_str()));
  else say_error("setname", pthread_setname_np(pthread_self(), next.c_str()));
  say(" now %s", name_now().c_str());
}

void change_the_rounding() {
  static constexpr int ways[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  say(" was %d flags %d", fegetround(), fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT));
  feclearexcept(FE_ALL_EXCEPT);
  fesetround(ways[draw(4)]);
  volatile double x = 1, y = 3, zero = 0;
  volatile long double z = 1;
  const double third = x / y;
  const double long_third = static_cast<double>(z / y);
  if (draw(2) == 0) zero = x / zero;
  say(" %a %a flags %d", third, long_third, fetestexcept(FE_DIVBYZERO));
}

void change_variables() {
  say(" had %ld %ld", reinterpret_cast<long>(pthread_getspecific(key)), own_variable);
  own_variable = draw(1000);
  say_error("setspecific", pthread_setspecific(key, reinterpret_cast<void*>(static_cast<long>(draw(1000)))));
}

void change_the_timer_slack() {
  say_result("was", prctl(PR_GET_TIMERSLACK));
  say_result("prctl", prctl(PR_SET_TIMERSLACK, 50'000ul + draw(5000)));
}

void change_the_file_systems_user() {
  say(" was %d", setfsuid(static_cast<uid_t>(-1)));
  setfsuid(1000 + draw(50));
  say(" now %d", setfsuid(static_cast<uid_t>(-1)));
}

void change_the_processors() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
  say(" had %s", CPU_EQUAL(&processors, &all_processors) ? "all" : CPU_COUNT(&processors) == 1 ? "one" : "others");
  if (draw(2) == 0) {
    say_result("sched_setaffinity", sched_setaffinity(0, sizeof all_processors, &all_processors));
    return;
  }
  int which = static_cast<int>(draw(static_cast<unsigned>(CPU_COUNT(&all_processors))));
  int processor = 0;
  for (; !CPU_ISSET(processor, &all_processors) || which-- > 0; ++processor) {
  }
  CPU_ZERO(&processors);
  CPU_SET(processor, &processors);
  say_result("sched_setaffinity", sched_setaffinity(0, sizeof processors, &processors));
  compute(0.0005);
  say(" there %d", sched_getcpu() == processor);
}

void change_the_locale() {
  const locale_t c = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  const locale_t before = uselocale(c != nullptr ? c : LC_GLOBAL_LOCALE);
  sched_yield();
  say(" %s", before == LC_GLOBAL_LOCALE ? "global" : "another");
  uselocale(before);
  if (c != nullptr) freelocale(c);
}

void throw_something() {
  try {
    if (draw(2) == 0) throw static_cast<int>(draw(100));
    throw std::string("text " + std::to_string(draw(100)));
  } catch (int caught) {
    say(" caught %d", caught);
  } catch (const std::string& caught) {
    sched_yield();
    say(" caught %s", caught.c_str());
  }
}

constexpr call rows[] = {
    {"name", 2, change_the_name},       {"rounding", 3, change_the_rounding},
    {"variables", 3, change_variables}, {"slack", 1, change_the_timer_slack},
    {"file user", 1, change_the_file_systems_user}, {"processors", 1, change_the_processors},
    {"locale", 1, change_the_locale},   {"exception", 2, throw_something},
};

}  // namespace

std::span<const call> calls_of_state() { return rows; }

void prepare_all() {
  handle_signals();
  // It would end calls by EINTR in whichever thread the kernel takes.
  block(SIGCHLD);
  pthread_key_create(&key, nullptr);
  CPU_ZERO(&all_processors);
  sched_getaffinity(0, sizeof all_processors, &all_processors);
  first_name = name_now();
}

void begin_state() {
  own_variable = 0;
  pthread_setspecific(key, nullptr);
  fesetenv(FE_DFL_ENV);
}

void end_state() {
  for (const std::size_t which : {0u, 1u, 2u, 3u, 4u, 5u}) unblock(a_signal(static_cast<unsigned>(which)));
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  prctl(PR_SET_NAME, first_name.c_str());
  prctl(PR_SET_TIMERSLACK, 50'000ul);
  setfsuid(geteuid());
  sched_setaffinity(0, sizeof all_processors, &all_processors);
  fesetenv(FE_DFL_ENV);
}
