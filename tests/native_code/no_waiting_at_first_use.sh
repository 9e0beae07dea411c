#!/usr/bin/env bash
# No local variable is initialised at its first use. Other threads would wait for the initialisation, and a process forked during
# it would wait for ever. The compiler adds a guard variable for each such variable; this test searches for guard variables.
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
