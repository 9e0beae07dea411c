"""What `weir run --compare` compares: the program as it is, and on Weir's runtime or with Weir's MPI barrier."""

import os
from dataclasses import dataclass

from weir.base import native
from weir.base.names import Unknown, chosen
from weir.run import launching, measuring, starting
from weir.run.measuring import OWN, WEIR, Side
from weir.run.needs import needs
from weir.run.starting import CannotRun


@dataclass(frozen=True)
class Sides:
    """`own_name` and `instead`: what is compared, in words."""

    own: Side
    weir: Side
    program: str
    own_name: str
    instead: str
    complaints: tuple[str, ...] = ()


def known(barrier: str) -> str:
    """Refuses a wrong name before the program begins, if weir-info is there to list the names."""
    if native.find("weir-info"):
        try:
            chosen([barrier], ["auto", *native.barriers()], "run: --barrier", "barrier")
        except native.NativeError:
            return barrier
        except Unknown as error:
            raise CannotRun(str(error)) from None
    return barrier


def _changed(environment: dict[str, str]) -> dict[str, str]:
    return {n: v for n, v in environment.items() if os.environ.get(n) != v}


def preloaded(words: list[str], barrier: str | None) -> Sides:
    """An OpenMP program on both runtimes. Raises CannotRun, runner.Stopped."""
    program, runtime = starting.program(words), starting.library()
    file = starting.examine(program)
    set_by_user = {"WEIR_BARRIER": known(barrier)} if barrier is not None else {}
    own = Side(OWN, program, tuple(words), {})
    weir = Side(WEIR, program, tuple(words), _changed(starting.environment(runtime, set_by_user)))
    seen = needs(program, runtime) if file is not None else None
    missing = seen.missing if seen is not None else []
    if not (seen and seen.found) and not measuring.bound_to(weir, runtime):
        raise CannotRun(f"run: nothing to compare: {words[0]} was run, and it called no function of OpenMP")
    lost = f"{len(missing)} functions that it needs are missing: weir run --check {program} lists them"
    own_name = (seen.runtime if seen else None) or "its own runtime"
    return Sides(own, weir, words[0], own_name, "Weir's runtime", (lost,) if missing else ())


def launched(words: list[str], barrier: str | None) -> Sides:
    """An MPI program by its launcher. Raises CannotRun."""
    if not words:
        raise CannotRun("which program? weir run --mpi --compare -- mpirun -n 4 PROGRAM [ARGUMENTS]")
    launcher = starting.program(words)
    environment = launching.environment(barrier)
    weir = Side(WEIR, launcher, tuple(launching.words(launcher, words, environment)), _changed(environment))
    own = Side(OWN, launcher, tuple(words), {})
    return Sides(own, weir, "the program", "its MPI's own", "Weir's MPI_Barrier")
