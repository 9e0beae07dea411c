#!/bin/sh
# Each command of an installed `weir` once, on little, in the current folder; no compiler is needed.
# Usage: smoke.sh PROGRAMS   a folder with uses_openmp and uses_pthread, which were built elsewhere
set -eu
programs=$1
say() { echo "smoke: $*"; }
holds() { grep -q "$1" said || { echo "smoke: \"$1\" is not in:" >&2; cat said >&2; exit 1; }; }

say info
weir --version >said
holds 'weir [0-9]'
weir info >said
holds caches
weir info --members 64 >said
holds 64
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
say compare
weir compare bench.jsonl bench.jsonl --export compared.html >said
holds 'Of .* series'
grep -q '<html' compared.html
say bench threads
weir bench threads --quick --experiments overhead --seconds 5 -o threads.jsonl >said 2>&1
holds Records

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
weir simulate node.toml --point 0 --history history >said
ls history.html history.svg >/dev/null
weir simulate >said
holds 002-power4
say papers
weir papers 001 >said
holds Altix
say predict
weir predict processors --threads 16 --available 15 >said
holds '8 processors do as well as 15'
say explore
weir explore sense --members 2 >said
holds holds

say run
OMP_NUM_THREADS=3 weir run -- "$programs/uses_openmp" 3
weir run --processors 1 -- nproc >said
holds '^1$'
weir run --check "$programs/uses_openmp" >said
holds 'All is there'
say doctor
weir doctor -- "$programs/uses_openmp" 3 >said 2>&1 || [ $? = 1 ]
holds uses_openmp
say profile
native=$(dirname "$(command -v weir)")/../lib/python3*/site-packages/weir/native
native=$(echo $native)
mkdir -p by-name
ln -sf "$native/libgomp-weir.so" by-name/libgomp.so.1  # a machine without compilers has no other
LD_LIBRARY_PATH=$PWD/by-name${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OMP_NUM_THREADS=3 weir profile -- "$programs/uses_openmp" 3 >said 2>&1
holds parallel
say "run --compare"
LD_LIBRARY_PATH=$PWD/by-name${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
  weir run --compare --team 3 --times 2 --export run.html --export run.jsonl -- "$programs/uses_openmp" 3 >said 2>&1
holds 'pair of runs\|pairs of runs'
grep -q '<html' run.html
say trace
LD_LIBRARY_PATH=$PWD/by-name${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} weir trace --threads 3 -- "$programs/uses_openmp" 3 >said 2>&1
holds 'weir simulate'
say "POSIX barriers"
weir run --pthread -- "$programs/uses_pthread"
LD_PRELOAD=$native/libweir-pthread.so "$programs/uses_pthread"
say passed
