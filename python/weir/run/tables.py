"""What `weir run --compare` and `weir run --check` show."""

from rich.text import Text

from weir.base import parts
from weir.base.screen import Table, nanoseconds, times
from weir.run.comparison import Comparison, pairs_in_words
from weir.run.measuring import STREAMS, WEIR
from weir.run.needs import Needs
from weir.run.starting import LIBRARY

ROWS = (
    ("wall_s", "wall time"),
    ("processor_s", "processor time"),
    ("voluntary", "voluntary switches"),
    ("involuntary", "involuntary switches"),
    ("minor_faults", "page faults, minor"),
    ("major_faults", "page faults, major"),
)

# System calls of Weir's that a program with threads need not make itself: the table in src/system/filter.hpp.
UNUSUAL_CALLS = (
    "membarrier", "process_vm_readv", "close_range", "sched_getattr", "sched_setattr", "ioprio_get", "mremap", "capget",
    "personality", "setfsuid", "setfsgid", "get_mempolicy", "rt_tgsigqueueinfo", "rt_sigpending", "rt_sigtimedwait",
    "timer_create", "timer_settime", "timer_delete", "sigaltstack", "sched_setaffinity", "sched_yield", "clock_gettime",
    "ppoll",
)  # fmt: skip


def figures(c: Comparison, where: str) -> parts.Table:
    """Medians of a run; the ratios are by pairs of runs."""
    runs = f": {pairs_in_words(len(c.pairs))} of runs in turn" if c.pairs else ""
    rows = []
    for name, words in ROWS:
        if (figure := c.figure(name)) is None:
            continue
        show = (lambda v: nanoseconds(1e9 * v)) if name.endswith("_s") else (lambda v: f"{v:,.0f}")
        rows.append([words, show(figure.own), show(figure.weir), times(figure.ratio) if figure.ratio else "–"])
    rows.append(["exit status", c.statuses(c.other), c.statuses(WEIR), ""])
    heads = ["median of a run", f"on {c.own}", f"on {c.instead}", "ratio (95 %)"]
    return parts.Table(f"{c.program}{runs}{where and ', ' + where}", heads, rows)


def table(c: Comparison, where: str) -> Table:
    """The same for the terminal."""
    shown = figures(c, where)
    made = Table(title=Text(shown.title), title_justify="left", title_style="bold")
    for number, head in enumerate(shown.heads):
        made.add_column(head, justify="left" if number in shown.words else "right")
    for row in shown.rows:
        made.add_row(*map(Text, row))
    return made


def outputs(c: Comparison) -> list[str]:
    return [f"{stream}: {c.output(stream)}." for stream in STREAMS]


def needs(seen: Needs) -> Table:
    table = Table(title=f"What it needs of {LIBRARY}", title_justify="left", title_style="bold")
    for head in ("function", "version", "asked for by", "there"):
        table.add_column(head, overflow="fold")
    for need in seen.found:
        missing = f"[bold red]missing[/]{f': {need.left_out}' if need.left_out else ''}"
        there = "yes" if need.there else "no, and it can do without" if need.symbol.weak else missing
        table.add_row(need.symbol.name, need.symbol.version, need.by.name, there)
    return table


def lacks(seen: Needs) -> list[str]:
    """Why the program cannot run on Weir's runtime, and what to do: a sentence each."""
    missing, total = seen.missing, len(seen.found)
    said = [f"{len(missing)} of {total} are missing: it would end, or not begin, with an undefined symbol."]
    for standard in sorted({need.left_out for need in missing if need.left_out}):
        names = ", ".join(need.symbol.name for need in missing if need.left_out == standard)
        said.append(f"This is {standard}, which Weir does not implement: {names}.")
    newer = "" if all(need.left_out for need in missing) else ", or build a newer Weir"
    return [*said, f"Run it on the runtime it was built for{newer}."]


def calls() -> str:
    """For who writes a filter of system calls."""
    return (
        f"A filter of system calls (seccomp) should allow beside the program's own: {', '.join(UNUSUAL_CALLS)}, prctl."
    )
