"""Lines are as long as CONTRIBUTING.md and .clang-format say. ruff looks at Python's."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDERS = ("include", "src", "tests", "bench", "workloads", "examples")
SOURCES = ("*.c", "*.cpp", "*.h", "*.hpp")


def test_no_line_is_longer_than_the_formatter_makes_it():
    limit = int(re.search(r"^ColumnLimit: (\d+)$", (ROOT / ".clang-format").read_text(), re.MULTILINE)[1])
    assert f"at most {limit} columns" in (ROOT / "CONTRIBUTING.md").read_text()
    files = [p for kind in SOURCES for folder in FOLDERS for p in (ROOT / folder).rglob(kind)]
    assert len(files) > 500
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > limit
    ]
    assert not long, long
