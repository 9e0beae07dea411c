"""`weir info`: one screen, an answer for one team size, and all of it."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from weir.base import native
from weir.cli import app
from weir.info import cli, tables

from ..conftest import INFO

CAUSE = "[paper 000] says so"


def info(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["info", *words])
    return done.exit_code, done.output


def machine(processors: int, sizes: range) -> dict[str, Any]:
    """Of several kinds of caches and as many processors, every second of which the process may use."""
    cache = {"kind": "unified", "line": 64, "processors": [0]}
    choices = [
        {"members": n, "placed": placed, "algorithm": "distributed-sensor" if placed else "sense", "waiting": "auto",
         "reason": CAUSE, "bytes": 1000 * n}
        for n in sizes
        for placed in (True, False)
    ]  # fmt: skip
    return INFO | {
        "online": processors,
        "affinity": list(range(0, processors, 2)),
        "caches": [cache | {"level": level, "bytes": level * 2**20} for level in (1, 2, 3) for _ in range(processors)],
        "numa_nodes": [{"node": n, "bytes": 2**36 + n // 4 * 2**30, "processors": [n]} for n in range(8)],
        "choices": choices,
        "waitings": [{"name": "auto", "about": "spin, yield to members that share the processor, or sleep"}],
    }


@pytest.mark.parametrize("processors, sizes", [(2, range(1, 10)), (256, range(1, 12))])
def test_one_screen(processors: int, sizes: range):
    screen = Console(file=io.StringIO(), width=80)
    tables.show(machine(processors, sizes), screen)
    lines = screen.file.getvalue().splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80, "\n".join(lines)
    for part in ("A <made-up> processor", "CPU quota of 1.5", f"{processors} × L2 unified 2.0 MiB", "sense", "--all"):
        assert part in screen.file.getvalue()


def test_programs_that_share_are_listed_with_what_they_have():
    row = {"process": 12, "name": "<solver>", "weight": 3, "wants": 8, "busy": True, "processors": [0, 1, 2, 5]}
    rows = [
        row | {"alone": True},
        row | {"process": 13, "processors": [6], "alone": False},
        row | {"process": 14, "busy": False, "processors": [], "alone": True},
        row | {"process": 15, "processors": [], "alone": True},
    ]
    screen = Console(file=io.StringIO(), width=80)
    tables.show(INFO | {"sharing": rows, "waitings": []}, screen)
    said = screen.file.getvalue()
    for part in ("<solver>", "0-2, 5", "6, with others", "lends them", "is stopped, and lends them"):
        assert part in said
    tables.show(INFO | {"waitings": []}, none := Console(file=io.StringIO(), width=80))
    assert "share these processors" not in none.file.getvalue()


def test_processors_are_ranges():
    assert tables.ranges([0, 1, 2, 3, 8, 10, 11]) == "0-3, 8, 10-11"
    assert tables.ranges([5]) == "5" and tables.ranges([]) == ""


def test_the_answer_for_one_size_has_a_barrier_a_policy_and_a_reason():
    first, because, policy, bound = tables.answer(machine(4, range(64, 65)))
    assert first.startswith("For 64 threads on the 2 processors of this machine: the barrier sense")
    assert "the waiting policy auto" in first and policy.startswith("The policy auto: spin")
    assert because == f"Because: {CAUSE}." and "distributed-sensor" in bound and CAUSE in bound


def test_what_is_shown_of_the_made_up_machine(native_folder: Path):
    assert info()[0] == 0
    status, said = info("--members", "2")
    assert status == 0 and "2 threads" in said and "distributed" in said and "Because: because." in said
    status, said = info("--all")
    assert status == 0 and all(part in said for part in ("sense", "2.0", "spin"))
    status, said = info("--json")
    assert status == 0 and json.loads(said)["usable"] == 1.5


@pytest.mark.parametrize(
    "words, says",
    [
        (["--members", "0"], "--members takes a whole number from 1 to 65536"),
        (["--members", "65537"], "--members takes a whole number from 1 to 65536"),
        (["--members", "many"], "not 'many'"),
        (["--members", "2", "--all"], "--all does not go with --members"),
    ],
)
def test_a_wrong_value_is_said_in_one_line(words: list[str], says: str):
    status, said = info(*words)
    assert status == 2 and says in said and len(said.splitlines()) == 1


def test_this_machine_is_asked():
    status, said = info("--members", "64")
    assert status == 0 and said.startswith("For 64 threads on the ") and "Because: " in said
    most = native.ask("weir-info", "--members", str(cli.MOST_MEMBERS))
    assert {c["members"] for c in most["choices"]} == {cli.MOST_MEMBERS}
    with pytest.raises(native.NativeError, match="whole number from 1 to 65536"):
        native.ask("weir-info", "--members", str(cli.MOST_MEMBERS + 1))
