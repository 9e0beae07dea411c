#!/usr/bin/env bash
# The native barriers' machine code has the same instructions with and without the simulated barriers beside it,
# and the library contains nothing of the simulator.
#   unchanged.sh COMPILER SOURCE LIBWEIR INCLUDE...
set -euo pipefail
compiler=$1 source=$2 library=$3
shift 3
includes=("${@/#/-I}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

instructions() {  # of the functions that pass a barrier, by name; without addresses
  objdump -dr --no-show-raw-insn --no-addresses "$1" |
    awk '/^Disassembly of section/ { kept = $4 ~ /pass_|6native/ } kept && NF { print }' |
    sed -E 's/<\.LC[0-9]+(\+0x[0-9a-f]+)?>/<here>/'  # the target of a jump, as a constant in another section
}
for kind in alone beside; do
  define=()
  [ $kind = beside ] && define=(-DWITH_SIMULATOR)
  "$compiler" -std=c++20 -O2 -ffunction-sections "${define[@]}" "${includes[@]}" -c "$source" -o "$folder/$kind.o"
  instructions "$folder/$kind.o" > "$folder/$kind.s"
done
count=$(grep -c '^\s' "$folder/alone.s")
if [ "$(grep -c '^Disassembly' "$folder/alone.s")" -lt 7 ] || [ "$count" -lt 500 ]; then
  echo "too few instructions were found ($count): nothing has been compared"
  exit 1
fi
diff "$folder/alone.s" "$folder/beside.s" || { echo "the simulator changes the native code"; exit 1; }
names=$(nm -C "$library")
if grep -E "weir::(simulator|explorer)" <<< "$names"; then
  echo "the library holds parts of the simulator"
  exit 1
fi
echo "$count instructions of native barriers, the same with the simulator beside them"
