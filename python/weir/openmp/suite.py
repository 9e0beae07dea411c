"""What a session of the suite measures: constructs, on runtimes, in turn."""

import json
import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weir.base import native
from weir.base.names import Unknown, chosen
from weir.base.options import shortened
from weir.openmp.runtimes import Runtime, Stage, at

# Each program: a language as one compiler makes it, and the interface that it asks for.
PROGRAMS = {
    "weir-openmp-c-gcc": ("C", "gcc", "gomp"),
    "weir-openmp-c-clang": ("C", "clang", "kmp"),
    "weir-openmp-fortran-gfortran": ("Fortran", "gfortran", "gomp"),
    "weir-tasks-tbb": ("C++", "g++", "tbb"),
}
# The group of whole programs, whose samples last long: they are measured where they are asked for.
PROGRAM = "program"
# What is measured under a load if no constructs are named: each sample takes long.
UNDER_LOAD = [
    "parallel",
    "for",
    "parallel-for",
    "barrier",
    "single",
    "reduction",
    "critical",
    "lock",
    "ordered",
    "taskwait",
]
VALUES = {"": (), "chunk": (1, 4, 16, 64, 256, 1024), "size": (1, 9, 81, 729, 6561)}


@dataclass(frozen=True)
class Series:
    """One construct of one program on one runtime."""

    construct: str  # with its parameter: schedule-dynamic-n:16
    group: str
    program: str
    language: str
    compiler: str
    runtime: Runtime
    environment: tuple[tuple[str, str], ...] = ()  # OMP_*, KMP_*, GOMP_*

    @property
    def id(self) -> str:
        where = "".join(f" {k}={v}" for k, v in self.environment)
        return f"openmp:{self.runtime.name}:{self.language.lower()}-{self.compiler}:{self.construct}{where}"

    @property
    def process(self) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """Series that are alike in this are measured by one process."""
        return (self.program, self.runtime.name, self.environment)


@dataclass
class Suite:
    series: list[Series] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # a word on each program that is not there


def _listed(program: str, runtime: Runtime) -> list[dict[str, Any]]:
    """By a runtime that is here, which need not be the compiler's own: a machine without compilers may lack that."""
    path = native.require(program)
    with closing(Stage()) as stage:
        environment = os.environ | stage.environment(runtime)
        done = subprocess.run([path, "list"], capture_output=True, text=True, timeout=60, env=environment)
    if done.returncode != 0:
        raise native.NativeError(f"{path} list failed: {done.stderr.strip()}")
    return json.loads(done.stdout)["constructs"]


Environment = tuple[tuple[str, str], ...]
ENVIRONMENT = "NAME=VALUE with OMP_*, KMP_*, GOMP_* or WEIR_* (threads are --threads), or default"


def environment(text: str) -> Environment:
    """`OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0`, or `default`: settings besides the number of threads."""
    if text.strip() in ("", "default"):
        return ()
    pairs = [word.partition("=") for word in text.split()]
    for name, equals, _ in pairs:
        if not equals or not re.fullmatch(r"(OMP|KMP|GOMP|WEIR)_[A-Z_]+", name) or name == "OMP_NUM_THREADS":
            raise Unknown(f"{shortened(name + equals)} is none")
    return tuple(sorted((name, value) for name, _, value in pairs))


def _names(c: dict[str, Any], asked: Sequence[str] | None) -> bool:
    """Is the construct among those asked for, by its name or its group's?"""
    return c["group"] != PROGRAM if asked is None else c["name"] in asked or c["group"] in asked


def plan(
    found: list[Runtime],
    constructs: Sequence[str] | None,
    names: Sequence[str] | None,
    cross: bool,
    environments: Sequence[Environment] = ((),),
) -> Suite:
    """Every runtime with its own compiler's program, in each environment; `cross`: with each that it can run.
    Constructs are named by themselves or by their group. Raises Unknown."""
    if all(runtime.serves == ("tbb",) for runtime in found):
        raise Unknown("no OpenMP runtime was found on this machine: install gcc, or libomp-dev and clang")
    for path in [name for name in names or [] if "/" in name]:
        try:
            found = [*found, at(Path(path))]
        except (OSError, ValueError) as error:
            raise Unknown(f"--runtimes {path}: {error}") from None
        names = [found[-1].name if name == path else name for name in names or []]
    wanted_runtimes = chosen(names, [r.name for r in found], "--runtimes", "OpenMP runtime")
    suite = Suite()
    known: dict[str, dict[str, Any]] = {}
    for program, (language, compiler, interface) in PROGRAMS.items():
        if interface == "tbb" and not any(c["group"] == PROGRAM and _names(c, constructs) for c in known.values()):
            continue  # not missed where no programs are asked for
        if native.find(program) is None:
            suite.missing.append(f"{program} is not built: {language} by {compiler} is left out")
            continue
        serving = [runtime for runtime in found if interface in runtime.serves]
        if not serving:
            suite.missing.append(f"no runtime here serves {program}: {language} by {compiler} is left out")
            continue
        listed = _listed(program, serving[0])
        known |= {c["name"]: c for c in listed}
        for runtime in found:
            # LLVM's and Intel's have GCC's interface beside their own.
            own = runtime.meant_for or (("kmp",) if "kmp" in runtime.serves else runtime.serves)
            fits = interface in own or (cross and interface in runtime.serves)
            if runtime.name not in wanted_runtimes or not fits:
                continue
            for c in listed:
                if not _names(c, constructs):
                    continue
                for name in [f"{c['name']}:{n}" for n in VALUES[c["parameter"]]] or [c["name"]]:
                    for e in environments:
                        suite.series.append(Series(name, c["group"], program, language, compiler, runtime, e))
    chosen(constructs, [*known, *dict.fromkeys(c["group"] for c in known.values())], "--constructs", "construct")
    return suite
