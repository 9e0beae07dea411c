"""What a page shows of the sessions of `weir advise`."""

from collections.abc import Sequence

from weir.advising import charts, tables, telling
from weir.advising.results import Session, is_of_advice, sessions
from weir.base.papers import MARKATOS, cited
from weir.base.parts import Chart, LeftOut, Section, Subject, disturbed_runs, failed_runs
from weir.base.records import Row

PICTURE = (
    "Dots: the least time of the runs with as many threads as processors, and with the largest team; the bar ends at "
    "their median. Lines: what the model predicts, dashed for more processors than this machine has. There the band "
    "holds what the models that fit as well predict, and nothing below what the program's trace allows. It is for "
    "processors like these and a memory that keeps up with them."
)
MODEL = (
    "The model is a sum of a serial part, of work that threads divide (in ⌈M/P⌉ rounds of equal pieces, as section 4.2 "
    "of {paper} has it, or as it comes), and of overheads. “From the others”: what the model predicts of a size when "
    "it does not know that size. A run beside programs that had more than a tenth of its processors does not count, "
    "where others do."
)
TRACE = (
    "{sentence} Thread m is on processor m mod P, and each barrier waits for the processor that computes longest; "
    "overheads are not in it."
)


def sections(rows: Sequence[Row]) -> list[Section]:
    made = []
    for number, session in enumerate(sessions(rows)):
        made += _of(session, number)
    return made


def _of(session: Session, number: int) -> list[Section]:
    name = f"advice-{number + 1}"
    drawn = charts.against_processors(session)
    title = f"{session.program}: time against processors"
    made = [Section(parts=[Chart(name, title, drawn, PICTURE)])] if drawn is not None else []
    about = MODEL.format(paper=cited(MARKATOS))
    made.append(Section("Threads and processors", about, [*tables.measured(session), *tables.predicted(session)]))
    if (variables := tables.settings(session)).rows:
        made.append(Section("Variables of its own runtime", tables.settings_about(session), [variables]))
    if session.trace is not None:
        said = TRACE.format(sentence=telling.of_trace(session))
        made.append(Section("By its own trace", said, [tables.staircase(session)]))
    if notes := telling.notes(session):
        made.append(Section("What to know besides", " ".join(notes)))
    return made


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    own = [row for row in rows if is_of_advice(row)]
    return [*failed_runs(own, _name, _where), *disturbed_runs(own, _name, _where)]


def _name(row: Row) -> str:
    return row["what"]["id"]


def _where(row: Row) -> str:
    threads = row["where"]["members"]
    return f"{f'{threads} threads on ' if threads else ''}{row['where']['processors']} processors"


SUBJECT = Subject(
    name="Advice",
    title="Advice",
    heading="How many threads and processors a program can use",
    about="A program{on}, on its own runtime and on Weir's, with a few numbers of threads and processors in turn: weir "
    "advise.",
    wants=lambda rows: any(map(is_of_advice, rows)),
    sections=sections,
    left_out=left_out,
    finding=lambda rows: telling.finding(sessions(rows)),
)
