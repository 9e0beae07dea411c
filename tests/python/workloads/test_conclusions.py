"""What papers concluded, held against made-up sessions whose answer is known."""

from dataclasses import replace

import pytest

from weir.base.records import Row
from weir.workloads import rows as made
from weir.workloads.conclusions import AGREES, DIFFERS, NOT_MEASURED, conclusions
from weir.workloads.rows import KERNEL, OWN, PROFILE

from .made_up_runs import MACHINE, cell, runs

BARRIERS = ("condvar", "sense", "dissemination", "tree", "tournament")


def by_barrier(times: dict[str, float], program: str = "one", where: str = "dedicated", team: int = 2, here: int = 2):
    at = cell(program, where, team, here)
    found = runs(at, OWN, 0.2) + runs(at, KERNEL, min(times.values()))
    return found + [row for name, time in times.items() for row in runs(at, KERNEL, time, name)]


def counted(where, runtime: str, time_s: float, priced_s: float, directives: int) -> Row:
    base = made.row(where, runtime, runtime, "", "s", 0, PROFILE)
    return made.timed(base, time_s, time_s, min(priced_s, time_s), priced_s=priced_s, directives=directives)


def verdict(rows: list[Row], says: str) -> str:
    found = [one for one in conclusions([MACHINE, *rows]) if says in one.says]
    assert len(found) == 1, found
    return found[0].verdict


def test_without_programs_there_are_no_conclusions():
    assert conclusions([MACHINE]) == []


@pytest.mark.parametrize(("second", "expected"), [("tree", AGREES), ("sense", DIFFERS)])
def test_no_single_best_barrier(second: str, expected: str):
    first = by_barrier({"sense": 0.1, "tree": 0.2})
    assert verdict(first + by_barrier({"sense": 0.15, "tree": 0.15} | {second: 0.1}, "two"), "No single") == expected


@pytest.mark.parametrize(("best", "expected"), [("tournament", AGREES), ("dissemination", DIFFERS)])
def test_the_tournament_from_16_threads(best: str, expected: str):
    times = dict.fromkeys(BARRIERS, 0.2) | {best: 0.1}
    assert verdict(by_barrier(times, team=16, here=16), "tournament") == expected
    assert verdict(by_barrier(times), "tournament") == NOT_MEASURED


@pytest.mark.parametrize(("worst", "expected"), [(0.14, AGREES), (0.13, DIFFERS)])
def test_what_the_choice_changes(worst: float, expected: str):
    assert verdict(by_barrier({"sense": 0.1, "tree": worst}), "change a program") == expected


@pytest.mark.parametrize(("best", "expected"), [("condvar", AGREES), ("tree", DIFFERS)])
def test_blocking_where_processors_are_oversubscribed(best: str, expected: str):
    times = dict.fromkeys(BARRIERS, 0.2) | {best: 0.1}
    assert verdict(by_barrier(times, where="crowded", team=8), "blocking") == expected
    assert verdict(by_barrier(times), "blocking") == NOT_MEASURED


# 0.2 s with so many barriers on 2 processors: a member of 8 computes for a quarter of the time between them.
@pytest.mark.parametrize(
    ("barriers", "crowded", "expected"), [(1000, 0.21, AGREES), (1000, 0.23, DIFFERS), (20_000, 0.23, NOT_MEASURED)]
)
def test_fewer_processors_cost_little(barriers: int, crowded: float, expected: str):
    alone, shared = cell(), cell("one", "crowded", 8)
    found = runs(alone, KERNEL, 0.2) + runs(shared, KERNEL, crowded)
    assert verdict([*found, counted(alone, KERNEL, 0.2, 0.01, barriers)], "fewer processors") == expected


@pytest.mark.parametrize(("own", "expected"), [(0.3, AGREES), (0.5, DIFFERS), (0.201, DIFFERS)])
def test_directives_add_up(own: float, expected: str):
    at = cell()
    found = runs(at, OWN, own) + runs(at, KERNEL, 0.2)
    priced = [counted(at, OWN, own, 0.15, 1000), counted(at, KERNEL, 0.2, 0.05, 1000)]
    assert verdict(found + priced, "add up") == expected
    assert verdict(found, "add up") == NOT_MEASURED


@pytest.mark.parametrize(("processes", "expected"), [(0.3, AGREES), (0.1, DIFFERS)])
def test_threads_against_processes(processes: float, expected: str):
    found = runs(cell(), KERNEL, 0.2) + runs(cell("one-processes"), OWN, processes)
    assert verdict(found, "Threads within") == expected
    assert verdict(runs(cell(), KERNEL, 0.2), "Threads within") == NOT_MEASURED


def test_work_of_each_member_is_counted_for_each():
    """Four members on a processor, with as much to do each, take four times as long."""
    cells = [
        replace(where, program=replace(where.program, per_member=True)) for where in (cell(), cell("one", "crowded", 8))
    ]
    found = runs(cells[0], KERNEL, 0.2) + runs(cells[1], KERNEL, 0.84)
    assert verdict([*found, counted(cells[0], KERNEL, 0.2, 0.01, 1000)], "fewer processors") == AGREES
