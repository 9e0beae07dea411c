"""Rows of whole programs (docs/records.md): one for each run."""

from typing import Any

from weir.base.records import Row
from weir.run.starting import KINDS
from weir.workloads import fields
from weir.workloads.situations import Cell

RUN, PROFILE = "run", "profile"  # methods: a timed run; one whose directives were counted and priced
DEFAULT = "auto"  # the barrier that Weir's runtime takes by itself
OWN, KERNEL, AUTO = "own", "kernel", "auto"  # the program's own runtime; Weir's, by kinds of threads
# The kind for programs whose threads are not OpenMP's: the first that this Weir has.
ANY = next(kind for kind in ("all", AUTO) if kind in KINDS)
HAND = "hand"  # the program as it is, with other numbers of threads: hand-1, hand-2, ...
# Weir's runtime where nothing is chosen while it runs: kernel threads, by each barrier, and these.
BEST = "best"
USER_FIXED, AUTO_FIXED, ONE_FIXED = FIXED = ("fixed-user", "fixed-auto", "fixed-one")


def row(
    cell: Cell, side: str, version: str, barrier: str, session: str, run: int, method: str, stopped: str | None = None
) -> fields.Row:
    """Without samples: of a run that failed. `version`: what the runtime is called."""
    where, program = cell.situation, cell.program
    by = "" if barrier in ("", DEFAULT) else f"/{barrier}"
    return {
        "kind": "failure",
        "session": session,
        "source": "measured",
        "what": {
            "family": fields.FAMILY, "id": f"{program.name}/{side}{by}", "algorithm": program.name, "waiting": "own",
            "version": version, "group": program.group, "runtime": side, "barrier": barrier,
            "command": " ".join(cell.words), "per_member": program.per_member,
        },
        "where": {
            "members": cell.team, "processors": cell.processors, "pinned": False, "load": cell.load, "delay_ns": 0.0,
            "situation": where.name, "copies": where.copies, "callers": cell.callers,
        },
        "how": {
            "method": method, "run": run, "samples": 0 if stopped else 1, "inner": 1, "rejected": None,
            "complete": not stopped, "stopped": stopped,
        },
    }  # fmt: skip


def timed(
    failed: fields.Row, time_s: float, processor_s: float, waited_s: float | None = None, **how: Any
) -> fields.Row:
    """The row of a run that came to its end. `waited_s`: what its directives cost, if that is known apart."""
    time_ns = round(1e9 * time_s)
    overhead = time_ns if waited_s is None else round(1e9 * waited_s)
    lists = {
        "episode_ns": [time_ns],
        "overhead_ns": [overhead],
        "reference_ns": [time_ns - overhead],
        "cpu_ns": [round(1e9 * processor_s)],
    }
    return failed | {"kind": "overhead", "how": failed["how"] | how, "samples": lists}


def is_of_workloads(row: Row) -> bool:
    return row["kind"] in ("overhead", "failure") and row["what"]["family"] == fields.FAMILY


def by_hand(threads: int) -> str:
    return f"{HAND}-{threads}"


def is_by_hand(runtime: str) -> bool:
    return runtime.startswith(f"{HAND}-")


def is_weirs(runtime: str) -> bool:
    return runtime in KINDS
