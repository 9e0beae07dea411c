#!/bin/sh
# The switch of members on AArch64, under emulation; by `standard` with signed return addresses and landing pads.
# Usage: emulated.sh SOURCE_DIR none|standard
set -eu
source=$1 protection=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# Half of the time is reading the standard library's headers.
compile="aarch64-linux-gnu-g++ -std=c++20 -O1 -mbranch-protection=$protection -I$source/include -I$source/src"
$compile -w -x c++-header "$source/src/standard_headers.hpp" -o standard_headers.hpp.gch
# Not those that stand before functions of the C library.
files=$(ls "$source"/src/threads/*.cpp "$source"/src/threads/*/*.cpp "$source"/src/system/*.cpp "$source"/src/machine/*.cpp |
  grep -vE '/posix/|/calls/|/visible_processors.cpp$')
for file in $files "$source"/src/barriers/*.cpp "$source"/tests/threads/programs/registers.cpp; do
  echo "$file"
done | xargs -P 2 -n 1 $compile -include ./standard_headers.hpp -c
aarch64-linux-gnu-g++ ./*.o -o registers
said=$(qemu-aarch64-static -cpu max -L /usr/aarch64-linux-gnu ./registers) || :
[ "$said" = ok ] || { echo "$said"; exit 1; }
