"""The table of programs that are measured."""

import os
import subprocess

import pytest

from weir.base import native
from weir.workloads import programs
from weir.workloads.measuring import TIME
from weir.workloads.programs import CALLERS, GCC, OF_PROCESSES, OTHERS, POOLS, POOLS_CALLERS, Program
from weir.workloads.situations import NAMES, cells

from .. import skips

NOT_EVERYWHERE = {"pool-tbb": [skips.mark("onetbb")], "pool-rayon": [skips.mark("rayon")]}


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(p, id=p.name, marks=NOT_EVERYWHERE.get(p.name, ()))
        for p in programs.programs()
        if p.file.suffix != ".py"
    ],
)
def test_each_of_our_programs_takes_its_arguments_and_prints_its_time(one: Program):
    for work in ("words", "crowded", "shared", "beside"):
        assert not [word for word in one.arguments(work, 2, 0) if word.startswith("-") and word not in _options(one)]
    words = [one.file, *one.arguments("shared", 2, 0)]
    done = subprocess.run(
        words,
        env=os.environ | {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and len(TIME.findall(done.stderr)) == 1 and done.stdout, done


def _options(one: Program) -> str:
    """Where processes execute it, of the program that they are."""
    executable = one.words[0] if one.group == OF_PROCESSES else one.file
    return subprocess.run([executable, "--help"], capture_output=True, text=True, timeout=300).stdout


def test_programs_are_chosen_by_name_and_group():
    every = programs.programs()
    assert len({one.name for one in every}) == len(every)
    assert {one.group for one in programs.chosen(None, False)} <= {GCC, OTHERS, OF_PROCESSES}
    assert [one.name for one in programs.chosen(["sort", "hydro-clang"], False)] == ["hydro-clang", "sort"]
    assert {one.group for one in programs.chosen(["clang"], False)} == {"clang"}
    assert 0 < len(programs.chosen(None, True)) < len(programs.chosen(None, False))
    assert all(native.REPOSITORY in one.file.parents for one in every)


def test_programs_with_pools_are_in_no_other_group_and_are_drivers_or_built():
    pools = [one for one in programs.programs() if one.group == POOLS]
    assert pools and not {one.file for one in programs.programs() if one.group == OTHERS} & {one.file for one in pools}
    for one in pools:
        assert one.file.suffix != ".py" or one.file.is_file() and os.access(one.file, os.X_OK), one.file
        assert one.callers == (CALLERS if one.file.suffix == ".py" else POOLS_CALLERS)
    assert POOLS not in {one.group for one in programs.chosen(None, False)}


def test_the_size_of_a_pool_and_its_callers_are_options():
    one = next(one for one in programs.programs() if one.name == "pool-spin")
    words = {c.situation.name: (c.team, c.words) for c in cells(one, NAMES, None, 2, callers=True)}
    assert words["dedicated"] == (2, ("--threads", "2"))
    assert words["crowded"] == (8, (*one.crowded, "--threads", "8"))
    assert words["crowded-callers"] == (4, (*one.crowded, "--threads", "4", "--callers", "4"))
    assert words["crowded-long"] == (8, (*one.long, "--threads", "8"))
    assert words["callers-long"] == (4, (*one.long, "--threads", "4", "--callers", "4"))
    assert words["quota"] == (2, (*one.shared, "--threads", "2"))
    assert words["quota-defaults"] == (2, one.shared)


def test_situations_for_pools_are_not_those_of_other_programs():
    one = next(one for one in programs.programs() if one.group == programs.GCC)
    situations = {c.situation.name for c in cells(one, NAMES, None, 2, callers=True)}
    assert not situations & {"crowded-long", "callers-long", "quota-defaults"} and "quota" in situations


@pytest.mark.parametrize(
    "one", [p for p in programs.programs() if p.group == POOLS and p.file.suffix == ".py"], ids=lambda one: one.name
)
def test_drivers_of_pools_know_their_options(one: Program):
    """Before a driver looks for its modules, which may be missing."""
    known = subprocess.run(["/usr/bin/python3", one.file, "--help"], capture_output=True, text=True, timeout=300).stdout
    callers = 2 if one.takes_callers() else 0
    for work in ("words", "crowded", "long", "shared"):
        words = [word for word in one.arguments(work, 2, callers) if word.startswith("-")]
        assert "--threads" in words and not [word for word in words if word not in known], words
