"""The functions of the C library that Weir stands before: programs find each of them in Weir's library."""

import subprocess
from pathlib import Path

from .. import skips

pytestmark = skips.mark("own", "another runtime stands before no function of the C library")

# The unwinder in Weir's library asks a function of its own [src/machine/find_object.c], and the C library links a
# copy of the other one into each library.
NOT_INSTEAD = {"_dl_find_object", "pthread_atfork"}


def symbols(library: Path, *options: str) -> list[tuple[str, str]]:
    """The kind and the name of each symbol, without versions."""
    listed = subprocess.run(["nm", *options, library], capture_output=True, text=True, check=True).stdout
    return [(kind, name.partition("@")[0]) for *_, kind, name in map(str.split, listed.splitlines())]


def libc() -> Path:
    return next(
        Path(line.split()[-1])
        for line in Path("/proc/self/maps").read_text().splitlines()
        if line.endswith("libc.so.6")
    )


def test_no_function_of_the_c_library_is_hidden(runtime: Path):
    of_libc = {name for _, name in symbols(libc(), "-D", "--defined-only")}
    hidden = {name for kind, name in symbols(runtime) if kind == "t"}
    assert hidden & of_libc <= NOT_INSTEAD


def test_nothing_of_the_compilers_libraries_is_exported(runtime: Path):
    exported = {name for _, name in symbols(runtime, "-D", "--defined-only")}
    assert "__longjmp_chk" in exported
    assert not {n for n in exported if n.startswith(("_Z", "_Unwind_", "__cxa_", "__gxx_", "__register_frame"))}
