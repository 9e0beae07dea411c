"""The parts of pages, and what a subject gives to the page."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from weir.base.records import Row

if TYPE_CHECKING:
    import altair as alt  # takes a second to load, and tables do without


@dataclass(frozen=True)
class Chart:
    name: str  # of the file, if charts are written as pictures
    title: str
    drawn: "alt.TopLevelMixin | None"  # None for a chart of one point, which words describe
    text: str = ""
    kind = "chart"


def distinct(chart: Chart, number: int, condition: str) -> Chart:
    """Where a page shows several machines or settings: which one this chart is of."""
    title = f"{condition[:1].upper()}{condition[1:]}: {chart.title}" if condition else chart.title
    return replace(chart, name=f"{chart.name}-{number + 1}" if number else chart.name, title=title)


class Cell(str):
    """A table's cell with a `note`, in small letters beside it or `below` it; `verdict` is the
    class that colours it: reached or missed."""

    note: str
    below: bool
    verdict: str

    def __new__(cls, text: str, note: str = "", below: bool = False, verdict: str = "") -> "Cell":
        made = super().__new__(cls, text)
        made.note, made.below, made.verdict = note, below, verdict
        return made


VERDICTS = ("verdict", "best", "best barrier")  # how the column of a table's verdicts is headed


@dataclass(frozen=True)
class Table:
    """A table with a title can be folded away; `is_open` says whether it is shown at first."""

    title: str
    heads: list[str]
    rows: list[list[str]]
    kinds: tuple[str, ...] = ()  # of each row: default, weir, peer or mine; none where rows are alike
    words: tuple[int, ...] = (0,)  # the columns that hold words; the others hold numbers
    is_open: bool = False
    kind = "table"

    @property
    def judges(self) -> bool:
        """It has verdicts: a reader sees all of a row at once."""
        return any(word in self.heads for word in VERDICTS) or any(
            getattr(cell, "verdict", "") for row in self.rows for cell in row
        )


def markdown(table: Table) -> str:
    """Its cells as a table of Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"

    rule = "|" + "|".join("---" if i in table.words else "---:" for i in range(len(table.heads))) + "|"
    return "\n".join([line(table.heads), rule, *map(line, table.rows)])


@dataclass(frozen=True)
class Detail:
    """Tables that are folded away together."""

    title: str
    tables: list[Table]
    kind = "detail"


Part = Chart | Table | Detail


@dataclass(frozen=True)
class Section:
    """Parts under one heading, in the order in which they are shown. Without a heading each chart's title is one."""

    heading: str = ""
    text: str = ""
    parts: Sequence[Part] = ()
    judges: bool = False  # by the figures: left out where other programs disturbed them


def charts(sections: Sequence[Section]) -> list[Chart]:
    return [part for section in sections for part in section.parts if isinstance(part, Chart)]


def tables(sections: Sequence[Section]) -> list[Table]:
    return [part for section in sections for part in section.parts if isinstance(part, Table)]


# Why runs are left out, in the order of the page.
FAILED = "runs failed, and gave no figure"
REJECTED = "runs were disturbed"
UNRANKED = "simulated runs gave no figure, or did not keep the contract"
STOPPED = "runs with fewer samples than planned"
REASONS = (FAILED, REJECTED, UNRANKED, STOPPED)


@dataclass(frozen=True)
class LeftOut:
    """A run that is not among the figures, or only in part; `reason` is one of REASONS."""

    reason: str
    name: str
    where: str
    run: int | None
    why: str | None


def disturbed_runs(rows: Iterable[Row], name: Callable[[Row], str], where: Callable[[Row], str]) -> list[LeftOut]:
    """The measured runs that a record says were disturbed: pages and the index count them by this."""
    return [
        LeftOut(REJECTED, name(row), where(row), row["how"]["run"] + 1, row["how"]["rejected"])
        for row in rows
        if row["kind"] == "overhead" and row["how"].get("rejected")
    ]


def failed_runs(rows: Iterable[Row], name: Callable[[Row], str], where: Callable[[Row], str]) -> list[LeftOut]:
    return [
        LeftOut(FAILED, name(row), where(row), row["how"]["run"] + 1, row["how"].get("stopped"))
        for row in rows
        if row["kind"] == "failure"
    ]


def of_runs(what: str, runs: Sequence[LeftOut]) -> Table:
    heads = ["barrier", "where", "run", "why"]
    rows = [[r.name, r.where, "" if r.run is None else str(r.run), str(r.why)] for r in runs]
    return Table(f"{len(runs)} {what}", heads, rows, words=(0, 1, 2, 3))


@dataclass(frozen=True)
class Subject:
    """What a page can be about. Its title, heading and text are those of the page where the subject is the first of
    those that want its rows. `about` has {on} where the processor may be named. `finding`: one sentence for the user of
    this machine; `picture`: a small chart below it."""

    name: str
    title: str
    heading: str
    about: str
    wants: Callable[[Sequence[Row]], bool]
    sections: Callable[[Sequence[Row]], list[Section]]
    left_out: Callable[[Sequence[Row]], list[LeftOut]] = lambda _: []
    finding: Callable[[list[Row]], str] | None = None
    picture: Callable[[Sequence[Row]], "alt.TopLevelMixin | None"] | None = None
    texts: Mapping[str, Callable[[Sequence[Row]], str]] = field(default_factory=dict)  # by a file's suffix
