"""`weir run --compare --export`: what the comparison found, as weir.base.exports writes it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import mean, stdev

from weir.base import others
from weir.base.exports import Export
from weir.base.hosts import described
from weir.base.parts import Chart, Section, Table
from weir.base.records import Row
from weir.base.statistics import median_interval
from weir.run import rows, tables, unlike
from weir.run.comparison import FIGURES, Comparison
from weir.run.measuring import WEIR, Conditions, Kept, Measured, Side
from weir.run.sides import Sides

PICTURE = (
    "Each dot is a run. The diamond is the median of the runs that count, the bar its 95 % interval, where there "
    "are runs enough for one."
)


@dataclass(frozen=True)
class Session:
    """One comparison of several sides, when it has ended. `load`: the rows of what other programs had meanwhile."""

    id: str
    begun: str  # UTC
    sides: Sides
    where: Conditions
    threads: int | None  # that the program was asked to have
    done: Measured
    kept: Kept
    load: Sequence[Row]

    @cached_property
    def found(self) -> list[Comparison]:
        """Of Weir's side with each of the others."""
        program, weir = self.sides.program, self.sides.weir.title
        return [
            Comparison(self.done.trials, self.kept, program, side.title, weir, side.name) for side in self.sides.others
        ]

    def notes(self) -> list[str]:
        """What a reader must know to judge the answer."""
        made = unlike.notes(self.sides.all, self.done.trials)
        if (share := others.disturbed(self.load)) is not None:
            made.insert(0, f"Other programs had {share:.0%} of the processors meanwhile: the answer is for this "
                           "situation. Repeat the comparison on an idle machine.")  # fmt: skip
        return made

    def meanwhile(self) -> str:
        """What other programs had, much or little."""
        if not self.load:
            return "not known: this system does not count it"
        row = self.load[0]
        whole = row["processors"] * row["seconds"]
        stolen = f", the hypervisor {row['stolen_s'] / whole:.1%}" if row["stolen_s"] > 0 else ""
        return f"{row['others_s'] / whole:.1%} of {row['processors']} processors{stolen}"

    def picture(self) -> Chart | None:
        from weir.base import pictures  # the drawing library takes a second to load

        title = {side.name: side.title for side in self.sides.all}
        dots = [
            pictures.run(
                title[t.side],
                t.pair,
                1e9 * t.wall_s,
                pictures.FAILED if t.failed else pictures.COUNTS if t.counted else pictures.LEFT_OUT,
            )
            for t in sorted(self.done.trials, key=lambda t: [s.name for s in self.sides.all].index(t.side))
        ]
        medians = {side.title: median_interval([[1e9 * s] for s in seconds]) for side in self.sides.all
                   if (seconds := self.done.times(side))}  # fmt: skip
        drawn = pictures.runs(dots, medians, "wall time of a run")
        return Chart("runs", "", drawn, PICTURE)

    def heading(self) -> str:
        said = self.where.words()
        names = " and ".join(side.title for side in self.sides.all)
        return f"{Path(self.sides.program).name} on {names}" + (f", {said}" if said else "")

    def sections(self) -> list[Section]:
        said = self.where.words()
        shown = [one for one in self.found if one.trials]
        made = [Section("Medians", "", [_for_page(tables.figures(one, said)) for one in shown])]
        printed = [[f"{one.own}, {one.instead}", *(one.output(stream) for stream in tables.STREAMS)] for one in shown]
        made.append(Section("Output", "", [Table("", ["on", *tables.STREAMS], printed, words=(0, 1, 2))]))
        failed = [[side.title, line] for side in self.sides.all for line in self.last_words(side)]
        if failed:
            made.append(Section("What failed runs wrote last", "", [Table("", ["on", "line"], failed, words=(0, 1))]))
        return [*made, Section("Conditions", "", [self._conditions()])]

    def last_words(self, side: Side) -> list[str]:
        one = next(ratio for ratio in self.found if side.name in (ratio.other, WEIR))
        return one.last_words(side.name)

    def _conditions(self) -> Table:
        where, done = self.where, self.done
        pairs = len({t.pair for t in done.trials if t.counted})
        told = [
            ("command", rows.command(self.sides)),
            ("begun", self.begun.replace("T", " ").replace("+00:00", " UTC")),
            ("in turn", f"{pairs} runs on each side count, of {done.planned} planned, in an order that was drawn"),
            ("threads", str(self.threads or "as the program chooses")),
            ("CPU quota", f"{where.quota:g} processors" if where.quota else "none"),
            ("beside", f"{where.beside} busy processes" if where.beside else "no busy processes"),
            ("copies at once", str(where.copies)),
            ("other programs had", self.meanwhile()),
            *((f"on {side.title}", _variables(side)) for side in self.sides.all),
        ]
        return Table("", ["condition", "value"], [list(pair) for pair in told], words=(0, 1))

    def export(self, host: Row) -> Export:
        machine = rows.machine(self.id, self.begun, self.sides, self.where, self.done, host)
        by_name = {side.name: side for side in self.sides.all}
        trials = [
            rows.trial(self.id, self.sides, by_name[t.side], self.where, self.threads, t) for t in self.done.trials
        ]
        return Export(
            title=f"{self.sides.program} compared",
            heading=self.heading(),
            answer=[one.sentence() for one in self.found],
            notes=self.notes(),
            sections=self.sections(),
            lines=rows.lines(self.sides, self.where, self.threads, self.done),
            records=[machine, *trials, *self.load],
            figures=[*map(self._summary, self.sides.all), *(f for one in self.found for f in _ratios(one))],
            hosts=[described(machine)],
            interrupted=self.done.interrupted,
            picture=self.picture,
        )

    def _summary(self, side: Side) -> Row:
        """Of the wall times that count; nulls where there are too few."""
        seconds = self.done.times(side)
        middle = median_interval([[s] for s in seconds]) if seconds else None
        return {
            "side": side.name, "runtime": side.title, "runs": len(seconds),
            "median_s": middle and middle.value,
            "low_s": middle.low if middle and middle.known else None,
            "high_s": middle.high if middle and middle.known else None,
            "mean_s": mean(seconds) if seconds else None, "stddev_s": stdev(seconds) if len(seconds) > 1 else None,
            "min_s": min(seconds, default=None), "max_s": max(seconds, default=None),
        }  # fmt: skip


def _for_page(table: Table) -> Table:
    """With the ratio second, so that it is in sight on a telephone."""

    def moved(cells: Sequence[str]) -> list[str]:
        return [cells[0], cells[-1], *cells[1:-1]]

    return replace(table, heads=moved(table.heads), rows=list(map(moved, table.rows)), is_open=True)


def _variables(side: Side) -> str:
    return " ".join(f"{name}={value}" for name, value in side.changed.items()) or "no variable is set"


def _ratios(one: Comparison) -> list[Row]:
    """By pairs of runs; with nulls where there are too few."""
    made = []
    for name in FIGURES:
        if (figure := one.figure(name)) is not None:
            ratio = figure.ratio if figure.ratio and figure.ratio.known else None
            made.append({
                "figure": name, "of": one.instead, "to": one.own, "pairs": len(one.pairs),
                "ratio": ratio and ratio.value, "low": ratio and ratio.low, "high": ratio and ratio.high,
            })  # fmt: skip
    return made
