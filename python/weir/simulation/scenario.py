"""A scenario: its file, where scenarios and machines are, the points of its sweep, its chart."""

import json
import os
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base import native
from weir.base.options import shortened


class BadScenario(ValueError):
    """The message names the file, where it can the line, the key, and what was expected."""


def machines_folder() -> Path:
    return native.data("machines")


def named() -> dict[str, Path]:
    """The scenarios that come with Weir, by name."""
    return {path.stem: path for path in sorted(native.data("scenarios").glob("*.toml"))}


def find(text: str) -> Path:
    path = Path(text)
    if os.path.isfile(path):
        return path
    known = named()
    if text in known:
        return known[text]
    raise BadScenario(
        f"SCENARIO {shortened(text)}: no such file, and no scenario has that name; known are {', '.join(known)}"
    )


@dataclass(frozen=True)
class Plan:
    """What is to be run: every point with every seed."""

    path: Path
    machines: Path
    about: str
    charts: list[dict[str, Any]]
    points: list[dict[str, Any]]
    seeds: list[int]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def swept(self) -> list[str]:
        return list(self.points[0]["chosen"])

    def steps(self) -> int:
        return len(self.points) * len(self.seeds)


METRICS = {
    "episode": "time from one barrier to the next",
    "overhead": "overhead of one barrier",
    "completion": "completion time",
    "turnaround": "mean time from an application's arrival to its end",
    "efficiency": "share of processor time spent computing",
    "failed": "failed store-conditionals a barrier and processor",
    "passed": "atomic updates a barrier and processor",
    "misses": "cache misses a barrier and processor",
    "switches": "context switches a barrier",
}
CHART_KEYS = ("x", "y", "color", "column", "against", "predicted", "log", "only")
PREDICTIONS = ("spinning", "staircase")


def _charts(path: Path, swept: list[str]) -> list[dict[str, Any]]:
    charts = tomllib.loads(path.read_text(encoding="utf-8")).get("chart", [])
    if not isinstance(charts, list) or not all(isinstance(c, dict) for c in charts):
        raise BadScenario(f"{path}:{_line_of(path, 0, '')}: chart: expected tables [[chart]]")
    for number, chart in enumerate(charts):
        for key, expected in _flaws(chart, swept):
            raise BadScenario(f"{path}:{_line_of(path, number, key)}: chart.{key}: expected {expected}")
    return charts


def _flaws(chart: dict[str, Any], swept: list[str]) -> Iterator[tuple[str, str]]:
    """For each thing wrong with it the key and what was expected."""
    for key in chart:
        if key not in CHART_KEYS:
            yield key, "no such key; known are " + ", ".join(CHART_KEYS)
    keys = "a key of [sweep], which are " + (", ".join(swept) or "none")
    if "x" not in chart:
        yield "x", keys + ", and it is missing"
    for key in ("x", "color", "column"):
        if key in chart and chart[key] not in swept:
            yield key, f"{keys}; not {chart[key]!r}"
    for key, known in (("y", tuple(METRICS)), ("predicted", PREDICTIONS), ("log", ("x", "y", "xy"))):
        if key in chart and chart[key] not in known:
            yield key, f"one of {', '.join(known)}; not {chart[key]!r}"
    against = chart.get("against", {"key": swept[0], "value": 0} if swept else {})
    if not isinstance(against, dict) or against.get("key") not in swept or "value" not in against:
        yield "against", "{ key = a key of [sweep], value = one of its values, times = a number }"
    only = chart.get("only", {})
    if not isinstance(only, dict) or not all(k in swept and isinstance(v, list) for k, v in only.items()):
        yield "only", "{ key of [sweep] = [values to be drawn] }"


def _line_of(path: Path, wanted: int, key: str) -> int:
    """The key's position in the chart of that number, which tomllib does not give."""
    number, begins = -1, 1
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if text.strip().startswith("["):
            number += text.strip().startswith(("[[chart", "[chart"))
            begins = line if number == wanted else begins
            inside = text.strip().startswith("[[chart") and number == wanted
        elif number == wanted and inside and text.partition("=")[0].strip() == key:
            return line
    return begins


def plan(path: Path, seeds: int | None = None, first_seed: int | None = None, machines: Path | None = None) -> Plan:
    """Checks the whole scenario, every point of it. Raises BadScenario, NativeError."""
    folder = machines or machines_folder()
    if not any(folder.glob("*.toml")):
        raise BadScenario(f"--machines: {folder} holds no machine's file, which ends in .toml")
    program = native.require("weir-simulate")
    done = subprocess.run([program, "check", path, folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise BadScenario(done.stderr.strip() or f"{program} check ended with status {done.returncode}")
    said = json.loads(done.stdout)
    start = said["seed"] if first_seed is None else first_seed
    count = said["seeds"] if seeds is None else seeds
    points = said["points"]
    charts = _charts(path, list(points[0]["chosen"]))
    return Plan(path, folder, said["about"], charts, points, [start + i for i in range(count)])
