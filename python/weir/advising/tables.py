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


def all_of(session: Session) -> list[Table]:
    """For the terminal."""
    return [table for table in (*measured(session), *predicted(session), settings(session)) if table.rows]


def measured(session: Session) -> list[Table]:
    """One of each runtime."""
    heads = ["threads", "processors", "least", "median", "runs", "from the others", "off by"]
    made = []
    for side in (OWN, WEIR):
        shown = sorted((point for point in session.points.values() if point.side == side), key=_place)
        title, rows = f"Measured on {session.sides.get(side)}", [_of(session, one) for one in shown]
        made.append(Table(title, heads, rows, words=(), is_open=True))
    return [table for table in made if table.rows]


def _of(session: Session, point: Point) -> list[str]:
    figures = [seconds(point.least), seconds(point.median)] if point.times else [point.failed, "–"]
    model = session.models.get(point.side)
    crossed = model.best.crossed.get(point.size) if model and point.times else None
    said = [seconds(crossed), f"{crossed / point.least - 1:+.0%}"] if crossed is not None else ["–", "–"]
    return [*_cells(point.size), *figures, str(len(point.times)), *said]


def _cells(size: Size) -> list[str]:
    quota = f", quota {size.quota:g}" if size.quota is not None else ""
    return [str(size.threads or "–"), f"{size.processors}{quota}"]


def _place(point: Point) -> tuple:
    size = point.size
    return size.quota or 0, size.processors, size.members


def predicted(session: Session) -> list[Table]:
    made = []
    for side in session.models:
        rows = [
            [*_cells(one.size), seconds(one.seconds), f"{seconds(one.low)} … {seconds(one.high)}"]
            for one in advice.farther(session)
            if one.side == side
        ]
        made.append(Table(f"Predicted on {session.sides[side]}", PREDICTED, rows, words=(), is_open=True))
    return made


def settings(session: Session) -> Table:
    rows = [[one.name, times(one.ratio)] for one in advice.settings(session, _whole(session))]
    return Table("", ["variable", "time with it, in that without"], rows)


def settings_about(session: Session) -> str:
    return PAIRS.format(where=_whole(session).words())


def _whole(session: Session) -> Size:
    return Size(session.processors, session.processors)


def staircase(session: Session) -> Table:
    trace = session.trace
    rows = [[str(p), seconds(s), two_digits(trace.computing_s / s)] for p, s in trace.seconds.items() if s > 0]
    return Table("", ["processors", f"{trace.threads} threads compute", "times as fast"], rows, words=())
