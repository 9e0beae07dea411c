#!/bin/sh
# The switch of members on AArch64, under emulation; also with signed return addresses and landing pads.
# Usage: emulated.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for protection in none standard; do
  compile="aarch64-linux-gnu-g++ -std=c++20 -O1 -mbranch-protection=$protection -I$source/include -I$source/src"
  # What depends on the processor; the barriers are the same code with either protection.
  for file in "$source"/src/threads/*.cpp "$source"/src/machine/*.cpp "$source"/tests/threads/programs/registers.cpp; do
    echo "$file"
  done | xargs -P 2 -n 1 $compile -c
  [ -e barriers.o ] || { $compile -c "$source"/src/barriers/*.cpp; aarch64-linux-gnu-ld -r -o barriers.o choice.o plans.o proof.o seating.o team_barrier.o; }
  aarch64-linux-gnu-g++ body.o crowd.o deadlines.o left_alone.o monitor.o pool.o processor.o program_threads.o set_id.o signals.o sleepers.o switch.o tick.o gate.o native.o \
    processors.o quota.o system_files.o team.o time_slice.o barriers.o registers.o -o "registers-$protection"
  said=$(qemu-aarch64-static -cpu max -L /usr/aarch64-linux-gnu "./registers-$protection") || :
  [ "$said" = ok ] || { echo "protection $protection: $said"; exit 1; }
done
