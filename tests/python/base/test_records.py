import json
import os
from pathlib import Path

import pytest

from weir.base import records
from weir.base.outputs import Unwritable

WHAT = {"family": "weir", "algorithm": "sense", "waiting": "spin"}
WHERE = {"members": 2, "processors": 2, "pinned": True, "load": "none", "delay_ns": 100}

MPI = {
    "what": {**WHAT, "family": "mpi", "mpi": "openmpi"},
    "where": {**WHERE, "processes": 2, "threads": 1, "nodes": 1, "level": "funneled"},
    "how": {"run": 0, "method": "consecutive"},
}
SCALE = {
    "cluster": "crossbar", "nodes": 4, "ranks": 4, "per_node": 1, "family": "Weir", "algorithm": "auto",
    "within": "none", "name": "auto", "time_ns": 9e3, "alone_ns": 9e3, "node_ns": 0.0, "kept": True,
}  # fmt: skip

COMMAND = {
    "what": {**WHAT, "family": "command", "runtime": "libgomp", "command": "./it 3", "arguments": "3"},
    "where": {**WHERE, "members": None, "quota": None, "beside": 0, "copies": 1},
    "how": {"run": 0, "method": "run", "counted": True, "wall_s": 1.0, "status": 0},
}
RATIO = {
    "what": WHAT, "where": WHERE, "a": {"median_ns": 1.0, "values": 6}, "b": {"median_ns": 2.0, "values": 6},
    "ratio": None, "verdict": "too few values",
}  # fmt: skip


def row(**changes) -> dict:
    lists = {name: [1.0, 2.0] for name in records.LISTS}
    return {"kind": "overhead", "what": WHAT, "where": WHERE, "how": {"run": 0}, "samples": lists, **changes}


def test_what_is_written_is_read(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    with records.Writer(path) as writer:
        writer.write(row())
        assert len(path.read_text().splitlines()) == 1, "a row is in the file when write returns"
        writer.write(row(what={**WHAT, "id": "x"}))
    rows, complaints = records.read([path])
    assert [r["what"].get("id") for r in rows] == [None, "x"]
    assert complaints == []


def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_kept(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    with records.Writer(path) as writer:
        writer.write(row())
        writer.write(row(samples={"episode_ns": [1.0]}))
        writer.write(row(kind="weather"))
        writer.write(row(where={**WHERE, "members": "two"}))
        writer.write(row())
    lines = path.read_text().splitlines()
    lines.insert(1, '{"schema": "weir/1", "kind": "overh')
    lines.insert(2, '{"schema": "weir/9", "kind": "overhead"}')
    path.write_text("\n".join(lines))
    rows, complaints = records.read([path])
    assert len(rows) == 2
    assert [c.split(": ")[0] for c in complaints] == [f"{path}:{n}" for n in (2, 3, 4, 5, 6)]
    assert "no JSON" in complaints[0]
    assert "weir/9" in complaints[1]


@pytest.mark.parametrize(
    "changes, flaw",
    [
        ({"where": {k: v for k, v in WHERE.items() if k != "members"}}, "where.members"),
        ({"where": {**WHERE, "members": "two"}}, "where.members"),
        ({"where": {**WHERE, "members": 0}}, "no members"),
        ({"what": "sense"}, "what.family"),
        ({"how": {}}, "how.run"),
        ({"samples": None}, "samples needs"),
        ({"samples": {n: [float("nan")] for n in records.LISTS}}, "no number"),
        ({"samples": {n: [] for n in records.LISTS}}, "empty"),
        ({"session": ["s"]}, "session"),
        ({"cycles_per_ns": "fast"}, "cycles_per_ns"),
        ({"what": {**MPI["what"], "mpi": None}, "where": MPI["where"], "how": MPI["how"]}, "what.mpi"),
        ({"what": MPI["what"], "how": MPI["how"]}, "where.processes, where.threads, where.nodes, where.level"),
        ({**MPI, "where": {**MPI["where"], "processes": "2"}}, "where.processes"),
        ({**MPI, "where": {**MPI["where"], "threads": 0}}, "no members"),
        ({**MPI, "how": {"run": 0}}, "how.method"),
        ({**MPI, "what": {**MPI["what"], "choice": "mcs"}}, "what.choice"),
        ({**MPI, "what": {**MPI["what"], "choice": {"algorithm": "mcs"}}}, "what.choice.transport, what.choice.within"),
        ({"what": {**WHAT, "family": "openmp"}}, "what.group, what.language, what.runtime"),
        ({**COMMAND, "where": {**COMMAND["where"], "members": 0}}, "no members"),
        ({**COMMAND, "where": {**COMMAND["where"], "members": "two"}}, "where.members"),
        ({**COMMAND, "what": {**COMMAND["what"], "runtime": None}}, "what.runtime"),
        ({"kind": "ratio", **RATIO, "ratio": 0.5}, "ratio"),
        ({"kind": "ratio", **RATIO, "b": {"values": 6}}, "b.median_ns"),
        ({"kind": "scale", **SCALE, "alone_ns": None}, "alone_ns"),
        ({"kind": "scale", **SCALE, "time_ns": "x"}, "time_ns"),
        ({"kind": "scale", **SCALE, "time_ns": 0}, "no time"),
        ({"kind": "scale", **SCALE, "node_ns": float("inf")}, "node_ns"),
        ({"kind": "scale", **SCALE, "stopped": 5}, "stopped"),
        ({"kind": "scale", **SCALE, "stopped": "", "kept": None}, "kept"),
        ({"kind": "machine", "host": []}, "host"),
        ({"kind": "machine", "host": {}, "id": ["s"]}, "id"),
        ({"kind": "machine", "host": {"quota": "x"}}, "host.quota"),
        ({"kind": "machine", "host": {"quota": {"processors": "x"}}}, "host.quota.processors, host.quota.source"),
    ],
)
def test_a_row_that_lacks_what_a_figure_needs_is_named(tmp_path: Path, changes: dict, flaw: str):
    path = tmp_path / "records.jsonl"
    with records.Writer(path) as writer:
        writer.write(row())
        writer.write(row(**changes))
    rows, complaints = records.read([path])
    assert len(rows) == 1
    assert len(complaints) == 1 and complaints[0].startswith(f"{path}:2: ") and flaw in complaints[0]


def test_rows_that_say_what_they_must_are_used(tmp_path: Path):
    choice = {"algorithm": "mcs", "transport": "messages", "within": "none"}
    stopped = {name: value for name, value in SCALE.items() if not name.endswith("_ns") and name != "kept"}
    path = tmp_path / "records.jsonl"
    with records.Writer(path) as writer:
        writer.write({"kind": "machine", "host": {"quota": None}})
        writer.write(row(**MPI))
        writer.write(row(**{**MPI, "what": {**MPI["what"], "choice": choice}}))
        writer.write({"kind": "scale", **SCALE})
        writer.write({"kind": "scale", **stopped, "stopped": "no end"})
        writer.write(row(**COMMAND))
        writer.write({"kind": "ratio", **RATIO})
    rows, complaints = records.read([path])
    assert len(rows) == 7 and not complaints


def test_a_document_holds_the_rows_too(tmp_path: Path):
    path = tmp_path / "made.json"
    path.write_text(records.document({"answer": ['"records": [', "]}"]}, [row(), row(how={"run": 1})]))
    held = json.loads(path.read_text())
    assert held["answer"] and [r["how"]["run"] for r in held["records"]] == [0, 1]
    rows, complaints = records.read([path])
    assert [r["how"]["run"] for r in rows] == [0, 1] and complaints == []
    path.write_text(path.read_text().replace('"kind": "overhead"', '"kind": "weather"', 1))
    broken = next(n for n, line in enumerate(path.read_text().splitlines(), 1) if "weather" in line)
    assert records.read([path])[1] == [f"{path}:{broken}: unknown kind 'weather'; the line is left out"]
    path.write_text(records.document({"answer": []}, []))
    assert records.read([path]) == ([], []) and json.loads(path.read_text())["records"] == []
    with records.Writer(path) as writer:  # JSON lines may be called so, too
        writer.write(row())
    assert len(records.read([path])[0]) == 1


HEAD = {"kind": "machine", "id": "new", "host": {}}
FAILURE = {"kind": "failure", "what": WHAT, "where": WHERE, "how": {"run": 0, "stopped": "no answer"}}


def test_old_results_give_way_to_the_first_new_one_and_not_before(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    with records.Writer(path) as writer:
        writer.write(row(how={"run": 7}))
    old = path.read_text()
    with records.Writer(path) as writer:
        writer.write(HEAD)
        writer.write(FAILURE)
        assert path.read_text() == old
    assert path.read_text() == old and not writer.begun
    with records.Writer(path) as writer:
        writer.write(HEAD)
        writer.write(FAILURE)
        writer.write(row())
        assert [r["kind"] for r in records.read([path])[0]] == ["machine", "failure", "overhead"]
        writer.write(row())
    rows, complaints = records.read([path])
    assert rows == writer.rows and [r["kind"] for r in rows] == ["machine", "failure", "overhead", "overhead"]
    assert writer.begun and not complaints


def test_a_file_without_results_is_written_at_once(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    for _ in range(2):
        with records.Writer(path) as writer:
            writer.write(HEAD)
            writer.write(FAILURE)
            assert len(path.read_text().splitlines()) == 2


def test_what_is_no_record_is_kept_as_well(tmp_path: Path):
    path = tmp_path / "thesis.txt"
    path.write_text("half a li")
    with records.Writer(path) as writer:
        writer.write(HEAD)
    assert path.read_text() == "half a li"


def test_pipes_are_written_as_files_are():
    out, into = os.pipe()
    with records.Writer(Path(f"/dev/fd/{into}")) as writer:
        writer.write(HEAD)
        assert os.read(out, 1 << 16).endswith(b"\n")
        writer.write(row())
    assert writer.rows[-1]["kind"] == "overhead" and b"overhead" in os.read(out, 1 << 16)


def test_what_cannot_be_written_is_named(tmp_path: Path):
    with (
        pytest.raises(Unwritable, match="cannot write /dev/full: No space left"),
        records.Writer(Path("/dev/full")) as w,
    ):
        w.write(HEAD)
    with pytest.raises(Unwritable, match=f"cannot write {tmp_path}: Is a directory"):
        records.Writer(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(Unwritable, match="file/records.jsonl: Not a directory"):
        records.Writer(tmp_path / "file" / "records.jsonl")


def test_records_of_a_sitting_are_read_as_those_of_a_session(tmp_path: Path):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    with records.Writer(new) as writer:
        writer.write({"kind": "machine", "id": "s", "host": {}})
        writer.write(row(session="s"))
    old.write_text(new.read_text().replace('"session"', '"sitting"'))
    assert '"sitting": "s"' in old.read_text()
    assert records.read([old]) == records.read([new])


MEASUREMENTS = sorted((Path(__file__).parents[3] / "docs" / "measurements").glob("*.jsonl"))


@pytest.mark.parametrize("file", MEASUREMENTS, ids=lambda file: file.name)
def test_published_records_are_read_without_loss(file: Path):
    rows, complaints = records.read([file])
    assert not complaints and len(rows) == len(file.read_text().splitlines())
    known = {r["id"] for r in rows if r["kind"] == "machine"}
    assert {r["session"] for r in rows if r["kind"] == "overhead"} <= known | {"predicted"}


# Ctrl-C between the lists of one sample: the row keeps those that are whole.
@pytest.mark.parametrize("added", range(1, 6))
def test_a_sample_that_was_not_added_to_all_lists_is_none(added: int):
    names = [*records.LISTS, *records.PROBES]
    lists = {name: [1.0, 2.0] for name in names}
    for name in names[:added]:
        lists[name].append(3.0)
    assert records.whole(lists) == {name: [1.0, 2.0] for name in names}
    of_first = {name: [1.0] for name in names[: len(records.LISTS) + 1]}  # not both probes
    assert records.whole(of_first) == {name: [1.0] for name in records.LISTS}
    assert records.whole({name: [] for name in records.LISTS}) == {name: [] for name in records.LISTS}
