#!/bin/sh
# Runs an unmodified program on the C library's barriers and on Weir's.
# Usage: preload.sh PROGRAM LIBRARY
set -eu
program=$1 library=$2
[ "$("$program")" = ok ]
[ "$(LD_PRELOAD=$library "$program")" = ok ]
LD_PRELOAD=$library "$program" whose | grep -q libweir-pthread
