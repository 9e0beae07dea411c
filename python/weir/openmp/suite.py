"""What a sitting of the suite measures: constructs, on runtimes, in turn."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from typing import Any

from weir import native
from weir.openmp.runtimes import Runtime

# Each program: a language as one compiler makes it, and the interface that it asks for.
PROGRAMS = {
    "weir-openmp-c-gcc": ("C", "gcc", "gomp"),
    "weir-openmp-c-clang": ("C", "clang", "kmp"),
    "weir-openmp-fortran-gfortran": ("Fortran", "gfortran", "gomp"),
}
VALUES = {"": (), "chunk": (1, 4, 16, 64, 256), "size": (1, 9, 81, 729, 6561)}


class Unknown(ValueError):
    """A construct or runtime that is not there; the message lists those that are."""


@dataclass(frozen=True)
class Series:
    """One construct of one program on one runtime."""

    construct: str  # with its parameter: schedule-dynamic-n:16
    group: str
    program: str
    language: str
    compiler: str
    runtime: Runtime

    @property
    def id(self) -> str:
        return f"openmp:{self.runtime.name}:{self.language.lower()}-{self.compiler}:{self.construct}"


@dataclass
class Suite:
    series: list[Series] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # a word on each program that is not there


def _listed(program: str) -> list[dict[str, Any]]:
    path = native.require(program)
    done = subprocess.run([path, "list"], capture_output=True, text=True, timeout=60, env=os.environ)
    if done.returncode != 0:
        raise native.NativeError(f"{path} list failed: {done.stderr.strip()}")
    return json.loads(done.stdout)["constructs"]


def plan(found: list[Runtime], constructs: list[str] | None, names: list[str] | None, cross: bool) -> Suite:
    """Every runtime with its own compiler's program; `cross`: with each that it can run. Raises Unknown."""
    if not found:
        raise Unknown("no OpenMP runtime was found on this machine: install gcc, or libomp-dev and clang")
    wanted_runtimes = _chosen(names, [r.name for r in found], "OpenMP runtime")
    suite = Suite()
    own = {"gomp": ("libgomp",), "kmp": ("libomp", "libiomp5")}
    known: dict[str, None] = {}
    for program, (language, compiler, interface) in PROGRAMS.items():
        if native.find(program) is None:
            suite.missing.append(f"{program} is not built: {language} by {compiler} is left out")
            continue
        listed = _listed(program)
        known |= dict.fromkeys(c["name"] for c in listed)
        for runtime in found:
            fits = interface in runtime.serves and (cross or runtime.name.startswith(own[interface]))
            if runtime.name not in wanted_runtimes or not fits:
                continue
            for c in listed:
                if constructs is not None and c["name"] not in constructs:
                    continue
                for name in [f"{c['name']}:{n}" for n in VALUES[c["parameter"]]] or [c["name"]]:
                    suite.series.append(Series(name, c["group"], program, language, compiler, runtime))
    _chosen(constructs, list(known), "construct")
    return suite


def _chosen(asked: list[str] | None, known: list[str], kind: str) -> list[str]:
    for name in asked or []:
        if name not in known:
            raise Unknown(f"no {kind} is called {name!r}; known are {', '.join(known)}")
    return asked or known
