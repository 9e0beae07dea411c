"""The first page of what `make demo` measured: what to know of this machine in three sentences, and the other pages.

python -m weir.report.index FOLDER: writes FOLDER/index.html for the pages and records in it.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from weir.barriers import comparison as barriers
from weir.base import records
from weir.base.outputs import prepare, writing
from weir.base.records import Row
from weir.base.screen import nanoseconds
from weir.base.statistics import Interval
from weir.mpi import comparison as mpi
from weir.openmp import comparison as openmp


@dataclass(frozen=True)
class Subject:
    title: str
    page: str
    records: str
    finding: Callable[[list[Row]], str]


def _against(ratio: Interval | None, other: str) -> str:
    """A ratio of times in words; the samples may not tell."""
    if ratio is None or ratio.low <= 1 <= ratio.high:
        return f"as long as {other}, as far as these samples can tell"
    if ratio.value > 1:
        return f"{ratio.value:.1f} times as long as {other}"
    return f"{ratio.value:.0%} of the time of {other}"


def _most_samples(rows: Sequence[Row]) -> int:
    return sum(len(row["samples"]["episode_ns"]) for row in rows)


def barrier_finding(rows: list[Row]) -> str:
    """Which barrier to take, with a processor for each member and with too few."""
    figures = barriers.figures(rows)
    found = [barriers.Comparison(figures, place) for place in barriers.places(figures)]
    found = [c for c in found if c.default and c.best_peer and c.place.members > 1]
    words = []
    for oversubscribed in (False, True):
        here = [c for c in found if (c.place.members > c.place.processors) == oversubscribed]
        if not here:
            continue
        most = max(c.place.members for c in here)
        c = max((c for c in here if c.place.members == most), key=lambda c: _most_samples(c.default.rows))
        best, default, peer = c.best_weir, c.default, c.best_peer
        ahead = barriers.ratio(default, best) if best is not default else None
        take = best.name if ahead and ahead.low > 1 else "Weir's default"
        chosen = best if ahead and ahead.low > 1 else default
        cost = nanoseconds(max(chosen.distribution().median.value, 0))
        words.append(
            f"with {c.place.members} threads on {c.place.processors} processors take {take}, which takes "
            f"{cost}, {_against(barriers.ratio(chosen, peer), peer.name)}"
        )
    return _sentence("; ".join(words), "barriers")


def openmp_finding(rows: list[Row]) -> str:
    """On how many constructs Weir's runtime is cheaper than that of the compiler."""
    cheaper = dearer = 0
    barrier = ""
    found = openmp.constructs(rows)
    theirs = next((n for n in ("libgomp", "libomp") if any(_cost(c, n) for c in found)), "")
    for c in found:
        ours, other = _cost(c, "weir"), _cost(c, theirs)
        if not ours or not other:
            continue
        cheaper += ours.overhead.high < other.overhead.low
        dearer += ours.overhead.low > other.overhead.high
        if c.name == "barrier":
            costs = [nanoseconds(max(cost.overhead.value, 0)) for cost in (ours, other)]
            barrier = f", a barrier for instance {costs[0]} instead of {costs[1]}"
    compared = sum(bool(_cost(c, "weir") and _cost(c, theirs)) for c in found)
    if not compared:
        return _sentence("", "OpenMP")
    return _sentence(
        f"of {compared} OpenMP constructs, {cheaper} cost less on Weir's runtime than on {theirs}{barrier}, "
        f"{dearer} cost more, and for {compared - cheaper - dearer} these samples cannot tell",
        "OpenMP",
    )


def _cost(construct: openmp.Construct, runtime: str) -> openmp.Cost | None:
    return next((c for c in construct.costs if c.runtime.split()[0].startswith(runtime)), None) if runtime else None


def mpi_finding(rows: list[Row]) -> str:
    """What Weir's barrier takes instead of MPI_Barrier, with the fewest processes and with the most."""
    found = [c for c in mpi.comparisons(rows) if c.place.threads == 1 and c.default and c.find("MPI_Barrier")]
    words = []
    for processes in sorted({c.place.processes for c in found})[:: max(len({c.place.processes for c in found}) - 1, 1)]:
        c = max((c for c in found if c.place.processes == processes), key=lambda c: _most_samples(c.default.rows))
        ratio = c.default.against(c.find("MPI_Barrier"))
        words.append(
            f"with {processes} processes on {c.place.processors} processors Weir's barrier takes "
            f"{nanoseconds(c.default.time.median.value)}, {_against(ratio, f'MPI_Barrier of {c.place.library}')}"
        )
    return _sentence("; ".join(words), "MPI")


def _sentence(words: str, about: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else f"The records cannot tell what is best here for {about}."


SUBJECTS = (
    Subject("Barriers", "report.html", "records.jsonl", barrier_finding),
    Subject("OpenMP", "openmp.html", "openmp.jsonl", openmp_finding),
    Subject("MPI", "mpi.html", "mpi.jsonl", mpi_finding),
)


def samples(rows: Sequence[Row]) -> str:
    """How much the sentence stands on."""
    measured = [row for row in rows if row["kind"] == "overhead"]
    series = {(str(r["what"]), str(r["where"])) for r in measured}
    rejected = sum(row["how"].get("rejected") is not None for row in measured)
    unclean = f", {rejected} of them not clean" if rejected else ""
    return f"{_most_samples(measured):,} samples of {len(series)} series in {len(measured)} runs{unclean}"


def write(folder: Path) -> Path:
    parts = []
    for subject in SUBJECTS:
        path = folder / subject.records
        if not path.exists():
            continue
        rows, _ = records.read([path])
        parts.append(
            {"title": subject.title, "page": subject.page, "finding": subject.finding(rows), "samples": samples(rows)}
        )
    template = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True
    ).get_template("index.html.j2")
    output = folder / "index.html"
    prepare(output)
    with writing(output):
        output.write_text(template.render(parts=parts), encoding="utf-8")
    for part in parts:
        print(part["finding"])
    return output


if __name__ == "__main__":
    print(f"Open {write(Path(sys.argv[1]))} in a browser.")
