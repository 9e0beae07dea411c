#!/usr/bin/env bash
# What a switch between two members executes: all of its functions together save few registers, lock no bus, and read no clock.
#   switch.sh LIBRARY (x86-64, optimized)
set -euo pipefail
code=$(objdump -d --no-show-raw-insn -C "$1")
all=
for name in '(anonymous namespace)::switch_body()>:' 'basic_driver<weir::threads::native_bodies>::yield(weir::threads::body&)>:' \
  '<weir_switch>:'; do
  its=$(awk -v name="$name" '/^[0-9a-f]+ <.*>:$/ { inside = index($0, name) && !index($0, "cold") } inside && /^ /' <<< "$code")
  if [[ -z $its ]]; then
    echo "the library has no ${name%>:}: nothing has been looked at"
    exit 1
  fi
  all+=$its$'\n'
done
saved=$(grep -c '\spush ' <<< "$all")
if ((saved > 12)); then
  echo "a switch saves $saved registers, six of them in weir_switch"
  exit 1
fi
if grep -E '\slock |\sxchg .*\(|\smfence|\srdtsc' <<< "$all"; then
  echo "a switch locks the bus or reads the clock"
  exit 1
fi
