"""What `weir doctor` shows: sentences, commands, tables; and the same as JSON."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from weir.base.console import printable
from weir.base.screen import nanoseconds
from weir.doctor.judging import Evidence, Verdict
from weir.doctor.sampling import Sample, Seen
from weir.doctor.watching import Watched
from weir.info.tables import ranges

MOST_PROCESSES, MOST_NAMES = 8, 6
RELEVANT = re.compile(
    r"(OMP|GOMP|KMP|LIBOMP|WEIR|MKL|OPENBLAS|BLIS|GOTO|RAYON|POLARS|NUMEXPR)_|(GOMAXPROCS|LD_PRELOAD)$"
)


@dataclass(frozen=True)
class Told:
    watched: Watched
    evidence: Evidence
    verdict: Verdict


def show(told: Told, console: Console) -> None:
    for sentence in told.verdict.sentences:
        _line(console, sentence, bold=True)
    for command in told.verdict.commands:
        _line(console, f"  {command}")
    for note in notes(told.watched):
        _line(console, note)
    if not told.watched.sample.processes:
        return
    console.print()
    console.print(_figures(told))
    if told.watched.sample.pools:
        console.print(_pools(told.watched.sample))
    if len(told.watched.sample.processes) > 1:
        console.print(_processes(told.watched.sample))


def _line(console: Console, text: str, bold: bool = False) -> None:
    console.print(escape(printable(text)), style="bold" if bold else None, highlight=False, soft_wrap=True)


def notes(watched: Watched) -> list[str]:
    """How it ended, and what was not seen."""
    said = []
    if watched.late:
        ran = f"{watched.sample.seconds:.1f} s"
        said.append(f"weir doctor ended the program after {ran}; --seconds sets how long it may run.")
    elif watched.interrupted:
        said.append("Interrupted; what was found until then is shown.")
    elif watched.status is not None:
        said.append(f"The program {ending(watched.status)}.")
    elif watched.sample.ended:
        said.append("It ended while it was watched.")
    if watched.sample.unread:
        said.append(f"{watched.sample.unread} processes below it belong to other users and were not read.")
    return said


def ending(status: int) -> str:
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"


def _figures(told: Told) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows(told).items():
        table.add_row(name, Text(printable(value)))
    return table


def rows(told: Told) -> dict[str, str]:
    sample, evidence = told.watched.sample, told.evidence
    seconds = max(sample.seconds, 1e-9)
    quota, held = sample.quota, sample.throttled
    waited = "" if evidence.waited is None else f" ({evidence.waited:.0%} of the time in which they could run)"
    found = {
        "watched": f"{sample.seconds:.2f} s",
        "threads": f"{sample.most_threads} at once; {evidence.ran} ran, {len(evidence.busy)} were busy",
        "by name": _names(sample),
        "may run on": f"processors {ranges(sorted(sample.processors))}; "
        + (f"CPU quota of {quota.processors:g}, by {quota.source}" if quota else "no CPU quota"),
        "held back": f"{held.held} of {held.periods} periods, {nanoseconds(1e9 * held.seconds)} in all"
        if held and held.periods
        else "",
        "computed": f"{nanoseconds(1e9 * evidence.cpu_s)}, {evidence.cpu_s / seconds:.2f} processors",
        "waited": "this kernel does not say"
        if evidence.ready_s is None
        else f"{nanoseconds(1e9 * evidence.ready_s)} for a processor{waited}",
        "switches": f"{evidence.voluntary / seconds:,.0f} voluntary and {evidence.involuntary / seconds:,.0f} "
        "involuntary a second",
        "others": f"{sample.foreign_s / seconds:.2f} processors for other programs"
        + (f", {sample.stolen_s / seconds:.2f} taken by the hypervisor" if sample.stolen_s >= 0.005 * seconds else ""),
        "environment": _environment(sample),
    }
    return {name: value for name, value in found.items() if value}


def _names(sample: Sample) -> str:
    counted = Counter(thread.name for thread in sample.threads)
    shown = [f"{count} × {name}" for name, count in counted.most_common(MOST_NAMES)]
    more = len(counted) - len(shown)
    return ", ".join(shown) + (f", and {more} more names" if more > 0 else "")


def relevant(process: Seen) -> dict[str, str] | None:
    """Variables that set how threads are made and how they wait."""
    if process.environment is None:
        return None
    return {name: value for name, value in sorted(process.environment.items()) if RELEVANT.match(name)}


def _environment(sample: Sample) -> str:
    found = [relevant(process) for process in sample.processes[:1]]
    if not found or found[0] is None:
        return "not readable"
    return " ".join(f"{name}={value}" for name, value in found[0].items()) or "nothing set of OMP_* and the like"


def _pools(sample: Sample) -> Table:
    table = Table(title="Loaded", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for head in ("library", "version", "", "file"):
        table.add_column(head, overflow="fold")
    for pool in sample.pools:
        table.add_row(pool.library.name, pool.version, pool.note, Text(pool.path))
    return table


def _processes(sample: Sample) -> Table:
    """Those that computed most."""
    table = Table(title="Processes", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("process", justify="right")
    table.add_column("name", overflow="fold")
    for head in ("threads", "computed", "waited"):
        table.add_column(head, justify="right")
    most = sorted(sample.processes, key=lambda process: -sum(t.cpu_s for t in process.threads))
    for process in most[:MOST_PROCESSES]:
        cpu_s, wanted_s = sum(t.cpu_s for t in process.threads), sum(t.wanted_s for t in process.threads)
        shown = (nanoseconds(1e9 * value) for value in (cpu_s, wanted_s - cpu_s))
        table.add_row(str(process.number), Text(process.name), str(len(process.threads)), *shown)
    if len(most) > MOST_PROCESSES:
        table.add_row("", f"and {len(most) - MOST_PROCESSES} more", "", "", "")
    return table


def as_json(told: Told) -> dict[str, Any]:
    watched, evidence, verdict = told.watched, told.evidence, told.verdict
    sample, held = watched.sample, watched.sample.throttled
    return {
        "schema": "weir-doctor/1",
        "answer": verdict.answer,
        "sentences": list(verdict.sentences),
        "commands": list(verdict.commands),
        "watched_s": sample.seconds,
        "status": None if watched.late else watched.status,
        "ended_by_us": watched.late,
        "interrupted": watched.interrupted,
        "threads": {"most": sample.most_threads, "ran": evidence.ran, "busy": len(evidence.busy)},
        "processors": sorted(sample.processors),
        "quota": {"processors": sample.quota.processors, "source": sample.quota.source} if sample.quota else None,
        "throttled": {"periods": held.periods, "held": held.held, "seconds": held.seconds} if held else None,
        "cpu_s": evidence.cpu_s,
        "waited_s": evidence.ready_s,
        "switches": {"voluntary": evidence.voluntary, "involuntary": evidence.involuntary},
        "others_s": sample.foreign_s,
        "stolen_s": sample.stolen_s,
        "unread": sample.unread,
        "loaded": [
            {"library": p.library.name, "kind": p.library.kind, "version": p.version, "note": p.note, "file": p.path}
            for p in sample.pools
        ],
        "processes": [
            {
                "number": process.number,
                "name": process.name,
                "executable": process.exe,
                "command": list(process.words),
                "go": process.program.go,
                "static": process.program.static,
                "environment": relevant(process),
                "threads": [
                    {"name": t.name, "cpu_s": t.cpu_s, "waited_s": t.ready_s, "voluntary": t.voluntary,
                     "involuntary": t.involuntary}
                    for t in process.threads
                ],
            }
            for process in sample.processes
        ],
    }  # fmt: skip
