"""A test is skipped for a known reason only."""

import subprocess
import sys
from pathlib import Path

import pytest

from . import skips
from .skips import Reason, complaints

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {"root": Reason("only root can", lambda: True, 2), "tun": Reason("no /dev/net/tun", lambda: False, 2)}
    monkeypatch.setattr(skips, "REASONS", here)


def test_a_known_reason_that_holds_may_skip_as_many_tests_as_it_says():
    assert complaints([("one", "only root can"), ("two", "only root can: mount a file system")]) == []


@pytest.mark.parametrize(
    ("skipped", "word"),
    [
        ([("one", "clang is not installed")], "is no reason"),
        ([("one", "only root cannot")], "is no reason"),
        ([("one", "no /dev/net/tun")], "does not hold here"),
        ([(test, "only root can") for test in ("one", "two", "three")], "skips 3 tests, at most 2"),
    ],
)
def test_other_reasons_and_numbers_are_complained_of(skipped: list[tuple[str, str]], word: str):
    (complaint,) = complaints(skipped)
    assert word in complaint and "one" in complaint


SKIPPED = """
import pytest
from tests.python import skips

@pytest.mark.skip(reason="libclang-rt is not installed")
def test_a(): pass

def test_b(): pytest.skip({said!r})

def test_c(): pass
"""


@pytest.mark.parametrize("processes", [[], ["-n", "2"]], ids=["one process", "several"])
def test_a_run_of_pytest_fails(tmp_path: Path, processes: list[str]):
    (tmp_path / "test_it.py").write_text(SKIPPED.replace("{said!r}", repr("too large")))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "tests.python.conftest", *processes, tmp_path]
    done = subprocess.run(words, cwd=HERE.parent.parent, capture_output=True, text=True)
    assert done.returncode == 1 and "1 passed, 2 skipped" in done.stdout, done.stdout + done.stderr
    assert 'test_a: "libclang-rt is not installed" is no reason' in done.stdout and "test_b:" not in done.stdout


JUNIT = """<testsuite><testcase name="waits" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] waits
../tests/a_test.cpp:9: Skipped
{said}

[  SKIPPED ] waits (0 ms)</system-out></testcase><testcase name="runs" status="run"/></testsuite>"""


@pytest.mark.parametrize(("said", "status"), [("too large", 0), ("the moon is full", 1)])
def test_a_run_of_ctest_fails(tmp_path: Path, said: str, status: int):
    (tmp_path / "ctest.xml").write_text(JUNIT.format(said=said))
    done = subprocess.run([sys.executable, HERE / "skips.py", tmp_path / "ctest.xml"], capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    assert ("waits" in done.stdout) == bool(status) and "runs" not in done.stdout
