"""What `weir run --compare` compares: the program as it is, and on Weir's runtime or with Weir's MPI barrier."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base import native
from weir.base.names import BY_LEVELS, Unknown, chosen
from weir.openmp.runtimes import ASKED_FOR, Runtime, Stage, runtimes
from weir.run import launching, measuring, starting
from weir.run.measuring import OWN, WEIR, Side
from weir.run.needs import needs
from weir.run.starting import CannotRun

INTERPRETERS = re.compile(r"(python|pypy|perl|ruby|lua|octave|node|bash|sh|dash)[\d.]*|julia|Rscript")
UNKNOWN = "its own runtime"  # what is called so of which no name is known


@dataclass(frozen=True)
class Sides:
    """Weir's is compared with each of the others."""

    others: tuple[Side, ...]
    weir: Side
    program: str
    complaints: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[Side, ...]:
        return (*self.others, self.weir)


def known(barrier: str, having: str | None = None) -> str:
    """Refuses a wrong name before the program begins, if weir-info is there to list the names. `having`: as
    native.barriers has it. The runtime judges the levels of a plan."""
    if native.find("weir-info") and not (barrier.startswith(BY_LEVELS) and having is None):
        try:
            chosen([barrier], ["auto", *native.barriers(having)], "run: --barrier", "barrier")
        except native.NativeError:
            return barrier
        except Unknown as error:
            raise CannotRun(str(error)) from None
    return barrier


def _changed(environment: dict[str, str]) -> dict[str, str]:
    return {n: v for n, v in environment.items() if os.environ.get(n) != v}


def preloaded(
    words: list[str],
    barrier: str | None,
    threads: str | None,
    against: Sequence[str],
    stage: Stage,
    processors: str | None = None,
    calls: bool = True,
) -> Sides:
    """A program on Weir's runtime and on others. `calls`: refuse one that calls nothing of OpenMP. Raises CannotRun,
    runner.Stopped."""
    elsewhere = of_machine(against, "run: --against") if against else {}
    program, runtime = starting.program(words), starting.library()
    file = starting.examine(program)
    set_by_user = {"WEIR_BARRIER": known(barrier)} if barrier is not None else {}
    set_by_user |= {starting.PROCESSORS: processors} if processors is not None else {}
    on_weir = _changed(starting.environment(runtime, set_by_user))

    def of_kind(name: str, kind: str | None) -> Side:
        setting = {} if kind is None else {starting.THREADS: kind}
        title = "Weir's runtime" + ("" if kind is None else f" ({kind})")
        return Side(name, program, tuple(words), on_weir | setting, title)

    weir = of_kind(WEIR, threads)
    seen = needs(program, runtime) if file is not None else None
    missing = seen.missing if seen is not None else []
    if calls and not (seen and seen.found) and not measuring.bound_to(weir, runtime):
        raise CannotRun(f"run: nothing to compare: {words[0]} was run, and it called no function of OpenMP")
    lost = f"{len(missing)} functions that it needs are missing: weir run --check {program} lists them"
    own = Side(OWN, program, tuple(words), {}, (seen.runtime if seen else None) or UNKNOWN)
    others = []
    for name in against or (OWN,):
        if name == OWN:
            others.append(own)
        elif name in starting.KINDS:
            others.append(of_kind(name, name))
        elif not _serves(elsewhere[name], own.title):
            raise CannotRun(f"run: --against {name}: {words[0]} was built for {own.title}, and {name} cannot run it")
        else:
            runtime = elsewhere[name]
            others.append(Side(name, program, tuple(words), stage.environment(runtime), runtime.name))
    return Sides(tuple(others), weir, called(words), (lost,) if missing else ())


def called(words: Sequence[str]) -> str:
    """What people call the program: of an interpreter, the script or module."""
    if INTERPRETERS.fullmatch(Path(words[0]).name):
        for word, after in zip(words[1:], (*words[2:], ""), strict=True):
            if word in ("-c", "-e"):
                break
            if word == "-m" and after:
                return after
            if not word.startswith("-") and Path(word).is_file():
                return word
    return words[0]


def of_machine(names: Sequence[str], option: str) -> dict[str, Runtime]:
    """The other runtimes among the names; libomp is the newest. Raises CannotRun, of a name that the option took."""
    there = {found.name: found for found in runtimes() if found.name != "weir"}
    numbered = [version for version in there if version.startswith("libomp-")]
    if numbered:
        there["libomp"] = there[max(numbered, key=lambda version: int(version.rpartition("-")[2] or 0))]
    try:
        chosen(names, [OWN, *starting.KINDS, *there], option, "runtime")
    except Unknown as error:
        raise CannotRun(str(error)) from None
    return {name: there[name] for name in names if name in there}


def _serves(found: Runtime, built_for: str) -> bool:
    needed = next((kind for kind, files in ASKED_FOR.items() if any(built_for in file for file in files)), None)
    return needed is None or needed in found.serves


def launched(words: list[str], barrier: str | None) -> Sides:
    """An MPI program by its launcher. Raises CannotRun."""
    if not words:
        raise CannotRun("which program? weir run --mpi --compare -- mpirun -n 4 PROGRAM [ARGUMENTS]")
    launcher = starting.program(words)
    environment = launching.environment(barrier and known(barrier, launching.BARRIERS))
    started = tuple(launching.words(launcher, words, environment))
    weir = Side(WEIR, launcher, started, _changed(environment), "Weir's MPI_Barrier")
    own = Side(OWN, launcher, tuple(words), {}, "its MPI's own")
    return Sides((own,), weir, "the program")
