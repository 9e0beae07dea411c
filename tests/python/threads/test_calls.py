"""The functions of the C library that Weir stands before: programs find each of them in Weir's library."""

import re
import subprocess
from pathlib import Path

from .. import skips
from ..openmp_programs import SOURCES

pytestmark = skips.mark("own", "another runtime stands before no function of the C library")

# The unwinder in Weir's library asks a function of its own [src/linking/find_object.c], and the C library links a
# copy of the other one into each library.
NOT_INSTEAD = {"_dl_find_object", "pthread_atfork"}

PROGRAMS = SOURCES.parents[1] / "threads"
# Of C and C++, but for the names of symbols: asm("__read_chk").
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|(?<!asm\()"(?:\\.|[^"\\\n])*"', re.DOTALL)


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


def words_of_code(folder: Path) -> set[str]:
    texts = (p.read_text() for p in folder.rglob("*") if p.suffix in {".c", ".cpp", ".h", ".hpp"})
    return {word for text in texts for word in re.findall(r"\w+", COMMENT_OR_TEXT.sub(" ", text))}


def test_each_function_that_weir_stands_before_is_called_by_a_test(runtime: Path):
    """Its contract: in threads of the kernel, members and both (tests/threads/CMakeLists.txt)."""
    exported = {name for _, name in symbols(runtime, "-D", "--defined-only")}
    stood_before = exported & {name for _, name in symbols(libc(), "-D", "--defined-only")}
    assert len(stood_before) > 200
    assert not stood_before - words_of_code(PROGRAMS)
