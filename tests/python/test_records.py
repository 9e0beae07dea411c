from pathlib import Path

import pytest

from weir import records

WHAT = {"family": "weir", "algorithm": "sense", "waiting": "spin"}
WHERE = {"members": 2, "processors": 2, "pinned": True, "load": "none", "delay_ns": 100}


def row(**changes) -> dict:
    lists = {name: [1.0, 2.0] for name in records.LISTS}
    return {"kind": "overhead", "what": WHAT, "where": WHERE, "how": {"run": 0}, "samples": lists, **changes}


def test_what_is_written_is_read(tmp_path: Path):
    path = tmp_path / "deep" / "records.jsonl"
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
