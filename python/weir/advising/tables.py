"""What `weir advise` shows of its measurements and predictions."""

from weir.advising import advice
from weir.advising.results import Point, Session
from weir.advising.sizes import Size
from weir.advising.telling import seconds
from weir.base.parts import Table
from weir.base.screen import times, two_digits
from weir.run.measuring import OWN, WEIR

PREDICTED = ["threads", "processors", "time", "range"]
PAIRS = "Pairs of runs of one round, {where}: the time with the variable, in that without."


def all_of(its: Session) -> list[Table]:
    """For the terminal."""
    return [table for table in (*measured(its), *predicted(its), settings(its)) if table.rows]


def measured(its: Session) -> list[Table]:
    """One of each runtime."""
    heads = ["threads", "processors", "least", "median", "runs", "from the others", "off by"]
    made = []
    for side in (OWN, WEIR):
        shown = sorted((point for point in its.points.values() if point.side == side), key=_place)
        title, rows = f"Measured on {its.sides.get(side)}", [_of(its, one) for one in shown]
        made.append(Table(title, heads, rows, words=(), is_open=True))
    return [table for table in made if table.rows]


def _of(its: Session, point: Point) -> list[str]:
    figures = [seconds(point.least), seconds(point.median)] if point.times else [point.failed, "–"]
    model = its.models.get(point.side)
    crossed = model.best.crossed.get(point.size) if model and point.times else None
    said = [seconds(crossed), f"{crossed / point.least - 1:+.0%}"] if crossed is not None else ["–", "–"]
    return [*_cells(point.size), *figures, str(len(point.times)), *said]


def _cells(size: Size) -> list[str]:
    quota = f", quota {size.quota:g}" if size.quota is not None else ""
    return [str(size.threads or "–"), f"{size.processors}{quota}"]


def _place(point: Point) -> tuple:
    size = point.size
    return size.quota or 0, size.processors, size.members


def predicted(its: Session) -> list[Table]:
    made = []
    for side in its.models:
        rows = [
            [*_cells(one.size), seconds(one.seconds), f"{seconds(one.low)} … {seconds(one.high)}"]
            for one in advice.farther(its)
            if one.side == side
        ]
        made.append(Table(f"Predicted on {its.sides[side]}", PREDICTED, rows, words=(), is_open=True))
    return made


def settings(its: Session) -> Table:
    rows = [[one.name, times(one.ratio)] for one in advice.settings(its, _whole(its))]
    return Table("", ["variable", "time with it, in that without"], rows)


def settings_about(its: Session) -> str:
    return PAIRS.format(where=_whole(its).words())


def _whole(its: Session) -> Size:
    return Size(its.processors, its.processors)


def staircase(its: Session) -> Table:
    trace = its.trace
    rows = [[str(p), seconds(s), two_digits(trace.computing_s / s)] for p, s in trace.seconds.items() if s > 0]
    return Table("", ["processors", f"{trace.threads} threads compute", "times as fast"], rows, words=())
