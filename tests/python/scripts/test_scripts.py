"""The measuring scripts begin without the project's environment: they take it by themselves."""

import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"


@pytest.mark.parametrize(
    "name",
    [
        "share-processors",
        "compare-with-epcc",
        "compare-startup",
        "compare-blocking",
        "measure-hosts",
        "random-programs",
        "fault-threads",
    ],
)
def test_each_begins_and_says_how_it_is_used(name: str):
    done = subprocess.run(["/usr/bin/python3", SCRIPTS / name, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "usage" in done.stdout, done.stderr


@pytest.mark.parametrize("name", ["share-processors", "compare-startup"])
def test_runtimes_that_are_not_there_are_named(name: str):
    done = subprocess.run([SCRIPTS / name, "--runtimes", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2 and "nonsense" in done.stderr and "Traceback" not in done.stderr, done.stderr
