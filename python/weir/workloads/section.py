"""What the page shows of whole programs."""

from collections.abc import Sequence
from dataclasses import replace

from weir.base.papers import NANJEGOWDA, cited
from weir.base.parts import Chart, LeftOut, Section, Subject, failed_runs
from weir.base.records import Row
from weir.base.statistics import FEWEST
from weir.workloads import charts, tables
from weir.workloads.conclusions import conclusions
from weir.workloads.findings import finding, targets
from weir.workloads.results import Results
from weir.workloads.rows import is_of_workloads
from weir.workloads.situations import TITLES

TARGETS = (
    "Times in rounds in which each runtime ran once. “No program slower”: the time on Weir's runtime is at most "
    "1.02 of that on the program's own; beside busy processes 1.05 of that on the faster of its own and libomp. The "
    "gain is the time on its own runtime in that on Weir's. “Reached” and "
    "“missed”: the whole 95 % interval is on that side of the limit, for “no program slower” of each program; "
    f"“within the noise”: an interval holds the limit. An interval takes {FEWEST} rounds. Below each are the "
    "programs that decide."
)
BARRIERS = (
    f"As table 3 of {cited(NANJEGOWDA)}: the barrier with the least median time, of those compared, for each program "
    "and team size, on Weir's runtime with kernel threads (WEIR_BARRIER). In parentheses 95 % intervals; the ratio "
    "is by rounds. Barriers whose ratio to the best has 1 in its interval are not told from it."
)
CONCLUSIONS = (
    "What the papers that Weir repeats concluded, and what these records say of it: agrees, by the test below the "
    "verdict, differs, or was not measured. Programs with too few rounds for an interval do not count."
)
FIGURE = (
    f"As figure 2 of {NANJEGOWDA}: the time of the program's computation, on Weir's runtime with kernel threads, by "
    "barrier. The work is the same with each team; in the program intervals each thread has as much. Bars: 95 % "
    "intervals."
)
TIMES = (
    "Medians of the program's time, in each situation; left is faster. Bars: 95 % intervals. A runtime without a point "
    "did not end in time."
)
GAINS = (
    "The time on the program's own runtime, in that on Weir's in the same round; right of the dashed line the "
    "program is faster on Weir's runtime. In parentheses the team's size. Bars: 95 % intervals."
)
SITUATIONS = (
    "The same as tables. Green: faster on Weir's runtime, by the whole interval; red: slower by more than 2 % (beside "
    "busy processes by more than 5 % than on the faster of its own and libomp). The mean is of the programs; its "
    "interval resamples the rounds. By hand: the program as it is, with as many threads as given, and with "
    "one, two and as many as processors; the best has the least median time."
)
BEST = (
    "Weir's default, which chooses while the program runs, against what could be fixed beforehand: kernel threads with "
    "each barrier, user-level members, the default without trials, and the default on one processor. The best has the "
    "least median time, which favours it: it is chosen after the measurement. Green: at most 1.03 of its time, by the "
    "whole interval; red: more."
)
SHARES = (
    "One run of each, apart from those that are timed: its directives counted, and priced by the OpenMP suite on "
    "the same runtime with the same team. Waiting in loops of a program's own is not counted, nor waiting for "
    "threads that have more to do."
)


def sections(rows: Sequence[Row]) -> list[Section]:
    results = Results(rows)
    found = targets(rows)
    made = []
    if found:
        made.append(Section("What Weir must reach", TARGETS, [tables.of_targets(found)], judges=True))
    if (drawn := charts.by_runtime(results)) is not None:
        made.append(Section(parts=[Chart("workloads-times", "Times on each runtime", drawn, TIMES)]))
    if (best := tables.of_barriers(results)).rows:
        made.append(Section("The best barrier for each program and team size", BARRIERS, [best]))
        made.append(
            Section(
                parts=[Chart("workloads-barriers", "Time by barrier and team size", charts.by_barrier(results), FIGURE)]
            )
        )
    if (held := tables.of_conclusions(conclusions(rows))).rows:
        made.append(Section("What the papers concluded", CONCLUSIONS, [held], judges=True))
    if (drawn := charts.gains(results)) is not None:
        made.append(Section(parts=[Chart("workloads-gains", "What programs gain in each situation", drawn, GAINS)]))
    by_situation = [table for name in results.situations if (table := tables.of_situation(results, name)).rows]
    if by_situation:
        made.append(Section("Programs in each situation", SITUATIONS, by_situation))
    if (fixed := tables.of_best(results)).rows:
        made.append(Section(fixed.title, BEST, [replace(fixed, title="")]))
    if (shares := tables.of_shares(results)).rows:
        made.append(Section("Share of time spent synchronising", SHARES, [shares]))
    return made


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    return failed_runs(filter(is_of_workloads, rows), lambda row: row["what"]["id"], _where)


def _where(row: Row) -> str:
    name = row["where"]["situation"]
    return f"{row['where']['members']} threads, {TITLES.get(name, name)}"


SUBJECT = Subject(
    name="Programs",
    title="Programs",
    heading="Whole programs on their own runtime and on Weir's",
    about="Programs that check their own results{on}, on the OpenMP runtime that they were built for and on Weir's: "
    "alone, and where processors are shared.",
    wants=lambda rows: any(map(is_of_workloads, rows)),
    sections=sections,
    left_out=left_out,
    finding=finding,
    picture=lambda rows: charts.by_runtime(Results(rows)),
    texts={".csv": tables.as_csv},
)
