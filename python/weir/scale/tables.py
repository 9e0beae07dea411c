"""Outcomes as records and as tables: for the terminal and the page, and as CSV."""

import csv
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from weir.base.parts import UNRANKED, LeftOut, Table
from weir.base.records import Row
from weir.base.screen import nanoseconds, two_digits
from weir.scale import fields
from weir.scale.measuring import Outcome, Run

BROKEN = "a rank left before all had arrived"
COLUMNS = (
    "cluster", "nodes", "ranks", "per_node", "family", "algorithm", "radix", "fan_in", "fan_out", "within",
    "time_us", "alone_us", "node_us", "ratio",
)  # fmt: skip


def row(run: Run, outcome: Outcome | str) -> fields.Row | fields.Stopped:
    b = run.barrier
    ways, tree = b.algorithm == "dissemination", b.algorithm == "tree"
    common: fields.Stopped = {
        "kind": "scale", "source": "simulated", "cluster": run.cluster.name, "nodes": run.nodes, "ranks": run.ranks,
        "per_node": run.per_node, "family": b.family, "algorithm": b.algorithm, "radix": b.radix if ways else None,
        "fan_in": b.fan_in if tree else None, "fan_out": b.fan_out if tree else None, "within": b.within,
        "name": b.name,
    }  # fmt: skip
    if isinstance(outcome, str):
        return common | {"stopped": outcome}
    times = {"time_ns": outcome.time_ns, "alone_ns": outcome.alone_ns, "node_ns": outcome.node_ns}
    return common | times | {"kept": outcome.kept, "chosen": outcome.chosen}


def place(row: Row) -> tuple[str, int, int]:
    return row["cluster"], row["ranks"], row["per_node"]


def _last(rows: Iterable[Row]) -> list[Row]:
    """Of runs that are the same, the last: there may be several files, or one of them twice."""
    return list({(place(r), r["name"]): r for r in rows if r["kind"] == "scale"}.values())


def _why_not(row: Row) -> str:
    return row.get("stopped") or ("" if row["kept"] else BROKEN)


def ranked(rows: Iterable[Row]) -> list[list[Row]]:
    """The rows of each place, the best first, each with its ratio to it."""
    good = sorted((r for r in _last(rows) if not _why_not(r)), key=lambda r: (place(r), r["time_ns"], r["name"]))
    groups = [list(of) for _, of in groupby(good, place)]
    return [[r | {"ratio": r["time_ns"] / group[0]["time_ns"]} for r in group] for group in groups]


def left_out(rows: Iterable[Row]) -> list[LeftOut]:
    return [LeftOut(UNRANKED, _name(r), _words(r), None, _why_not(r)) for r in _last(rows) if _why_not(r)]


def write_csv(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for group in ranked(rows):
            for r in group:
                shown = r | {f"{k}_us": f"{r[f'{k}_ns'] / 1e3:.3f}" for k in ("time", "alone", "node")}
                shown["ratio"] = f"{r['ratio']:.3f}"
                writer.writerow([shown[c] for c in COLUMNS])


def _name(row: Row) -> str:
    return ("Weir " if row["family"] == "Weir" else "") + row["name"]


def _words(row: Row) -> str:
    return f"{row['cluster']}: {row['ranks']:,} ranks, {row['per_node']} on a node"


def as_table(group: list[Row]) -> Table:
    """Of one cluster, number of ranks and of processes on a node, the best first."""
    heads = ["barrier", "in a row", "alone", "node", "ratio"]
    rows = [
        [
            _name(r),
            *(nanoseconds(r[k]) if r[k] else "" for k in ("time_ns", "alone_ns", "node_ns")),
            two_digits(r["ratio"]),
        ]
        for r in group
    ]
    kinds = ("default" if r["algorithm"] == "auto" else "peer" if r["family"] == "SMPI" else "weir" for r in group)
    return Table(_words(group[0]), heads, rows, tuple(kinds))
