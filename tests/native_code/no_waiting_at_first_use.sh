#!/usr/bin/env bash
# No local variable is initialised where it is first met: other threads wait for that, and in a process that is forked meanwhile
# it never ends. The compiler guards each such variable by another one.
#   no_waiting_at_first_use.sh OBJECT...
set -euo pipefail
names=$(nm -C "$@")
if ! grep -q ' T weir::affinity()' <<< "$names"; then
  echo "the objects are not Weir's: nothing has been looked at"
  exit 1
fi
if grep 'guard variable for' <<< "$names"; then
  echo "initialised at first use: make it constinit, or a made_once"
  exit 1
fi
