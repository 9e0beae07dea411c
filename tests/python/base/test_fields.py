"""The fields of rows as their subjects declare them, and docs/records.md."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from weir.base import records, shapes
from weir.mpi.fields import Row as OverMpi

ROOT = Path(__file__).parents[3]
ROW = {
    "kind": "overhead", "session": "s", "source": "measured",
    "what": {
        "family": "mpi", "id": "mpi:mpich:weir", "algorithm": "weir", "waiting": "auto", "version": "0.1.0",
        "mpi": "mpich", "choice": None,
    },
    "where": {
        "members": 2, "processors": 2, "pinned": True, "load": "none", "delay_ns": 0, "processes": 2, "threads": 1,
        "nodes": 1, "level": "single",
    },
    "how": {"method": "round-time", "run": 0, "rejected": None, "stopped": None, "clock_ns": 1.5},
    "samples": {name: [1.0] for name in records.LISTS},
}  # fmt: skip


def test_the_document_has_all_fields():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "document-records", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_document_says_what_each_field_means():
    words, _, table = (ROOT / "docs" / "records.md").read_text().partition("## All fields")
    assert table
    said = {word for code in re.findall(r"`([^`]+)`", words) for word in re.findall(r"\w+", code)}
    names = {name.rpartition(".")[2] for one in records.declared() for name in shapes.flat(one.shape)}
    assert sorted(names - said) == []


@pytest.mark.parametrize("kind", ["overhead", "failure"])
def test_a_row_has_the_fields_of_its_family(kind: str):
    assert records.shape_of(ROW | {"kind": kind}) is OverMpi
    assert shapes.flaw(ROW, OverMpi) is None and shapes.undeclared(ROW, OverMpi) == []


@pytest.mark.parametrize(
    "changes, undeclared, flaw",
    [
        ({"cheese": 1}, ["cheese"], None),
        ({"how": ROW["how"] | {"late": "two"}}, ["how.late"], None),  # no reader needs it
        ({"what": ROW["what"] | {"mpi": 3}}, ["what.mpi"], "what.mpi"),
        ({"where": ROW["where"] | {"nodes": 0}}, [], "no members"),
        ({"what": ROW["what"] | {"choice": {"algorithm": "mcs"}}}, [], "what.choice.transport, what.choice.within"),
        ({"samples": {"episode_ns": [1.0], "hours": [1]}}, ["samples.hours"], None),
    ],
)
def test_what_is_not_declared_and_what_is_needed_are_told(changes: dict, undeclared: list[str], flaw: str | None):
    row: dict[str, Any] = ROW | changes
    assert shapes.undeclared(row, OverMpi) == undeclared
    assert flaw in (shapes.flaw(row, OverMpi) or "") if flaw else shapes.flaw(row, OverMpi) is None


def test_every_subject_declares_its_rows():
    """What a package declares is in the list of weir/__init__.py, since its modules may not have been loaded."""
    there = sorted((ROOT / "python" / "weir").rglob("fields.py"))
    listed = re.findall(
        r"^from weir\.([\w.]+) import ROWS", (ROOT / "python/weir/__init__.py").read_text(), re.MULTILINE
    )
    assert sorted(listed) == sorted(".".join(p.relative_to(ROOT / "python/weir").with_suffix("").parts) for p in there)
