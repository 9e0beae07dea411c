"""What other programs had of the processors is noted with each session, and holds verdicts back."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from weir.base import others, records
from weir.mpi.plan import Size

from ..conftest import INFO
from ..mpi.made_up import row

MACHINE = {"kind": "machine", "id": "s", "host": INFO}


def load(others_s: float, stolen_s: float = 0.0, seconds: float = 10.0) -> dict:
    return {
        "kind": "load", "session": "s", "processors": 2, "seconds": seconds, "others_s": others_s, "stolen_s": stolen_s,
    }  # fmt: skip


def stat(folder: Path, working: dict[int, int], stolen: int = 0) -> None:
    """Ticks of each processor, half of them in the kernel."""
    lines = ["cpu  1 1 1 1 1 1 1 1"]
    lines += [f"cpu{n} {ticks - ticks // 2} 0 {ticks // 2} 5000 7 0 0 {stolen} 0 0" for n, ticks in working.items()]
    (folder / "stat").write_text("\n".join(lines))


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2})


def watched(tmp_path: Path, after: dict[int, int], stolen: int = 0) -> list[dict]:
    """The rows of a session, before which each processor had worked for 100 ticks."""
    stat(tmp_path, {n: 100 for n in after})
    with records.Writer(tmp_path / "r.jsonl") as writer, others.watched(writer, tmp_path):
        writer.write(MACHINE)
        writer.write(row("weir", Size(2, 1), 0, 1.0))
        stat(tmp_path, after, stolen)
    rows, complaints = records.read([tmp_path / "r.jsonl"])
    assert complaints == []
    return rows


def test_a_session_ends_with_what_others_had_of_our_processors(tmp_path: Path, two: None):
    (said,) = (r for r in watched(tmp_path, {0: 400, 1: 9_000_000, 2: 200}, stolen=50) if r["kind"] == "load")
    assert said["session"] == "s" and said["processors"] == 2
    assert said["others_s"] == pytest.approx(400 / others.TICKS, abs=0.3), "of the processors that we may use"
    assert said["stolen_s"] == pytest.approx(100 / others.TICKS)


def test_our_own_time_and_that_of_our_children_is_not_others(tmp_path: Path):
    with records.Writer(tmp_path / "r.jsonl") as writer, others.watched(writer):
        writer.write(MACHINE)
        writer.write(row("weir", Size(2, 1), 0, 1.0))
        before = others.own_s()
        burn = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
        subprocess.run([sys.executable, "-c", burn], check=True)
        assert others.own_s() - before > 0.25, "the system counts in ticks, and cuts each part of it short"


def test_nothing_is_written_without_a_session_or_where_the_system_does_not_count(tmp_path: Path, two: None):
    stat(tmp_path, {0: 1, 2: 1})
    with records.Writer(tmp_path / "none.jsonl") as writer, others.watched(writer, tmp_path):
        pass
    assert (tmp_path / "none.jsonl").read_text() == ""
    with records.Writer(tmp_path / "r.jsonl") as writer, others.watched(writer, tmp_path / "gone"):
        writer.write(MACHINE)
        writer.write(row("weir", Size(2, 1), 0, 1.0))
    assert [r["kind"] for r in records.read([tmp_path / "r.jsonl"])[0]] == ["machine", "overhead"]


def test_an_interrupted_session_has_its_load_too(tmp_path: Path, two: None):
    stat(tmp_path, {0: 1, 2: 1})
    with (
        pytest.raises(KeyboardInterrupt),
        records.Writer(tmp_path / "r.jsonl") as writer,
        others.watched(writer, tmp_path),
    ):
        writer.write(MACHINE)
        writer.write(row("weir", Size(2, 1), 0, 1.0))
        raise KeyboardInterrupt
    assert [r["kind"] for r in records.read([tmp_path / "r.jsonl"])[0]] == ["machine", "overhead", "load"]


def test_much_load_is_said_and_little_is_not():
    assert others.in_words([load(19.4)]).startswith("Other programs had 97% of the processors")
    assert others.in_words([load(1.0), load(2.0, stolen_s=3.0)]).startswith("Other programs had 25%")
    assert others.in_words([load(3.9)]) == "" and others.disturbed([load(3.9)]) is None
    assert others.disturbed([load(4.0)]) == pytest.approx(0.2), "from a fifth on"
    assert others.share(load(50.0)) == 1.0, "clocks of the system are coarse"


@pytest.mark.parametrize("wrong", [{"processors": 0}, {"seconds": 0.0}, {"others_s": "much"}])
def test_a_broken_row_of_load_is_refused(tmp_path: Path, wrong: dict):
    (tmp_path / "r.jsonl").write_text(json.dumps(load(1.0) | {"schema": records.SCHEMA} | wrong) + "\n")
    rows, complaints = records.read([tmp_path / "r.jsonl"])
    assert rows == [] and len(complaints) == 1
