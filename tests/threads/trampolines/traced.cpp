// Under a debugger from the beginning, code stays as it is: a breakpoint behind a jump would change the jump.
//
// usage: LD_PRELOAD=Weir's library WEIR_THREADS=all threads-trampoline-traced
#include <csignal>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waiting.hpp"

namespace {

/// The debugger: lets the program go on, with each signal that comes. Returns how it ends.
int follow(pid_t program) {
  int how = 0;
  while (waitpid(program, &how, 0) == program && WIFSTOPPED(how)) {
    const int number = WSTOPSIG(how) == SIGTRAP ? 0 : WSTOPSIG(how);  // it has begun
    ptrace(PTRACE_CONT, program, nullptr, number);
  }
  return how;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) {
    // Without a debugger the jump is there after the first of these.
    for (int i = 0; i < 5; ++i) in_turn(50, keeps_registers);
    if (first_byte(keeps_first_pause) != pause_code || first_byte(keeps_second_pause) != pause_code) fail("there is a jump");
    return 0;
  }
  const pid_t program = fork();
  if (program == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execl("/proc/self/exe", words[0], "traced", nullptr);
    _exit(2);
  }
  const int how = follow(program);
  if (!WIFEXITED(how) || WEXITSTATUS(how) != 0) fail("the program that is traced does not end well");
  std::puts("ok");
}
