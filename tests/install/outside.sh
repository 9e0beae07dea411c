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

# The uninstall removes all that is ours, folders too, and nothing else: neither another's file nor another's empty folder.
cmake --build "$build" --target uninstall >/dev/null
left=$(cd "$prefix" && find . -type f -o -type l -o -name '*weir*')
[ "$left" = ./lib/pkgconfig/another.pc ] || { echo "outside: left behind: $left" >&2; exit 1; }
[ -d "$prefix/include/another" ] || { echo "outside: the uninstall removed another's folder" >&2; exit 1; }
! cmake --build "$build" --target uninstall >/dev/null 2>&1 || { echo "outside: a second uninstall passed" >&2; exit 1; }
