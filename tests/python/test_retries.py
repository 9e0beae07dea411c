"""Whatever tests try again has a reason in one table, and is counted."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import retries

TESTS = Path(__file__).resolve().parents[1]
NATIVE = [file for ending in ("c", "h", "cpp", "hpp") for file in TESTS.rglob(f"*.{ending}")]
PYTHON = [file for file in TESTS.rglob("*.py") if file != Path(__file__)]


def used_names() -> Iterator[str]:
    for file in [*NATIVE, *PYTHON]:
        yield from re.findall(r'\b(?:retries(?:::holds|\.tries)|tries_again)\(\s*"([^"]+)"', file.read_text())


def test_each_reason_is_used_and_each_use_has_one():
    assert set(used_names()) == set(retries.REASONS)


def ends_early(loop: ast.For) -> bool:
    """Does the loop count only how often it is tried?"""
    counts = isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) == "range"
    unused = ast.unparse(loop.target).startswith("_")
    return counts and unused and any(isinstance(one, (ast.Break, ast.Return)) for one in ast.walk(loop))


def test_nothing_else_is_tried_again():
    """As such loops are written: what cannot be seen here is for who reads a change."""
    found = [
        f"{file.relative_to(TESTS)}:{loop.lineno}"
        for file in PYTHON
        for loop in ast.walk(ast.parse(file.read_text()))
        if isinstance(loop, ast.For) and ends_early(loop)
    ]
    found += [
        f"{file.relative_to(TESTS)}: {line.strip()}"
        for file in NATIVE
        for line in file.read_text().splitlines()
        if re.search(r"\bfor \(\w+ (tries|tried|attempts?)\b", line)
    ]
    assert found == []


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "CMakeCache.txt").touch()
    (tmp_path / "tests").mkdir()
    monkeypatch.setattr(retries, "BUILD", tmp_path)
    monkeypatch.setattr(retries, "REASONS", {"one": "the kernel decides", "two": "another program decides"})
    return tmp_path


PROGRAM = """
#include "retries.hpp"
int main() {
  int tried = 0;
  const bool holds = retries::holds("one", 5, [&] { return ++tried == 3; });
  return holds && tried == 3 && !retries::holds("two", 2, [] { return false; }) ? 0 : 1;
}
"""


def test_programs_and_tests_count_each_try_after_the_first(build: Path):
    made = build / "tests" / "program"
    words = ["g++", "-std=c++20", "-I", TESTS, "-xc++", "-", "-o", made]
    subprocess.run(words, input=PROGRAM, text=True, check=True)
    subprocess.run([made], check=True)
    assert list(retries.tries("two", 3)) == [0, 1, 2]
    assert next(retries.tries("one")) == 0
    found = retries.noted([build, build / "none"])
    assert found == {"one": 2, "two": 3}
    assert retries.report(found).splitlines() == [
        "Retries: 5",
        "  3 of 'two': another program decides",
        "  2 of 'one': the kernel decides",
    ]


@pytest.mark.parametrize(
    ("lines", "says", "status"),
    [("", "Retries: 0\n", 0), ("stays\n", "Retries: 1\n  1 of 'stays': the kernel", 0), ("luck\n", "no reason of", 1)],
)
def test_what_make_prints_at_the_end(tmp_path: Path, lines: str, says: str, status: int):
    (tmp_path / retries.NOTES).write_text(lines)
    done = subprocess.run([sys.executable, retries.__file__, tmp_path], capture_output=True, text=True)
    assert says in done.stdout and done.returncode == status, done
