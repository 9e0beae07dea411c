#!/bin/sh
# The switch of members on AArch64, under emulation; also with signed return addresses and landing pads.
# Usage: emulated.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
threads=$(ls "$source"/src/threads/*.cpp "$source"/src/threads/*/*.cpp | grep -v /posix/)
for protection in none standard; do
  compile="aarch64-linux-gnu-g++ -std=c++20 -O1 -mbranch-protection=$protection -I$source/include -I$source/src"
  # What depends on the processor; the barriers are the same code with either protection.
  for file in $threads "$source"/src/machine/*.cpp "$source"/tests/threads/programs/registers.cpp; do
    echo "$file"
  done | xargs -P 2 -n 1 $compile -c
  [ -e barriers.o ] || { $compile -c "$source"/src/barriers/*.cpp; aarch64-linux-gnu-ld -r -o barriers.o $(ls "$source"/src/barriers/*.cpp | sed "s,.*/,,; s,cpp$,o,"); }
  # Not those that stand before functions of the C library.
  objects=$(ls $threads "$source"/src/machine/*.cpp | grep -vE '/calls/|/heard.cpp$' | sed 's,.*/,,; s,cpp$,o,')
  aarch64-linux-gnu-g++ $objects barriers.o registers.o -o "registers-$protection"
  said=$(qemu-aarch64-static -cpu max -L /usr/aarch64-linux-gnu "./registers-$protection") || :
  [ "$said" = ok ] || { echo "protection $protection: $said"; exit 1; }
done
