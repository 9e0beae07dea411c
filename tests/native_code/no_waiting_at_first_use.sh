#!/usr/bin/env bash
# No local variable is initialised at its first use: other threads wait for that, and in a process that is forked during it the wait
# never ends. The compiler guards each such variable by another one, which this test looks for.
#   no_waiting_at_first_use.sh OBJECT...
set -euo pipefail
objects=()  # without precompiled headers, which CMake counts among a target's objects
for object; do [[ $object != *.o ]] || objects+=("$object"); done
names=$(nm -C "${objects[@]}")
if ! grep -q ' T weir::affinity()' <<< "$names"; then
  echo "the objects are not Weir's: nothing has been looked at"
  exit 1
fi
if grep 'guard variable for' <<< "$names"; then
  echo "initialised at first use: make it constinit, or a made_once"
  exit 1
fi
