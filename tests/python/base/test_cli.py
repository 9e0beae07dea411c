"""The command loads what it needs: `weir run` may not delay the program that it starts."""

import subprocess
import sys

import pytest

from weir.cli import COMMANDS, commands

LOADED = """
import sys
from weir.cli import commands
commands({word!r})
print(*(name for name in sys.modules if name[-4:] == ".cli" and name != "weir.cli"), "numpy._core" in sys.modules)
"""


@pytest.mark.parametrize(
    ("word", "subjects"),
    [
        ("run", ["weir.run"]),
        ("bench", ["weir.barriers", "weir.openmp", "weir.mpi", "weir.threads", "weir.workloads"]),
        ("--version", [subject for _, subject in COMMANDS]),
    ],
)
def test_a_word_loads_the_commands_that_begin_with_it(word: str, subjects: list[str]):
    done = subprocess.run([sys.executable, "-c", LOADED.format(word=word)], capture_output=True, text=True, check=True)
    *loaded, has_numpy = done.stdout.split()
    assert {f"{one}.cli" for one in subjects} <= set(loaded)
    assert word != "run" or (loaded == ["weir.run.cli"] and has_numpy == "False")


def test_the_table_names_the_commands_as_their_subjects_do():
    assert [one.name for one in commands("")] == [name for name, _ in COMMANDS]
