"""What the counted directives cost: the suite's overheads, and what is not a construct of the suite made of several.

Every price is of one counted event. Team-wide directives are counted once a team; critical sections, locks and tasks by
each thread, as the suite measures them: the threads' directives are one stream.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from weir.profile.counting import Directive, Profile

Overhead = Callable[[str], float]  # nanoseconds of a construct of the suite, with the directive's team size


@dataclass(frozen=True)
class Rule:
    """Of which constructs a price is made, and how. `says` is for the reader."""

    needs: tuple[str, ...]
    price: Callable[[Overhead, int], float]
    says: str


def _itself(construct: str) -> Rule:
    return Rule((construct,), lambda o, _: o(construct), construct)


def _more(whole: str, part: str) -> Rule:
    return Rule((whole, part), lambda o, _: max(0.0, o(whole) - o(part)), f"{whole} less {part}")


def _waits(construct: str) -> Rule:
    """The suite waits for a task on each thread; here the task is counted on its own."""
    return Rule(
        (construct, "task-by-all"),
        lambda o, threads: max(0.0, o(construct) / threads - o("task-by-all")),
        f"{construct} on one thread, less its task",
    )


ITERATIONS = 1024  # of each thread, in the suite's loops
# Of directives that are not priced by the construct of the suite that has their name.
RULES: dict[str, Rule] = {
    "atomic": Rule(("critical",), lambda o, _: o("critical"), "critical: such an update takes a lock"),
    "task": _itself("task-by-all"),
    "for nowait": _more("for", "barrier"),
    "sections nowait": _more("sections", "barrier"),
    "single nowait": _more("single", "barrier"),
    "reduction": _more("reduction", "parallel"),
    "taskwait": _waits("taskwait"),
    "taskgroup": _waits("taskgroup"),
    # LLVM's: what it is made of is counted besides.
    "taskloop of tasks": Rule((), lambda o, _: 0.0, "its tasks and its group, counted on their own"),
    "flush": Rule(("flush",), lambda o, threads: o("flush") / threads, "flush, on one thread"),
    "chunk of a loop": Rule(
        ("schedule-dynamic-n:1", "schedule-static"),
        lambda o, threads: max(0.0, o("schedule-dynamic-n:1") - o("schedule-static")) / (ITERATIONS * threads),
        "a chunk of 1 of schedule(dynamic)",
    ),
}


def rule(directive: str) -> Rule:
    return RULES.get(directive) or _itself(directive)


@dataclass(frozen=True)
class Measured:
    """A construct's overhead. `threads`: of the team that it was measured with."""

    ns: float
    threads: int
    noise: bool


@dataclass(frozen=True)
class Line:
    """One line of the bill."""

    directive: Directive
    count: int
    each_ns: float | None  # None: nothing was measured that would price it
    nearest: bool  # measured with another team size
    noise: bool  # all that it is made of is in the noise

    @property
    def total_ns(self) -> float:
        return self.count * (self.each_ns or 0.0)


Table = Mapping[tuple[str, str], list[Measured]]  # by runtime's path and construct


def needs(directives: list[Directive]) -> dict[tuple[str, int], set[str]]:
    """By runtime and team size, the constructs that must have been measured. Teams of one are priced as well."""
    wanted: dict[tuple[str, int], set[str]] = {}
    for d in directives:
        wanted.setdefault((d.runtime, d.threads), set()).update(rule(d.name).needs)
    return wanted


def bill(counts: Mapping[Directive, int], table: Table) -> list[Line]:
    """The dearest first."""
    lines = [_line(directive, count, table) for directive, count in counts.items()]
    return sorted(lines, key=lambda line: (-line.total_ns, line.directive.name))


def _line(directive: Directive, count: int, table: Table) -> Line:
    made = rule(directive.name)
    used: dict[str, Measured] = {}
    for construct in made.needs:
        known = table.get((directive.runtime, construct), [])
        if not known:
            return Line(directive, count, None, False, False)
        used[construct] = min(known, key=lambda m: (abs(m.threads - directive.threads), m.threads))
    # What is in the noise counts as nothing, rather than as some negative number.
    price = made.price(lambda construct: 0.0 if used[construct].noise else used[construct].ns, directive.threads)
    nearest = any(m.threads != directive.threads for m in used.values())
    return Line(directive, count, price, nearest, bool(used) and all(m.noise for m in used.values()))


def as_json(lines: list[Line], seen: Profile) -> dict:
    rows = [
        {
            "directive": line.directive.name,
            "threads": line.directive.threads,
            "runtime": line.directive.runtime,
            "count": line.count,
            "each_ns": line.each_ns,
            "total_ns": line.total_ns if line.each_ns is not None else None,
            "in_the_noise": line.noise,
            "nearest": line.nearest,
            "priced_by": rule(line.directive.name).says,
        }
        for line in lines
    ]
    return {"schema": "weir-profile/1", "wall_s": seen.wall_s, "status": seen.status, "lines": rows}
