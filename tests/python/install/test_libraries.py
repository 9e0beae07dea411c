"""What is loaded into others' programs needs no library but the C library, and no new one of those."""

import pytest

from weir.base import native
from weir.run import elf

C_LIBRARY = ("libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libdl.so.2", "libpthread.so.0")
OLDEST = (2, 34)


@pytest.mark.parametrize("name", ["libgomp-weir.so", "libweir-pthread.so", "libweir-profile.so", "libweir-trace.so"])
def test_a_library_for_others_programs_loads_beside_older_ones(name: str):
    path = native.library(name)
    assert path is not None, f"{name} is not built: make build"
    file = elf.read(path)
    assert set(file.needed) <= set(C_LIBRARY)
    assert not file.rpath and not file.runpath
    versions = [symbol.version.removeprefix("GLIBC_") for symbol in file.lacks if symbol.version.startswith("GLIBC_")]
    assert versions, "it asks nothing of the C library: then nothing is tested here"
    too_new = [v for v in versions if v != "PRIVATE" and tuple(map(int, v.split("."))) > OLDEST]
    assert not too_new, f"{name} needs a C library of version {max(too_new)}"
    foreign = [s for s in file.lacks if s.version.startswith(("GLIBCXX_", "CXXABI_", "GCC_"))]
    assert not foreign
