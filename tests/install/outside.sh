#!/bin/sh
# Installs Weir into an empty folder, builds a project outside the tree against it, and removes it again.
# Usage: outside.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1 here=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
mkdir -p "$prefix/include/another" "$prefix/lib/pkgconfig"
echo kept >"$prefix/lib/pkgconfig/another.pc"
cmake --install "$build" --prefix "$prefix" >/dev/null

"$here/against.sh" "$prefix" "$here/project"

# Libraries that are loaded into programs are small; their symbols are beside them, where gdb finds them.
library=$(find "$prefix/lib" -name libgomp-weir.so)
if [ -n "$library" ] && [ -f "$library.debug" ]; then
  [ -z "$(nm "$library" 2>/dev/null)" ] || { echo "outside: $library is not stripped" >&2; exit 1; }
  nm "$library.debug" | grep -q weir_for_debuggers || { echo "outside: $library.debug has no symbols" >&2; exit 1; }
  readelf -p .gnu_debuglink "$library" | grep -q libgomp-weir.so.debug || { echo "outside: no link to the symbols" >&2; exit 1; }
  readelf -d "$library" | grep -q BIND_NOW || { echo "outside: $library binds late" >&2; exit 1; }
elif [ -n "$library" ] && ! grep -q '^WEIR_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
  echo "outside: the symbols of $library are not beside it" >&2
  exit 1
fi

# The uninstall removes all that is ours, folders too, and nothing else: neither another's file nor another's empty folder.
cmake --build "$build" --target uninstall >/dev/null
left=$(cd "$prefix" && find . -type f -o -type l -o -name '*weir*')
[ "$left" = ./lib/pkgconfig/another.pc ] || { echo "outside: left behind: $left" >&2; exit 1; }
[ -d "$prefix/include/another" ] || { echo "outside: the uninstall removed another's folder" >&2; exit 1; }
! cmake --build "$build" --target uninstall >/dev/null 2>&1 || { echo "outside: a second uninstall passed" >&2; exit 1; }
