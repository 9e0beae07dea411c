"""Tables for the screen, and the page docs/papers.md."""

import re
from collections.abc import Sequence

from rich.text import Text

from weir.base.screen import Table
from weir.papers.catalogue import AGREES, DIFFERS, IN_PART, NOT_MEASURED, OPEN, VERDICTS, Finding, Paper

STYLES = {AGREES: "green", IN_PART: "cyan", DIFFERS: "red", NOT_MEASURED: "dim", OPEN: "yellow"}
SEVERAL = {AGREES: "agree", IN_PART: "agree in part", DIFFERS: "differ", OPEN: "are open"}


def all_papers(papers: Sequence[Paper]) -> Table:
    table = Table(title="What the papers found, and what becomes of it: weir papers NUMBER", title_justify="left")
    table.add_column("", no_wrap=True)
    table.add_column("paper")
    for name in ("findings", *VERDICTS):
        table.add_column(name, justify="right")
    for one in papers:
        table.add_row(one.number, one.name, *_counts([one]))
    table.add_row("", "all", *_counts(papers), style="bold")
    return table


def _counts(papers: Sequence[Paper]) -> list[str]:
    return [
        str(sum(len(one.findings) for one in papers)),
        *(str(sum(one.counts[verdict] for one in papers)) for verdict in VERDICTS),
    ]


def _plain(text: str) -> str:
    """Without Markdown's links and quotes of code."""
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("`", "").replace("*", "")


def of_paper(paper: Paper) -> Table:
    table = Table(title=f"{paper.name}: {paper.title}", title_justify="left", show_lines=True)
    for name in ("where", "what it says", "what Weir finds", "verdict"):
        table.add_column(name)
    for one in paper.findings:
        again = "\n".join(one.again)
        found = Text("\n").join(Text(*part) for part in ((_plain(one.found), ""), (again, "dim")) if part[0])
        verdict = Text(one.verdict, style=STYLES[one.verdict])
        reason = Text(f". {_plain(one.reason)}" if one.reason else "")
        table.add_row(one.where, Text(_plain(one.says)), found, verdict + reason)
    return table


def in_words(papers: Sequence[Paper]) -> str:
    """How many there are of each verdict."""
    number, *counts = _counts(papers)
    said = (f"{count} {SEVERAL.get(name, name)}" for count, name in zip(counts, VERDICTS, strict=True) if count != "0")
    return f"{number} findings: {', '.join(said)}."


ABOUT = """# What the papers found, and what becomes of it

The papers whose experiments Weir repeats ([terms.md](terms.md#papers) has their titles), with every table, figure and
conclusion of each: what the paper says, what Weir simulates or measures for it, the verdict with the tolerance and why
it is that one, and the command that makes the figure again. `weir papers` shows the same on the screen.

```sh
weir papers                  # the counts below
weir papers 001              # one paper
weir simulate 001-sunfire    # a figure, made again, within a minute
```

Verdicts of simulated findings are computed from the runs, by the code in `python/weir/simulation/findings`, and those
of measured tables by `python/weir/papers/measured.py`. Tests run every scenario and compare. Other verdicts, and what
stands under *measured*, are of the date and the document that the row names, and have no test.
`scripts/document-papers` writes this page from the lists in `python/weir/papers`.

"""


def page(papers: Sequence[Paper]) -> str:
    """docs/papers.md, as scripts/document-papers writes it."""
    meaning = "".join(f"- **{verdict}**: {words}.\n" for verdict, words in VERDICTS.items())
    heads = ("paper", "findings", *VERDICTS)
    counts = "".join(_line([f"[{p.name}](#{p.number})", *_counts([p])]) for p in papers)
    rule = "|---|" + "---:|" * (len(heads) - 1) + "\n"
    total = _line(["all", *(f"**{count}**" for count in _counts(papers))])
    return ABOUT + meaning + "\n" + _line(heads) + rule + counts + total + "".join(map(_section, papers))


def _section(paper: Paper) -> str:
    head = f"\n## {paper.number}\n\n**{paper.name}: {paper.title}**\n\n{in_words([paper])}\n\n{paper.about.strip()}\n\n"
    columns = ("where", "what the paper says", "what Weir finds", "verdict", "made again by")
    return head + _line(columns) + "|---" * len(columns) + "|\n" + "".join(map(_row, paper.findings))


def _row(one: Finding) -> str:
    again = "<br>".join(f"`{command}`" for command in one.again)
    verdict = f"**{one.verdict}**" + (f": {one.reason}" if one.reason else "")
    return _line([one.where, one.says, one.found, verdict, again])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '∣') for cell in cells)} |\n".replace("|  |", "| |")
