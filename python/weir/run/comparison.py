"""From the runs of one program on two runtimes to what can be said: figures, outputs, and one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import median

from weir.base.screen import times
from weir.base.statistics import Interval, paired_ratio
from weir.run.measuring import FEWEST, OWN, STREAMS, WEIR, Kept, Trial, status_in_words, tail

NO_DIFFERENCE = 0.03  # too little to change a runtime for
MOST_SHOWN = 60  # characters of a line that differs
EMPTY = sha256().hexdigest()  # of a stream to which nothing was printed


@dataclass(frozen=True)
class Figure:
    """One quantity: its median on each side, and the ratio by pairs of runs where there is one."""

    own: float
    weir: float
    ratio: Interval | None


FIGURES = ("wall_s", "processor_s", "voluntary", "involuntary", "minor_faults", "major_faults")


class Comparison:
    """Of Weir's runtime with another, the side `other`. `own` and `instead`: what the two are called, `program`: as it
    was asked for."""

    def __init__(
        self, trials: Sequence[Trial], kept: Kept, program: str, own: str, instead: str, other: str = OWN
    ) -> None:
        self.trials = [t for t in trials if t.side in (other, WEIR)]
        self.kept, self.program, self.own, self.instead, self.other = kept, program, own, instead, other
        self.pairs = self._pairs()

    def _pairs(self) -> list[tuple[Trial, Trial]]:
        """Those that count, and of which neither run failed."""
        by_pair: dict[int, dict[str, Trial]] = {}
        for t in self.trials:
            if t.counted and not t.failed:
                by_pair.setdefault(t.pair, {})[t.side] = t
        return [(both[self.other], both[WEIR]) for both in by_pair.values() if len(both) == 2]

    def of(self, side: str) -> list[Trial]:
        return [t for t in self.trials if t.side == side]

    def failed(self, side: str) -> list[Trial]:
        return [t for t in self.of(side) if t.failed]

    def figure(self, name: str) -> Figure | None:
        """None without a pair."""
        if not self.pairs:
            return None
        own, weir = ([float(getattr(pair[i], name)) for pair in self.pairs] for i in (0, 1))
        enough = len(self.pairs) >= FEWEST
        return Figure(median(own), median(weir), paired_ratio([weir], [own]) if enough else None)

    def statuses(self, side: str) -> str:
        """Each once, with how often where they differ."""
        said = [status_in_words(t) for t in self.of(side)]
        if not said:
            return "–"
        kinds = list(dict.fromkeys(said))
        return kinds[0] if len(kinds) == 1 else ", ".join(f"{k} ({said.count(k)} of {len(said)})" for k in kinds)

    def output(self, stream: str) -> str:
        """Whether what it prints is the same, as bytes."""
        place = STREAMS.index(stream)
        own, weir = ({t.printed[place]: None for t in self.of(side)} for side in (self.other, WEIR))
        if not own or not weir:
            return "not compared"
        if len(own) > 1:
            return f"differs from run to run, on {self.own} as well"
        if own == weir:
            return "empty" if own == {EMPTY: None} else "the same"
        where = self._first_difference(stream, next(iter(own)), next(d for d in weir if d not in own))
        return f"differs{' in some runs' if len(weir) > 1 else ''}: {where}"

    def _file(self, side: str, stream: str, digest: str) -> Path | None:
        return self.kept.files.get((side, stream, digest))

    def _first_difference(self, stream: str, own: str, weir: str) -> str:
        files = self._file(self.other, stream, own), self._file(WEIR, stream, weir)
        if None in files:
            return "it is not kept where"
        with files[0].open("rb") as a, files[1].open("rb") as b:
            number, one, other = 1, a.readline(), b.readline()
            while one == other and one:
                number, one, other = number + 1, a.readline(), b.readline()
        return f"line {number} is {_quoted(one)} on {self.own}, {_quoted(other)} on {self.instead}"

    def last_words(self, side: str) -> list[str]:
        """Of a run that failed: the end of what it wrote to stderr."""
        for t in self.failed(side):
            if file := self._file(side, "stderr", t.printed[STREAMS.index("stderr")]):
                return tail(file)
        return []

    @property
    def compared(self) -> bool:
        """Is there a pair of runs, and none that failed?"""
        return bool(self.pairs) and not any(t.failed for t in self.trials)

    def sentence(self) -> str:
        """What was found, or why nothing can be concluded."""
        for side, name in ((self.other, self.own), (WEIR, self.instead)):
            if failed := self.failed(side):
                alone = f", and on {self.own} in none" if side == WEIR else ""
                return (f"This cannot be told: on {name} {self.program} failed in {len(failed)} of "
                        f"{len(self.of(side))} runs ({status_in_words(failed[0])}){alone}.")  # fmt: skip
        wall, processor = self.figure("wall_s"), self.figure("processor_s")
        count = len(self.pairs)
        if wall is None or processor is None:
            return "This cannot be told: no pair of runs came to its end."
        if wall.ratio is None:
            return (f"This cannot be told from {pairs_in_words(count)} of runs: an interval of 95 % takes {FEWEST}. On "
                    f"{self.instead} the median is {wall.weir / wall.own:.2f} of that on {self.own}.")  # fmt: skip
        r, over = wall.ratio, f"over {pairs_in_words(count)} of runs"
        own, instead, it = self.own, self.instead, self.program
        if r.high < 1:
            said = f"Yes: on {instead} {it} takes {times(r)} of its time on {own}, {over}"
        elif r.low > 1:
            said = f"No: on {instead} {it} takes {times(r)} times as long as on {own}, {over}"
        elif r.low > 1 - NO_DIFFERENCE and r.high < 1 + NO_DIFFERENCE:
            said = f"It makes no difference: on {instead} {it} takes {times(r)} of its time on {own}, {over}"
        else:
            said = (f"No difference was found: on {instead} {it} takes {times(r)} of its time on {own}, {over}; "
                    f"no gain beyond {_percent(1 - r.low)}, no loss beyond {_percent(r.high - 1)}")  # fmt: skip
        p = processor.ratio
        if p is not None and (p.high < 1 - NO_DIFFERENCE or p.low > 1 + NO_DIFFERENCE):
            said += f"; of its processor time it takes {times(p)}"
        return said + "."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def pairs_in_words(count: int) -> str:
    return f"{count} {'pair' if count == 1 else 'pairs'}"


def _quoted(line: bytes) -> str:
    if not line:
        return "not there"
    text = line.rstrip(b"\n").decode(errors="replace")
    return ascii(text) if len(text) <= MOST_SHOWN else f"{ascii(text[:MOST_SHOWN])}..."
