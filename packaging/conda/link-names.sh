#!/bin/sh
# conda's outputs that are Weir's runtime under other names: link-names.sh NAME ...
set -eu
[ -e "$PREFIX/lib/libgomp-weir.so" ] || { echo "link-names.sh: $PREFIX/lib has no libgomp-weir.so: libweir is not in host" >&2; exit 1; }
for name; do ln -s libgomp-weir.so "$PREFIX/lib/$name"; done
