"""The table of programs that are measured."""

import os
import subprocess

import pytest

from weir.base import native
from weir.workloads import programs
from weir.workloads.measuring import TIME
from weir.workloads.programs import GCC, OF_PROCESSES, OTHERS, Program


@pytest.mark.parametrize("one", [p for p in programs.programs() if p.group != OTHERS], ids=lambda one: one.name)
def test_each_of_our_programs_takes_its_arguments_and_prints_its_time(one: Program):
    for work in ("words", "crowded", "shared", "beside"):
        assert not [word for word in one.arguments(work, 2, 0) if word.startswith("-") and word not in _options(one)]
    words = [one.file, *one.arguments("shared", 2, 0)]
    done = subprocess.run(
        words,
        env=os.environ | {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and len(TIME.findall(done.stderr)) == 1 and done.stdout, done


def _options(one: Program) -> str:
    """Where processes execute it, of the program that they are."""
    its = one.words[0] if one.group == OF_PROCESSES else one.file
    return subprocess.run([its, "--help"], capture_output=True, text=True, timeout=60).stdout


def test_programs_are_chosen_by_name_and_group():
    every = programs.programs()
    assert len({one.name for one in every}) == len(every)
    assert {one.group for one in programs.chosen(None, False)} <= {GCC, OTHERS, OF_PROCESSES}
    assert [one.name for one in programs.chosen(["sort", "hydro-clang"], False)] == ["hydro-clang", "sort"]
    assert {one.group for one in programs.chosen(["clang"], False)} == {"clang"}
    assert 0 < len(programs.chosen(None, True)) < len(programs.chosen(None, False))
    assert all(native.REPOSITORY in one.file.parents for one in every)
