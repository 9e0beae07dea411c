"""What `weir tune` shows of what it found."""

from collections.abc import Sequence
from dataclasses import replace

from weir.base.screen import Table, nanoseconds, two_digits
from weir.tuning.judging import Finding
from weir.tuning.plan import Barriers, Team


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in ("threads", "takes", "of it") else "left")
    return table


def _bound(team: Team) -> str:
    return "in turn" if team.bound else "no"


def found(findings: Sequence[Finding], title: str) -> Table:
    table = _table(title, "threads", "bound", "usual", "takes", "faster", "takes", "of it")
    of_both = {replace(f, team=Team(f.team.members, False)) for f in findings if f.team.bound} & set(findings)
    for f in findings:
        if f.team.bound and replace(f, team=Team(f.team.members, False)) in of_both:
            continue  # as in a simulation, where no thread leaves its processor
        begins = (str(f.team.members), "either" if f in of_both else _bound(f.team), f.usual)
        if not f.decided:
            table.add_row(*begins, "", f"not known: {f.undecided}", "", "")
        elif f.barrier is None:
            table.add_row(*begins, nanoseconds(f.usual_ns), "none", "", "")
        else:
            of_it = two_digits(f.ns / f.usual_ns) if f.usual_ns > 0 else ""
            table.add_row(*begins, nanoseconds(f.usual_ns), f.barrier, nanoseconds(f.ns), of_it, style="green")
    return table


def planned(teams: Sequence[Team], barriers: Barriers) -> Table:
    """Of --dry-run."""
    table = _table("What would be measured", "threads", "bound", "barriers, each by turns with the usual one")
    for team in teams:
        table.add_row(str(team.members), _bound(team), ", ".join(s.algorithm for s in barriers.against(team, None)))
    return table
