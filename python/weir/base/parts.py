"""What the page's sections are made of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import altair as alt  # takes a second to load, and tables do without


@dataclass(frozen=True)
class Chart:
    name: str  # of the file, if charts are written as pictures
    title: str
    drawn: "alt.TopLevelMixin"
    text: str = ""


@dataclass(frozen=True)
class Table:
    title: str
    heads: list[str]
    rows: list[list[str]]
    kinds: tuple[str, ...] = ()  # of each row: default, weir or peer; none where rows are alike
    words: tuple[int, ...] = (0,)  # the columns that hold words; the others hold numbers


@dataclass(frozen=True)
class Section:
    charts: list[Chart]
    tables: list[Table]
