"""What `weir advise` shows of its measurements and predictions."""

from weir.advising import advice
from weir.advising.results import Point, Session
from weir.advising.sizes import Size
from weir.advising.telling import seconds
from weir.base.parts import Table
from weir.base.screen import times
from weir.run.measuring import OWN, WEIR


def all_of(its: Session) -> list[Table]:
    return [table for table in (measured(its), predicted(its), settings(its)) if table.rows]


def measured(its: Session) -> Table:
    rows = []
    shown = [point for point in its.points.values() if point.side in (OWN, WEIR)]
    for point in sorted(shown, key=_place):
        figures = [seconds(point.least), seconds(point.median)] if point.times else ["–", point.failed]
        rows.append([its.sides[point.side], point.size.words(), *figures, str(len(point.times))])
    return Table("Measured", ["on", "threads and processors", "least", "median", "runs"], rows, words=(0, 1))


def _place(point: Point) -> tuple:
    size = point.size
    return point.side != OWN, size.quota or 0, size.processors, size.members


def predicted(its: Session) -> Table:
    rows = []
    for side in (OWN, WEIR):
        for size, time, (low, high) in advice.farther(its, side):
            rows.append([its.sides[side], size.words(), seconds(time), f"{seconds(low)} … {seconds(high)}"])
    return Table("Predicted", ["on", "threads and processors", "time", "range"], rows, words=(0, 1))


def settings(its: Session) -> Table:
    rows = [[one.name, times(one.ratio)] for one in advice.settings(its, Size(its.processors, its.processors))]
    return Table("Variables", ["set", "takes of its time"], rows)
