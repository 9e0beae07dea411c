#!/bin/sh
# Each command of an installed `weir` once, on little, in the current folder; no compiler is needed.
# Usage: smoke.sh PROGRAMS   a folder with uses_openmp and uses_pthread, which were built elsewhere
set -eu
programs=$1
say() { echo "smoke: $*"; }
holds() { grep -q "$1" said || { echo "smoke: \"$1\" is not in:" >&2; cat said >&2; exit 1; }; }

say info
weir info >said
holds caches
weir info --json >said
holds '"topology_text"'

say bench
weir bench --members 2 --algorithms sense,dissemination --waiting auto --rounds 1 --samples 3 --delay-ns 100 -o bench.jsonl >said 2>&1
holds 'boost::barrier'
holds ck_barrier
say bench openmp
weir bench openmp --constructs barrier,for --threads 2 --rounds 1 --samples 3 -o openmp.jsonl >said 2>&1
holds weir
say report
mkdir -p charts
weir report bench.jsonl openmp.jsonl -o page.html --png charts >said
grep -q '<html' page.html
ls charts/*.png >/dev/null

say simulate
cat >node.toml <<'END'
about = "four members on four processors"
machine = "power4-32"
processors = 4
[[application]]
members = 4
barrier = "sense"
waiting = "spin"
barriers = 50
compute_us = 1
END
weir simulate node.toml -o simulated.jsonl >said
weir simulate 002-power4 --help >said
say predict
weir predict processors --threads 16 --available 15 >said
holds '8 processors do as well as 15'
say explore
weir explore sense --members 2 >said
holds holds

say run
OMP_NUM_THREADS=3 weir run -- "$programs/uses_openmp" 3
weir run --check "$programs/uses_openmp" >said
holds 'All is there'
say profile
native=$(dirname "$(command -v weir)")/../lib/python3*/site-packages/weir/native
native=$(echo $native)
mkdir -p by-name
ln -sf "$native/libgomp-weir.so" by-name/libgomp.so.1  # a machine without compilers has no other
LD_LIBRARY_PATH=$PWD/by-name${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OMP_NUM_THREADS=3 weir profile -- "$programs/uses_openmp" 3 >said 2>&1
holds parallel
say "POSIX barriers"
LD_PRELOAD=$native/libweir-pthread.so "$programs/uses_pthread"
say passed
