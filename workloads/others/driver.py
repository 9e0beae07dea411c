"""What the drivers of other people's programs share: interpreters, options, threads, times, the end.

A driver works through a list of independent calls, in turn or in several threads of Python at a time. Its result is the
same either way, and goes to stdout; the time of the calls goes to stderr.
"""

import argparse
import importlib.util
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

ROOT = Path(__file__).resolve().parents[2]
DEBIANS = "/usr/bin/python3"
VENV = ROOT / ".venv-workloads" / "bin" / "python"
PREPARED = "WEIR_WORKLOADS_PREPARED"  # set in a driver that has replaced itself, so that it does so once
Result = TypeVar("Result")


class Driver:
    def __init__(self, name: str, about: str, python_threads: bool = True, pool: str = "") -> None:
        """`about`: the first lines of --help. `pool`: what has as many threads as the option --threads says, if those
        are not OpenMP's."""
        self.name, self.wall, self.processors = name, 0.0, 0.0
        self.parser = argparse.ArgumentParser(prog=name, description=about, allow_abbrev=False)
        self.threads, self.pool = 1, 0
        if pool:
            self.whole("--threads", len(os.sched_getaffinity(0)), 1, 256, f"threads of {pool}")
        if python_threads:
            self.whole("--python-threads", 1, 1, 256, "threads of Python that call the library at the same time")

    def whole(self, name: str, default: int, least: int, most: int, about: str) -> None:
        def read(word: str) -> int:
            if re.fullmatch("[0-9]+", word) is None or not least <= int(word) <= most:
                raise argparse.ArgumentTypeError(f'takes a whole number from {least} to {most}, not "{word}"')
            return int(word)

        help = f"{about} ({least}..{most}; {default})"
        self.parser.add_argument(name, type=read, default=default, metavar="N", help=help)

    def choice(self, name: str, choices: Sequence[str], about: str) -> None:
        self.parser.add_argument(name, choices=choices, default=choices[0], help=f"{about} ({choices[0]})")

    def read(self) -> argparse.Namespace:
        """The options. A wrong one ends the program with status 2."""
        given = self.parser.parse_args()
        self.threads = getattr(given, "python_threads", 1)
        self.pool = getattr(given, "threads", 0)
        return given

    def refuse(self, why: str) -> NoReturn:
        print(f"{self.name}: {why}", file=sys.stderr)
        sys.exit(2)

    def python(
        self, program: str | Path, *modules: str, libraries: str = "", variables: Mapping[str, str] | None = None
    ) -> None:
        """Goes on in this interpreter, with a folder of libraries in front of those that the linker knows, and with
        variables that a library reads as it is loaded. To be called before the modules are imported: the linker reads
        its variables when a process starts."""
        if os.environ.pop(PREPARED, None) is None:
            if not Path(program).exists():
                self.refuse(f"{program} is missing: scripts/setup workloads installs it")
            environment = {**os.environ, **(variables or {}), PREPARED: "1"}
            if libraries:
                # Behind the folder that says which runtime answers to OpenMP's names.
                environment["LD_LIBRARY_PATH"] = ":".join(filter(None, (os.environ.get("LD_LIBRARY_PATH"), libraries)))
            os.execve(program, [str(program), *sys.argv], environment)
        for module in modules:
            if importlib.util.find_spec(module) is None:
                self.refuse(f"{sys.executable} has no module {module}: scripts/setup workloads installs it")

    def command(self, name: str) -> str:
        if (found := shutil.which(name)) is None:
            self.refuse(f"{name} is missing: scripts/setup workloads installs it")
        return found

    def timed(self, calls: Sequence[Callable[[], Result]]) -> list[Result]:
        """What they return, in their order."""
        if self.threads > 1:
            from joblib import Parallel, delayed  # before the time is taken
        wall, before = time.monotonic(), os.times()
        if self.threads > 1:
            results = Parallel(n_jobs=self.threads, backend="threading")(delayed(call)() for call in calls)
        else:
            results = [call() for call in calls]
        self.took(time.monotonic() - wall, sum(os.times()[:4]) - sum(before[:4]))
        return results

    def took(self, wall: float, processors: float) -> None:
        self.wall += wall
        self.processors += processors

    def finish(self, result: str, wrong: Sequence[str], how: str = "") -> NoReturn:
        """`wrong`: the checks that failed. `how`: what else is to be said of this run than its times."""
        words = [f"{self.pool or team()} threads", f"{self.wall:.4f} s", f"{self.processors:.2f} s of processors"]
        words += [f"called from {self.threads} threads of Python"] * (self.threads > 1) + [how] * bool(how)
        # Lines in one piece, newline included: copies may print at the same time, and Python may keep no buffer.
        sys.stdout.write(f"{result}\n")
        for line in (", ".join(words), *(f"wrong: {check}" for check in wrong)):
            sys.stderr.write(f"{self.name}: {line}\n")
        sys.stdout.flush()
        sys.exit(1 if wrong else 0)


def team() -> int:
    """The threads of an outermost region."""
    first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isdigit() and int(first) > 0 else len(os.sched_getaffinity(0))


def openblas() -> str:
    """The folder where OpenBLAS with OpenMP goes by BLAS's name; empty if it is not installed."""
    found = next(Path("/usr/lib").glob("*/openblas-openmp/libblas.so.3"), None)
    return str(found.parent) if found else ""
