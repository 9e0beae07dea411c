"""From a sample to an answer: what the program is, whether its threads lose time, and what to try."""

import os
import shlex
import shutil
from dataclasses import dataclass
from typing import Literal

from weir.base.others import MUCH
from weir.doctor.pools import LANGUAGE, MPI, OPENMP, OTHER, WEIR, Pool
from weir.doctor.sampling import Ran, Sample, Seen

SHORT_S = 0.5  # a sample of less says nothing
HARDLY = 0.05  # of one processor
# A thread is busy that wants a processor for this part of the time that the busiest one does. A fixed part would miss
# all threads of a large team that a small quota holds back.
BUSY, LEAST_S = 0.1, 0.02
WAITED = 0.1  # of the time in which threads could run
HELD = 0.05  # of the quota's periods

Answer = Literal["try", "not needed", "already", "cannot help", "unclear"]


@dataclass(frozen=True)
class Verdict:
    answer: Answer
    sentences: tuple[str, str, str]
    commands: tuple[str, ...] = ()


class Evidence:
    """What the sample says in figures."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        threads = sample.threads
        self.cpu_s = sum(t.cpu_s for t in threads)
        self.ready_s = None if any(t.ready_s is None for t in threads) else sum(t.ready_s or 0.0 for t in threads)
        most = max((t.wanted_s for t in threads), default=0.0)
        least = float("inf") if self.hardly_ran else max(BUSY * most, LEAST_S)
        self.busy: list[Ran] = [t for t in threads if t.wanted_s >= least]
        self.ran = sum(t.cpu_s > 0 for t in threads)
        self.voluntary = sum(t.voluntary for t in threads)
        self.involuntary = sum(t.involuntary for t in threads)

    @property
    def waited(self) -> float | None:
        """The part of the time in which threads could run and had no processor. None if the kernel has no count."""
        if self.ready_s is None:
            return None
        both = self.cpu_s + self.ready_s
        return self.ready_s / both if both > 0 else 0.0

    @property
    def held(self) -> float:
        """The part of the quota's periods in which the kernel held the program back."""
        throttled = self.sample.throttled
        return throttled.held / throttled.periods if throttled and throttled.periods > 0 else 0.0

    @property
    def hardly_ran(self) -> bool:
        return self.cpu_s + (self.ready_s or 0.0) < HARDLY * self.sample.seconds

    @property
    def more_than_processors(self) -> bool:
        return len(self.busy) > self.sample.capacity

    @property
    def loses(self) -> bool:
        """Without the kernel's count: threads are more than processors, and they took nearly all that there was."""
        if self.held >= HELD:
            return True
        if self.waited is not None:
            return self.waited >= WAITED
        full = self.cpu_s >= 0.8 * self.sample.capacity * self.sample.seconds
        return self.more_than_processors and full


def judged(sample: Sample, words: tuple[str, ...], started: bool, number: int) -> Verdict:
    """`words`: the command that would start the program again, as far as they are known; `number`: of the process."""
    return _Judge(sample, words, started, number).verdict()


class _Judge:
    def __init__(self, sample: Sample, words: tuple[str, ...], started: bool, number: int) -> None:
        self.sample, self.started, self.number = sample, started, number
        self.evidence = Evidence(sample)
        self.root = sample.processes[0] if sample.processes else None
        self.openmp = self._kind(OPENMP)
        self.words = _unwrapped(words)
        self.who = os.path.basename(self.words[0]) if self.words else "the program"
        if not started:
            self.who += f" (process {number})"

    def _kind(self, kind: str) -> list[Pool]:
        return [pool for pool in self.sample.pools if pool.library.kind == kind]

    def verdict(self) -> Verdict:
        short = self.sample.seconds < SHORT_S
        if self._kind(WEIR):
            advice = "It uses Weir already; compare it with the runtime that it was built for."
            return self._verdict("already", advice, self._run("--compare"), *self._fewer(self._kind(WEIR)[0]))
        if not self.openmp:
            if language := self._language():
                return self._beyond(f"Weir cannot help: threads of {language} do not use OpenMP.")
            if self.root and self.root.program.static:
                return self._beyond(self._static())
        if short:
            advice = "Try a run that is longer." if self.started else "Watch it for longer."
            return self._verdict("unclear", advice, self._again())
        if self.openmp:
            return self._of_openmp()
        return self._of_others()

    def _of_openmp(self) -> Verdict:
        if self.evidence.hardly_ran:
            return self._verdict("unclear", "Ask again while it computes, or watch it for longer.", self._again())
        if len(self.evidence.busy) < 2:
            advice = "There is nothing to gain by Weir now: one thread alone waits at no barrier."
            return self._verdict("not needed", advice)
        if not self.evidence.loses:
            advice = "There is little to gain by Weir while each busy thread has a processor."
            return self._verdict("not needed", advice)
        others = [pool for pool in self._kind(OTHER) if pool.note != "on OpenMP"]
        advice = "Try Weir's runtime, on which members that wait leave processors to those that compute"
        if others:
            advice += f"; that concerns OpenMP's threads, not those of {_listed(others)}"
        return self._verdict("try", f"{advice}.", self._run("--compare"), self._run(), *self._fewer(self.openmp[0]))

    def _of_others(self) -> Verdict:
        """No OpenMP runtime is there to be replaced."""
        if self._kind(MPI):
            if self.evidence.loses and not self.evidence.hardly_ran:
                words = "mpirun -n 4 PROGRAM" if not self._launches() else shlex.join(self.words)
                advice = "Try Weir's MPI_Barrier, which gives processors to ranks that compute."
                return self._verdict("try", advice, f"weir run --mpi --compare -- {words}")
            advice = "There is little to gain by Weir's MPI_Barrier while ranks have processors."
            return self._verdict("not needed", advice)
        if self.root and self.root.program.openmp_inside and len(self.evidence.busy) > 1:
            return self._beyond("Its file holds an OpenMP runtime, which nothing can replace: link it dynamically.")
        if self.evidence.hardly_ran and not self.sample.ended:
            advice = "No OpenMP runtime is loaded; a program may load one when it computes: ask again then."
            return self._verdict("unclear", advice, self._again())
        when = "was loaded" if self.sample.ended else "is loaded so far"
        return self._beyond(f"Weir has nothing to replace: no OpenMP runtime {when}.")

    def _launches(self) -> bool:
        return bool(self.words) and os.path.basename(self.words[0]) in ("mpirun", "mpiexec", "srun", "mpiexec.hydra")

    def _language(self) -> str:
        if found := self._kind(LANGUAGE):
            return found[0].library.name
        return "Go" if self.root and self.root.program.go else ""

    def _static(self) -> str:
        if self.root and self.root.program.openmp_inside:
            return "Weir cannot help: the program is statically linked, with its OpenMP runtime; link it dynamically."
        return "Weir cannot help: the program is statically linked, and nothing can be put in front of it."

    def _beyond(self, advice: str) -> Verdict:
        """The pool that loses time can still be made smaller."""
        losing = self.evidence.loses and len(self.evidence.busy) > 1
        limits = [pool for pool in (*self._kind(LANGUAGE), *self._kind(OTHER)) if pool.library.limit]
        if not losing:
            return self._verdict("cannot help", advice)
        go = self.root is not None and self.root.program.go
        fewer = (self._with("GOMAXPROCS"),) if go else self._fewer(limits[0]) if limits else ()
        return self._verdict("cannot help", f"{advice[:-1]}. Give it fewer threads." if fewer else advice, *fewer)

    def _verdict(self, answer: Answer, advice: str, *commands: str) -> Verdict:
        first, second = self._what(), self._loss()
        return Verdict(answer, (first, second, advice), tuple(command for command in commands if command))

    def _what(self) -> str:
        if not self.sample.processes:
            return f"{self.who} ended before it could be looked at."
        language, weirs = self._language(), self._kind(WEIR)
        if weirs:
            what = "runs on Weir's OpenMP runtime"
        elif self.openmp:
            what = f"has loaded {_listed(self.openmp)}"
        elif language:
            what = f"is a program of {language}"
        elif self._kind(MPI):
            what = "is an MPI program without an OpenMP runtime"
        elif self.root and self.root.program.static:
            what = "is statically linked"
        else:
            what = "has loaded no OpenMP runtime"
        others = [p for p in self._kind(OTHER) if p.library.name not in what]
        if others:
            what += f" and {_listed(others)}" if self.openmp or weirs else f", but {_listed(others)}"
        below = len(self.sample.processes) - 1
        tree = f" with the {_count(below, 'process', 'processes')} below it" if below else ""
        most, busy = _count(self.sample.most_threads, "thread", "threads"), len(self.evidence.busy)
        return f"{self.who} {what}; it{tree} has {most}, of which {_count(busy, 'was', 'were')} busy."

    def _loss(self) -> str:
        sample, evidence = self.sample, self.evidence
        if sample.seconds < SHORT_S:
            return f"It was watched for {sample.seconds:.2f} s, which is too short to judge."
        used = f"{evidence.cpu_s:.2f} s of processor time in {sample.seconds:.1f} s"
        if evidence.hardly_ran:
            return f"It used {used}, which is too little to judge."
        places = _count(sample.capacity, "processor", "processors")
        busy = _count(len(evidence.busy), "busy thread", "busy threads")
        if sample.quota and sample.quota.processors <= len(sample.processors):
            places += " by quota"
        more = "more than" if evidence.more_than_processors else "no more than"
        said = f"It has {busy}, {more} the {places} that it may use"
        lost = []
        if evidence.waited is not None:
            lost.append(f"its threads waited {evidence.waited:.0%} of the time in which they could run")
        if evidence.held > 0:
            lost.append(f"the quota held it back in {evidence.held:.0%} of its periods")
        if sample.foreign_s >= MUCH * len(sample.processors) * sample.seconds:
            lost.append(f"other programs kept {sample.foreign_s / sample.seconds:.1f} of the processors busy")
        if not lost:
            return f"{said}; this kernel does not count how long threads wait, and it used {used}."
        return f"{said}; {' and '.join(filter(None, (', '.join(lost[:-1]), lost[-1])))}."

    def _again(self) -> str:
        longer = max(10, round(4 * self.sample.seconds))
        what = f"-- {shlex.join(self.words)}" if self.started else f"{self.number}"
        return f"weir doctor --seconds {longer} {what}"

    def _run(self, *options: str) -> str:
        return " ".join(["weir run", *options, "--", shlex.join(self.words) if self.words else "PROGRAM"])

    def _fewer(self, pool: Pool) -> tuple[str, ...]:
        wanted = self.evidence.loses and self.evidence.more_than_processors and pool.library.limit
        return (self._with(pool.library.limit),) if wanted else ()

    def _with(self, variable: str) -> str:
        return f"{variable}={max(1, int(self.sample.capacity))} {shlex.join(self.words) if self.words else 'PROGRAM'}"


def command(process: Seen, folder: str) -> tuple[str, ...]:
    """The words that started a process; the path of the executable where the first of them leads nowhere. `folder`: in
    which it runs."""
    words = process.words
    if not words:
        return (process.exe,) if process.exe else ()
    if shutil.which(words[0]) or os.path.exists(os.path.join(folder, words[0])):
        return words
    return (process.exe or words[0], *words[1:])


def _unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Less the words of weir run."""
    if len(words) < 2 or os.path.basename(words[0]) != "weir" or words[1] != "run":
        return words
    return words[words.index("--") + 1 :] if "--" in words else words[2:]


def _listed(pools: list[Pool]) -> str:
    names = list(dict.fromkeys(pool.library.name for pool in pools))
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _count(number: float, one: str, many: str) -> str:
    return f"{number:g} {one if number == 1 else many}"
