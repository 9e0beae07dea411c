"""The share of run time spent synchronising: directives counted as by `weir profile`, priced by the OpenMP suite."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from weir.base import native
from weir.base.complaints import Complaints
from weir.base.names import Unknown
from weir.base.records import Row, Writer
from weir.profile import counting, measuring, pricing
from weir.profile.counting import Directive, NoProgram
from weir.run.starting import CannotRun
from weir.workloads import rows

Note = Callable[[float, float], None]


class Sharing:
    def __init__(self) -> None:
        self._counted: list[tuple[Row, float, float, Counter[Directive]]] = []

    @contextmanager
    def counting(self, row: Row, preloaded: str | None) -> Iterator[tuple[dict[str, str], Note]]:
        """Variables of a run that counts, and what to call after it: with its time and its processors' time. Raises
        CannotRun."""
        try:
            with counting.counters(preloaded) as (variables, counted):

                def note(time_s: float, processor_s: float) -> None:
                    self._counted.append((row, time_s, processor_s, counted()[0]))

                yield variables, note
        except NoProgram as error:
            raise CannotRun(str(error)) from None

    def price(self, writer: Writer, complaints: Complaints, tell: Callable[[str, int, int], None]) -> bool:
        """Measures what all directives cost, and writes the rows. True after Ctrl-C."""
        directives = list(dict.fromkeys(d for *_, counts in self._counted for d in counts))
        try:
            sessions, lost = measuring.planned(directives)
            for word in lost:
                complaints.add(word)
            of, done = sum(one.steps() for one in sessions), 0

            def told(steps: int) -> None:
                nonlocal done
                done += steps
                tell("measuring what directives cost", done, of)

            table, interrupted = measuring.measured(sessions, told)
        except (native.NativeError, Unknown, OSError) as error:
            complaints.add(f"no shares of time spent synchronising: {error}")
            return False
        for row, time_s, processor_s, counts in self._counted:
            lines = pricing.bill(counts, table)
            if all(line.each_ns is not None for line in lines):
                waited_s = sum(line.total_ns for line in lines) / 1e9
                writer.write(
                    rows.timed(
                        row,
                        time_s,
                        processor_s,
                        min(waited_s, time_s),
                        priced_s=waited_s,
                        directives=sum(counts.values()),
                    )
                )
            elif not interrupted:
                names = ", ".join(line.directive.name for line in lines if line.each_ns is None)
                complaints.add(f"its share of synchronising is not known: nothing prices {names}", row["what"]["id"])
        return interrupted
