"""What `weir tune` shows of what it found."""

from collections.abc import Sequence

from weir.base.screen import Table, nanoseconds, two_digits
from weir.tuning.judging import Finding
from weir.tuning.plan import Barriers, Team


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in ("threads", "takes", "instead of", "of it") else "left")
    return table


def _bound(team: Team) -> str:
    return "in turn" if team.bound else "no"


def found(findings: Sequence[Finding], title: str) -> Table:
    table = _table(title, "threads", "bound", "barrier", "takes", "instead of", "of it", "")
    for f in findings:
        begins = (str(f.team.members), _bound(f.team))
        if not f.decided:
            table.add_row(*begins, f.usual, "–", "", "", f"not known: {f.undecided}")
        elif f.barrier is None:
            why = f"{f.next_best} is the next" if f.next_best else "no other came close"
            table.add_row(*begins, f.usual, nanoseconds(f.usual_ns), "", "", f"as usual; {why}")
        else:
            of_it = two_digits(f.ns / f.usual_ns) if f.usual_ns > 0 else "–"
            usual = f"{nanoseconds(f.usual_ns)}"
            table.add_row(*begins, f.barrier, nanoseconds(f.ns), usual, of_it, f"faster than {f.usual}", style="green")
    return table


def planned(teams: Sequence[Team], barriers: Barriers) -> Table:
    """Of --dry-run."""
    table = _table("What would be measured", "threads", "bound", "barriers, each by turns with the usual one")
    for team in teams:
        table.add_row(str(team.members), _bound(team), ", ".join(s.algorithm for s in barriers.against(team, None)))
    return table
