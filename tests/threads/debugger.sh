#!/bin/sh
# gdb sees all members of a program, live and in a core file. Usage: debugger.sh PROGRAM GDB_PY
set -eu
program=$1 commands=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gdb -nx -batch -ex "source $commands" -ex run -ex "weir threads" -ex "weir backtrace" -ex "echo after\n" -ex "backtrace 1" \
  -ex "weir backtrace 1" -ex "gcore $work/core" -ex kill "$program" >"$work/live" 2>&1
gdb -nx -batch -ex "source $commands" -ex "weir backtrace" "$program" "$work/core" >"$work/dead" 2>&1

fail() { echo "debugger: $1"; cat "$work/live" "$work/dead"; exit 1; }
# By thread 1, the only virtual processor.
for state in 'runs on thread 1' 'is ready' 'sleeps on 0x'; do
  [ "$(grep -c "body .* of virtual processor .* $state" "$work/live")" = 1 ] || fail "no member $state"
done
for seen in live dead; do
  # The frames of each member, in the order of their states.
  for member in 'runs on thread 1:all_are_there:member_that_runs' 'is ready:park:member_that_yields' \
      'sleeps on 0x:park:member_that_sleeps'; do
    IFS=: read -r state inner outer <<MEMBER
$member
MEMBER
    sed -n "/^Member .* $state/,/^$/p" "$work/$seen" >"$work/stack"
    for frame in "$inner" "$outer" lend_body start_thread; do
      grep -q "^#.* $frame\b" "$work/stack" || grep -q "^#.*::$frame\b" "$work/stack" || fail "$seen: no $frame where it $state"
    done
  done
done
# Nothing is left changed: the thread that was selected still is, with its own stack.
sed -n '/^after/,$p' "$work/live" | grep -q '^#0 .*kill' || fail "another thread is selected"
grep -q "not a member's own thread: 1" "$work/live" || fail "thread 1 is no member's"
