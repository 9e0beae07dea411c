"""The four answers of `weir predict`: the formulas' values as rows, records and a chart."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from weir.base.places import on_fullest
from weir.prediction import formulas
from weir.prediction.delivery import Prediction, chart
from weir.prediction.records import record, words

SEVERAL = "give several compute times, such as --compute-ms 0:60:2"
BAR = 24  # characters, at most


def processors(threads: int, available: int) -> Prediction:
    useful = formulas.useful_processors(threads, available)
    steps = formulas.staircase(threads)
    fullest = on_fullest(threads, available)
    here = min(available, threads)
    width = min(threads, BAR)
    rows: list[dict[str, Any]] = [
        {
            "least": s.least,
            "most": s.most,
            "processors": str(s.least) if s.least == s.most else f"{s.least} to {s.most}",
            "threads": s.threads,
            "bar": "█" * max(1, round(s.threads * width / threads)),
            "here": "here" if s.least <= here <= s.most else "",
        }
        for s in steps
    ]
    note = f"All {available} are of use: with one fewer the fullest processor has more than {fullest} threads."
    if useful < available:
        either = f"either way the fullest has {fullest} of {threads} threads"
        note = f"{useful} processors do as well as {available}: {either}."

    def draw() -> Any:
        from weir.prediction import charts  # the drawing libraries take a second to load

        return charts.staircase(steps, here, useful)

    return Prediction(
        "processors",
        f"{threads} threads on up to {threads} processors",
        {"threads": threads, "available": available, "useful": useful, "threads_on_fullest": fullest},
        {"processors": "processors", "threads": "threads on the fullest", "bar": "time of a barrier", "here": ""},
        rows,
        [note],
        [
            record(("any", "none", "staircase"), (threads, p), Fraction(1), Fraction(s.threads), "ceil(M/P) T")
            for s in steps
            for p in range(s.least, s.most + 1)
        ],
        draw,
        table_only=("processors", "bar", "here"),
    )


def _spinning_row(threads: int, quantum: float, compute: Fraction, barriers: int) -> dict[str, Any]:
    row: dict[str, Any] = {"compute_ms": compute, "total_ms": formulas.recurrence(quantum, compute, barriers)[-1]}
    row["recurrence_ms"] = row["total_ms"] / barriers
    p = formulas.pattern(quantum, compute)
    row["pattern"] = f"{p.barriers} in {p.quanta}"
    row["closed_form_ms"] = formulas.closed_form(quantum, compute, barriers) / barriers
    row["approximation_ms"] = formulas.approximation(quantum, compute, barriers) / barriers
    if formulas.tree_levels(threads) > 1:
        quanta = formulas.tree_quanta(threads, quantum, compute)
        row["tree_ms"] = quanta * formulas.exact(quantum, "the quantum")
    row["own_ms"] = 2 * compute
    return row


def spinning(
    threads: int, processors: int, quantum_ms: float, compute_ms: Sequence[Fraction], barriers: int
) -> Prediction:
    formulas.check_shared_by_two(threads, processors)
    if barriers * len(compute_ms) > formulas.MOST_QUANTA:
        raise ValueError(f"--barriers {barriers} for each of {len(compute_ms)} times of --compute-ms take too long")
    rows = [_spinning_row(threads, quantum_ms, t, barriers) for t in compute_ms]
    notes = [
        "Milliseconds for one barrier, on the average, with T of computing. R in L: barriers in quanta. "
        "Tree: the same team at a tree of fan-in 4. 2 T: what two threads on one processor compute."
    ]
    if len(rows) == 1:
        notes.append(f"{barriers} barriers take {words(rows[0]['total_ms'])} ms by the recurrence.")
    inputs = {"quantum_ms": quantum_ms, "barriers": barriers}
    by_formula = {"recurrence": "t_n = min(floor(t_{n-1}) + 1, t_{n-2} + Q)", "approximation": "N Q L / R"}
    lines = {
        "recurrence_ms": ("central, recurrence", ""),
        "approximation_ms": ("central, approximation", "estimate"),
        "tree_ms": ("tree, fan-in 4", ""),
        "own_ms": ("computing alone", "floor"),
    }
    return Prediction(
        "spinning",
        f"{threads} threads on {processors} processors spin at a central barrier, quantum {quantum_ms:g} ms",
        {"threads": threads, "processors": processors, **inputs},
        {
            "compute_ms": "T",
            "recurrence_ms": "recurrence",
            "closed_form_ms": "closed form",
            "approximation_ms": "approximation",
            "pattern": "R in L",
            "tree_ms": "tree",
            "own_ms": "2 T",
        },
        rows,
        notes,
        [
            record(("central", "spin", name), (threads, processors), row["compute_ms"], row[f"{name}_ms"], formula,
                   **inputs)
            for row in rows
            for name, formula in by_formula.items()
        ],
        chart(lines, rows, "one barrier, ms"),
        SEVERAL,
    )  # fmt: skip


def tree(members: int, processors: int, fan_in: int, quantum_ms: float, compute_ms: Sequence[Fraction]) -> Prediction:
    formulas.check_shared_by_two(members, processors)
    levels = formulas.tree_levels(members, fan_in)
    rows: list[dict[str, Any]] = []
    for compute in compute_ms:
        quanta = formulas.tree_quanta(members, quantum_ms, compute, fan_in)
        tree_ms = quanta * formulas.exact(quantum_ms, "the quantum")
        rows.append({"compute_ms": compute, "quanta": quanta, "tree_ms": tree_ms, "own_ms": 2 * compute})
    inputs = {"fan_in": fan_in, "quantum_ms": quantum_ms}
    return Prediction(
        "tree",
        f"{members} threads on {processors} processors spin at a tree barrier, quantum {quantum_ms:g} ms",
        {"members": members, "processors": processors, **inputs, "levels": levels},
        {
            "compute_ms": "computing, ms",
            "quanta": "quanta",
            "tree_ms": "one barrier, ms",
            "own_ms": "computing alone, ms",
        },
        rows,
        [f"{levels} levels at fan-in {fan_in}; each may cost a thread's wait for its next quantum."],
        [
            record(("tree", "spin", "levels"), (members, processors), row["compute_ms"], row["tree_ms"],
                   "ceil(log_f M) ceil(T/Q) Q", quantum_ms=quantum_ms, fan_in=fan_in)
            for row in rows
        ],
        chart({"tree_ms": ("tree", ""), "own_ms": ("computing alone", "floor")}, rows, "one barrier, ms"),
        SEVERAL,
    )  # fmt: skip


def blocking(
    members: int,
    processors: int,
    fan_in: int,
    switch_us: float,
    compute_ms: Sequence[Fraction],
    barriers: Sequence[str],
) -> Prediction:
    switch = formulas.exact(switch_us, "the time of a context switch") / 1000
    rows: list[dict[str, Any]] = []
    for name in barriers:
        for compute in compute_ms:
            b = formulas.blocking(name, members, processors, switch, compute, fan_in)
            rows.append(
                {
                    "barrier": name,
                    "compute_ms": compute,
                    "switches": b.switches,
                    "own_ms": b.compute,
                    "episode_ms": b.episode,
                    "overhead_ms": b.overhead,
                    "overhead": f"{b.share:.1%}" if math.isfinite(b.share) else "–",
                    "share": b.share if math.isfinite(b.share) else None,
                }
            )
    lines = {name: (name, "") for name in barriers}
    drawn = [row | {row["barrier"]: row["share"]} for row in rows]
    return Prediction(
        "blocking",
        f"{members} threads on {processors} processors block, a context switch takes {switch_us:g} µs",
        {"members": members, "processors": processors, "fan_in": fan_in, "switch_us": switch_us},
        {
            "barrier": "barrier",
            "compute_ms": "computing, ms",
            "switches": "switches",
            "own_ms": "computing on the fullest, ms",
            "episode_ms": "one barrier, ms",
            "overhead": "overhead",
        },
        rows,
        ["An upper bound, with a switch wherever there may be one; the closed form is Weir's, not that of the paper."],
        [
            record((row["barrier"], "share", "switches"), (members, processors), row["compute_ms"], row["episode_ms"],
                   "ceil(M/P) T + s c", "Weir", switch_us=switch_us, fan_in=fan_in)
            for row in rows
        ],
        chart(lines, drawn, "overhead, of the computing", percent=True),
        SEVERAL,
    )  # fmt: skip
