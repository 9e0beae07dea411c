"""Predictions as records, and their values in words and in JSON."""

from fractions import Fraction
from typing import Any

from weir.base.places import on_fullest
from weir.prediction import fields

Cell = Fraction | float | int | str | None


def words(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, (Fraction, float)):
        return f"{float(value):,.6g}"
    return str(value)


def plain(value: Any) -> Any:
    """A fraction as the nearest number that JSON has."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def record(
    barrier: tuple[str, str, str],
    team: tuple[int, int],
    compute: Fraction,
    episode: Fraction,
    formula: str,
    by: str = "TR 380",
    **how: Any,
) -> fields.Row:
    """A row like a measured one (docs/records.md): a sample is what one barrier takes on the average.

    `barrier`: algorithm, waiting and the formula's name; `team`: members and processors; `by`: whose formula
    it is; `how`: what else it was given. A processor that has only waiting members spins (section 3.4), so all
    are busy all the time.
    """
    algorithm, waiting, name = barrier
    members, processors = team
    given = ",".join(f"{k}={words(v)}" for k, v in how.items())
    reference = on_fullest(members, processors) * compute
    times = {
        "episode_ns": episode,
        "reference_ns": reference,
        "overhead_ns": episode - reference,
        "cpu_ns": min(members, processors) * episode,
    }
    return {
        "kind": "overhead",
        "session": "predicted",
        "source": "predicted",
        "what": {
            "family": fields.FAMILY,
            # What was given is part of it: figures of two quanta are never merged.
            "id": f"formula:{algorithm}/{waiting}:{name}" + (f":{given}" if given else ""),
            "algorithm": algorithm,
            "waiting": waiting,
            "version": by,
        },
        "where": {
            "members": members,
            "processors": processors,
            "pinned": True,
            "load": "none",
            "delay_ns": float(compute * 10**6),
        },
        "how": {
            "method": "formula",
            "run": 0,
            "samples": 1,
            "rejected": None,
            "complete": True,
            "stopped": None,
            "formula": formula,
            **{k: plain(v) for k, v in how.items()},
        },
        "samples": {k: [float(v * 10**6)] for k, v in times.items()},
    }
