"""Whether a runtime takes the settings that a row is to name. A runtime ignores one that it does not know, or does not
understand, most without a word: so it is asked what it has taken, by OMP_DISPLAY_ENV."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing

from weir.base import native
from weir.openmp.runtimes import Runtime, Stage
from weir.openmp.suite import Environment, Series, Suite

# `NAME = 'VALUE'`, with the device before it in newer versions. LLVM's ends some values without a quote, and says of
# others that they are not defined.
SHOWN = re.compile(r"^\s*(?:\[\w+\] )?(\w+)\s*(?:=\s*'?(.*?)'?|:\s*(.*?))\s*$", re.MULTILINE)
ONE_REGION = "sample barrier\nquit\n"  # LLVM's shows nothing before the first
PATIENCE_S = 60


def confirmed(suite: Suite) -> Suite:
    """Without the series whose settings their runtime does not take: a word on each of these is among what is missing.
    Starts each program on its runtime with these settings, and without where what it shows is another word."""
    refused: dict[tuple[str, str, Environment], str] = {}
    for s in suite.series:
        if s.environment and s.process not in refused:
            refused[s.process] = _refused(s)
    words = [word for word in dict.fromkeys(refused.values()) if word]
    return Suite([s for s in suite.series if not refused.get(s.process)], [*suite.missing, *words])


def _refused(s: Series) -> str:
    taken = _shown(s.program, s.runtime, s.environment)
    for name, value in s.environment:
        if name not in taken:
            return f"{s.runtime.name} does not take {name}={value}: its OMP_DISPLAY_ENV=verbose has no {name}"
        if not _alike(value, taken[name]) and taken[name] == _shown(s.program, s.runtime, ()).get(name):
            return f"{s.runtime.name} does not take {name}={value}: it stays {taken[name] or 'unset'}"
    return ""


def _alike(asked: str, shown: str) -> bool:
    return asked.strip().casefold() == shown.strip().casefold()


def _shown(program: str, runtime: Runtime, settings: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    words = [native.require(program), "serve", "--delay-ns", "0", "--sample-ms", "0.01", "--limit-ms", "100"]
    words += ["--processors", "1", "--capacity", "1"]
    with closing(Stage()) as stage:
        environment = os.environ | {"OMP_NUM_THREADS": "2"} | dict(settings) | stage.environment(runtime)
        done = subprocess.run(
            words,
            input=ONE_REGION,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=environment | {"OMP_DISPLAY_ENV": "verbose"},
        )
    return {name: value or word for name, value, word in SHOWN.findall(done.stderr)}
