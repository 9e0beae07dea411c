"""`weir run --compare`: one program on two runtimes in turn, and what each run took and printed."""

import hashlib
import itertools
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from weir.base.load import busy
from weir.base.statistics import FEWEST
from weir.openmp.situation import limited
from weir.run.runner import Ended, Runner, Stopped
from weir.run.starting import CannotRun

OWN, WEIR = "own", "weir"
STREAMS = ("stdout", "stderr")

# The default number of pairs of runs: as many as fit in the budget. The interval of a median of six pairs is the
# range of all six, which misses the true median once in 32; fewer pairs have no interval of 95 %.
BUDGET_S = 60.0
MOST = 40
# The first pair reads the files that the later ones find in memory. It counts where it took so long that this is
# little.
LONG_S = 5.0
MOST_FAILED = 3
# On Weir's runtime a run is given up after this long, or so many times the longest run on its own.
PATIENCE_S, PATIENCE_TIMES = 60.0, 20

# The shell joins the group, and only then sets the variables: it shall not load the runtime itself. Of several copies
# each opens the input anew, and the shell fails as the last one that fails.
START = """
[ -z "$0" ] || echo $$ >"$0" || exit
copies=$1; shift
while [ "$1" != -- ]; do export "$1"; shift; done
shift
[ "$copies" -gt 1 ] || exec "$@"
running=
exec 3<&0
while [ "$copies" -gt 0 ]; do "$@" </dev/fd/3 3<&- & running="$running $!"; copies=$((copies - 1)); done
status=0
for one in $running; do wait "$one" || status=$?; done
[ "$status" -lt 128 ] || kill -$((status - 128)) $$
exit "$status"
"""


@dataclass(frozen=True)
class Side:
    """One of the ways to run the program. `changed`: the variables that it sets beside or instead of ours."""

    name: str  # weir, own, or what else is compared
    program: Path
    words: tuple[str, ...]
    changed: dict[str, str]
    title: str = ""  # what it is called: the name of its runtime


@dataclass(frozen=True)
class Conditions:
    """Under what all sides run. `team`: OMP_NUM_THREADS, `quota`: processors' time, `beside`: busy processes, `copies`:
    of the program, which a run starts at the same time."""

    team: int | None = None
    quota: float | None = None
    beside: int = 0
    copies: int = 1

    def words(self) -> str:
        said = [f"{self.copies} copies at once"] if self.copies > 1 else []
        said += [f"{self.team} {'thread' if self.team == 1 else 'threads'}"] if self.team else []
        said += [f"a quota of {self.quota:g} {'processor' if self.quota == 1 else 'processors'}"] if self.quota else []
        if self.beside:
            said.append(f"beside {self.beside} busy {'process' if self.beside == 1 else 'processes'}")
        return ", ".join(said)

    @contextmanager
    def launcher(self, changed: dict[str, str]) -> Iterator[tuple[str, ...]]:
        """Words before the program's own; none for one program without a quota. A new group for each run: no run
        inherits another's debts. Raises Unavailable."""
        if self.quota is None and self.copies == 1:
            yield ()
            return
        with limited(self.quota) if self.quota is not None else nullcontext("") as members:
            yield (
                "/bin/sh",
                "-c",
                START,
                str(members),
                str(self.copies),
                *(f"{n}={v}" for n, v in changed.items()),
                "--",
            )


@dataclass(frozen=True)
class Trial:
    """One run of the program."""

    side: str
    pair: int  # 0: the one that warms up
    counted: bool
    wall_s: float
    processor_s: float
    voluntary: int
    involuntary: int
    minor_faults: int
    major_faults: int
    status: int  # as the shell has it not: negative by a signal
    late: bool  # given up because it took too long
    printed: tuple[str, ...] = ()  # a digest of each stream

    @property
    def failed(self) -> bool:
        return self.late or self.status != 0


def status_in_words(trial: Trial) -> str:
    if trial.late:
        return f"no end within {trial.wall_s:.0f} s"
    if trial.status < 0:
        try:
            return f"ended by {signal.Signals(-trial.status).name}"
        except ValueError:
            return f"ended by signal {-trial.status}"
    return str(trial.status) if trial.status == 0 else f"status {trial.status}"


@dataclass
class Kept:
    """The first outputs that differ, of each side and stream: the files of the others are not kept."""

    folder: Path
    files: dict[tuple[str, str, str], Path] = field(default_factory=dict)  # by side, stream and digest

    def note(self, side: str, stream: str, path: Path) -> str:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        key = (side, stream, digest)
        if key in self.files or sum(k[:2] == key[:2] for k in self.files) >= 2:
            path.unlink()
        else:
            self.files[key] = path.rename(self.folder / f"{side}-{stream}-{digest[:16]}")
        return digest


@dataclass(frozen=True)
class Measured:
    """What a comparison has when it ends, by itself or by Ctrl-C. `planned`: rounds."""

    trials: Sequence[Trial]
    planned: int
    interrupted: bool

    def times(self, side: Side) -> list[float]:
        """Of the runs that count."""
        return [t.wall_s for t in self.trials if t.side == side.name and t.counted and not t.failed]


class Comparing:
    """Rounds of runs, one run on each side, in an order that is drawn; with two sides, pairs.
    `tell(doing, done, planned)` is called before each run."""

    def __init__(
        self,
        sides: Sequence[Side],
        where: Conditions,
        times: int | None,
        tell: Callable[[str, int, int], None] = lambda *_: None,
    ) -> None:
        self.sides, self.where, self.times, self.tell = tuple(sides), where, times, tell
        self.trials: list[Trial] = []
        self.interrupted = False
        self.planned = times or FEWEST
        self._folder = tempfile.TemporaryDirectory(prefix="weir-compare-")
        self.kept = Kept(Path(self._folder.name))
        self._longest_s = 0.0  # on the others than Weir's runtime
        self._random = random.Random()
        self._orders: list[tuple[Side, ...]] = []

    def close(self) -> None:
        self._folder.cleanup()

    def __enter__(self) -> "Comparing":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def failed(self) -> list[Trial]:
        return [t for t in self.trials if t.failed]

    @property
    def measured(self) -> Measured:
        return Measured(tuple(self.trials), self.planned, self.interrupted)

    def run(self) -> None:
        """Ctrl-C ends it: what was measured until then is kept. Raises CannotRun, Unavailable and NativeError."""
        with ExitStack() as closing:
            try:
                self._runner = closing.enter_context(Runner())
                dealt = itertools.cycle(sorted(os.sched_getaffinity(0)))  # to each processor in turn
                closing.enter_context(busy(list(itertools.islice(dealt, self.where.beside))))
                begun = time.monotonic()
                # On the other runtimes first: how long Weir's may take follows from that.
                self._pair(
                    0,
                    sorted(self.sides, key=lambda side: side.name == WEIR),
                    lambda: time.monotonic() - begun >= LONG_S,
                )
                took = time.monotonic() - begun
                if self.times is None:
                    self.planned = min(MOST, max(FEWEST, int(BUDGET_S / took)))
                begins = 0 if self.trials[-1].counted else 1
                for pair in range(begins, self.planned + begins):
                    if len(self.failed) >= MOST_FAILED:
                        return
                    if pair > 0:
                        self._pair(pair, self._order(), lambda: True)
            except Stopped:
                self.interrupted = True

    def _order(self) -> tuple[Side, ...]:
        """Each side is equally often in each place, at random: which runs after which decides how it finds the
        processors."""
        if not self._orders:
            drawn = tuple(self._random.sample(self.sides, len(self.sides)))
            self._orders = [drawn[i:] + drawn[:i] for i in range(len(drawn))]
            self._random.shuffle(self._orders)
        return self._orders.pop()

    def _pair(self, pair: int, order: Sequence[Side], counts: Callable[[], bool]) -> None:
        made = []
        try:
            for side in order:
                self.tell(f"on {side.title}", len(self.trials) + len(made), len(self.sides) * (self.planned + 1))
                made.append(self._once(side, pair))
        except Stopped:
            self.trials += made  # which do not count: all of a round or none
            raise
        counted = counts()
        self.trials += [replace(trial, counted=counted) for trial in made]

    def _limit_s(self, side: Side) -> float | None:
        """None on other runtimes: a program may take as long as it needs."""
        return max(PATIENCE_S, PATIENCE_TIMES * self._longest_s) if side.name == WEIR else None

    def _once(self, side: Side, pair: int) -> Trial:
        files = [self.kept.folder / stream for stream in STREAMS]
        ended = attempt(self._runner, side, self.where, self._limit_s(side), *files)
        if side.name != WEIR:
            self._longest_s = max(self._longest_s, ended.wall_s)
        printed = tuple(self.kept.note(side.name, stream, file) for stream, file in zip(STREAMS, files, strict=True))
        used = ended.used
        return Trial(
            side=side.name, pair=pair, counted=False, wall_s=ended.wall_s, processor_s=used.ru_utime + used.ru_stime,
            voluntary=used.ru_nvcsw, involuntary=used.ru_nivcsw, minor_faults=used.ru_minflt,
            major_faults=used.ru_majflt, status=ended.status, late=ended.late, printed=printed,
        )  # fmt: skip


def attempt(runner: Runner, side: Side, where: Conditions, limit_s: float | None, out: Path, err: Path) -> Ended:
    """One run, or so many copies as the conditions have. Raises CannotRun, Unavailable and Stopped."""
    team = {"OMP_NUM_THREADS": str(where.team)} if where.team else {}
    with ExitStack() as closing:
        launcher = closing.enter_context(where.launcher(side.changed))
        streams = [closing.enter_context(file.open("wb")) for file in (out, err)]
        try:
            return runner.run(
                [*launcher, str(side.program), *side.words[1:]] if launcher else side.words,
                limit_s,
                executable=None if launcher else side.program,
                stdin=closing.enter_context(given_input()),
                stdout=streams[0],
                stderr=streams[1],
                env=os.environ | team | ({} if launcher else side.changed),
            )
        except OSError as error:
            raise CannotRun(f"{side.program}: {error.strerror}") from None


@contextmanager
def given_input() -> Iterator[object]:
    """A file that is our input is read by each run from its beginning; nothing else can be read twice."""
    try:
        file = open("/dev/stdin", "rb") if is_file(0) else open(os.devnull, "rb")  # noqa: SIM115
    except OSError:
        file = open(os.devnull, "rb")  # noqa: SIM115
    with file:
        yield file


def is_file(descriptor: int) -> bool:
    return os.path.isfile(f"/proc/self/fd/{descriptor}")


def bound_to(side: Side, library: Path) -> bool:
    """Does the program call anything of this library while it runs? One run more, in which the dynamic linker of the C
    library writes down what it binds, by whichever process and library, `dlopen` included. Raises Stopped."""
    with tempfile.TemporaryDirectory(prefix="weir-bindings-") as folder, given_input() as file, Runner() as runner:
        traced = {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": f"{folder}/said"}
        runner.run(
            side.words, executable=side.program, env=os.environ | side.changed | traced, stdin=file,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return any(_binds(path, library) for path in Path(folder).iterdir())


def _binds(said: Path, library: Path) -> bool:
    with said.open(errors="replace") as lines:
        for line in lines:
            # "binding file ./program [0] to /path/libgomp-weir.so [0]: normal symbol `GOMP_parallel'"
            who, _, what = line.partition(" to ")
            if what.startswith(f"{library} ") and str(library) not in who:
                return True
    return False


def tail(path: Path, lines: int = 5) -> list[str]:
    """The last lines of a file, for a message."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4096))
        return file.read().decode(errors="replace").splitlines()[-lines:]
