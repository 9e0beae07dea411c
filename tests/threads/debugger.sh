#!/bin/sh
# gdb sees all members of a program, live and in a core file, also without debugging information.
# Usage: debugger.sh PROGRAM GDB_PY
set -eu
program=$1 commands=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "debugger: $1"; cat "$work/live" "$work/dead"; exit 1; }

look_at() {
  gdb -nx -batch -ex "source $commands" -ex run -ex "weir threads" -ex "weir backtrace" -ex "echo after\n" -ex "backtrace 1" \
    -ex "weir backtrace 1" -ex "gcore $work/core" -ex kill "$1" >"$work/live" 2>&1
  gdb -nx -batch -ex "source $commands" -ex "weir backtrace" "$1" "$work/core" >"$work/dead" 2>&1
  # By thread 1, the only virtual processor.
  for state in 'runs on thread 1' 'is ready' 'sleeps on 0x'; do
    [ "$(grep -c "body .* of virtual processor .* $state" "$work/live")" = 1 ] || fail "no member $state"
  done
  for seen in live dead; do
    stack_has "$seen" 'runs on thread 1' all_are_there member_that_runs
    stack_has "$seen" 'is ready' park member_that_yields
    stack_has "$seen" 'sleeps on 0x' park member_that_sleeps
  done
  # Nothing is left changed: the thread that was selected still is, with its own stack.
  sed -n '/^after/,$p' "$work/live" | grep -q '^#0 .*kill' || fail "another thread is selected"
  grep -q "not a member's own thread: 1" "$work/live" || fail "thread 1 is no member's"
}
# Of the member in this state, down to where its thread began.
stack_has() {
  seen=$1 state=$2
  shift 2
  sed -n "/^Member .* $state/,/^$/p" "$work/$seen" >"$work/stack"
  for frame in "$@" run_body start_thread; do
    grep -q "^#.*\b$frame\b" "$work/stack" || fail "$seen: no $frame where it $state"
  done
}

look_at "$program"
strip -g -o "$work/plain" "$program"
look_at "$work/plain"
