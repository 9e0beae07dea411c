"""docs/threads-functions.md has each function of the C library that Weir's library replaces, and no other."""

import platform
import re
from collections import Counter
from pathlib import Path

from weir.base import native

from .. import skips
from .test_calls import symbols

pytestmark = skips.mark("own", "another runtime stands before no function of the C library")

# Programs ask an OpenMP runtime for these.
OPENMPS = re.compile(r"(GOMP|GOACC|omp|ompc|ompt|__kmpc|kmp|kmpc|weir_lacks)_")
OF_X86 = {"vfork", "iopl", "ioperm"}


def listed() -> list[str]:
    """Those in the first column of the tables."""
    text = (native.REPOSITORY / "docs" / "threads-functions.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_each_replaced_function_is_in_the_tables_once_and_no_other_is(runtime: Path):
    exported = {name for kind, name in symbols(runtime, "-D", "--defined-only") if kind != "A"}
    replaced = {name for name in exported if not OPENMPS.match(name)}
    said = listed()
    assert not [name for name, times in Counter(said).items() if times > 1]
    assert set(said) - (OF_X86 if platform.machine() != "x86_64" else set()) == replaced
