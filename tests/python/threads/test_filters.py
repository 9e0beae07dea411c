"""Filters of system calls: the calls that Weir tries first are those that `weir run --check` and the documents name.
tests/threads/programs/filtered.cpp has programs run under such filters."""

import re

from weir.base import native
from weir.run import tables

TABLE = re.compile(r'^ +\{"(\w+)", SYS_\1, (?:true|false)\},$', re.MULTILINE)


def test_the_calls_are_listed_by_the_command_and_in_the_documents():
    here = native.REPOSITORY
    tried = TABLE.findall((here / "src" / "system" / "filter.hpp").read_text())
    assert "membarrier" in tried and sorted(tried) == sorted(tables.UNUSUAL_CALLS)
    text = (here / "docs" / "threads.md").read_text()
    section = text[text.index("## Under a filter of system calls") : text.index("## Debugging")]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(tried)
    program = (here / "tests" / "threads" / "programs" / "filtered.cpp").read_text()
    # The program itself yields, and asks the kernel for the time.
    assert {*re.findall(r"CALL\((\w+)\)", program)} - {"name"} == {*tried} - {"sched_yield", "clock_gettime"}
