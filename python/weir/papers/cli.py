"""`weir papers`."""

from typing import Annotated

from weir.base import options
from weir.base.console import Command, out
from weir.base.options import argument
from weir.papers import catalogue, tables


def papers(
    number: Annotated[
        str | None, argument(options.OneOf(*catalogue.NUMBERS), "PAPER", "Every finding of one paper, by its number.")
    ] = None,
) -> None:
    """What the papers found, and what becomes of it here."""
    if number is None:
        known = catalogue.papers()
        out.print(tables.all_papers(known))
        for name, words in catalogue.VERDICTS.items():
            out.print(f"{name}: {words}", highlight=False)
        return
    paper = catalogue.paper(number)
    out.print(tables.of_paper(paper))
    out.print(tables.in_words([paper]), highlight=False)


COMMAND = Command("papers", papers)
