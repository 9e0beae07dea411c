"""From what the simulator answers to records (docs/records.md)."""

from collections.abc import Sequence

from weir.base.places import on_fullest
from weir.base.records import Row
from weir.simulation import fields

MOST_SAMPLES = 50


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def in_samples(values: Sequence[float], most: int = MOST_SAMPLES) -> tuple[list[float], int]:
    """At most so many samples, each the mean of as many episodes; what is left over at the end is dropped."""
    inner = max(1, len(values) // most)
    count = len(values) // inner
    return [mean(values[i * inner : (i + 1) * inner]) for i in range(count)], inner


def overhead(answer: Row, application: Row, index: int, common: Row) -> fields.Row:
    """One application of one run, as the row that a measurement makes."""
    members, processors = application["members"], answer["processors"]
    episodes, inner = in_samples(application["episode_ns"])
    reference = on_fullest(members, processors) * application["compute_ns"]
    spent = [t for t in answer["threads"] if t["application"] == index]
    busy = sum(t.get(f"{a}_ns", 0.0) for t in spent for a in ("computing", "spinning", "synchronizing", "switching"))
    cpu = busy / max(1, len(application["episode_ns"]))
    algorithm, waiting = application["barrier"], application["waiting"]
    return {
        "kind": "overhead",
        **common,
        "what": {
            "family": "weir",
            "id": f"weir:{algorithm}/{waiting}",
            "algorithm": algorithm,
            "waiting": waiting,
            "version": "simulated",
        },
        "where": {
            "members": members,
            "processors": processors,
            "pinned": bool(application["placement"]),
            "load": "none" if len(answer["applications"]) == 1 else "others",
            "delay_ns": application["compute_ns"],
        },
        "how": {
            "method": "simulation",
            "run": answer["seed"],
            "samples": len(episodes),
            "inner": inner,
            "rejected": None,
            "complete": True,
            "stopped": None,
            "starts": 1,
        },
        "samples": {
            "episode_ns": episodes,
            "reference_ns": [reference] * len(episodes),
            "overhead_ns": [e - reference for e in episodes],
            "cpu_ns": [cpu] * len(episodes),
        },
    }


def _columns(rows: Sequence[Row]) -> Row:
    """A list of objects as an object of lists: what is nowhere seen is left out."""
    keys = dict.fromkeys(k for row in rows for k in row)
    return {k: [row.get(k, 0) for row in rows] for k in keys}


def simulation(answer: Row, common: Row) -> fields.Simulation:
    """The whole of one run: applications, threads, processors, memory."""
    applications = []
    for a in answer["applications"]:
        kept = {k: v for k, v in a.items() if k not in ("episode_ns", "barrier_ns")}
        kept |= {
            "episodes": len(a["episode_ns"]),
            "episode_ns": mean(a["episode_ns"]),
            "barrier_ns": mean(a["barrier_ns"]),
        }
        applications.append(kept)
    row = {
        "kind": "simulation",
        **common,
        **{
            k: answer[k]
            for k in ("point", "seed", "chosen", "machine", "processors", "quantum_ns", "end_ns", "counted_from_ns")
        },
        "applications": applications,
        "threads": _columns(answer["threads"]),
        "on_processors": _columns(answer["on_processors"]),
        "distances": answer["distances"],
        "memory": answer["memory"],
        "lines": answer["lines"],
        "cost": {k: answer[k] for k in ("accesses", "events", "host_s")},
    }
    return row


def failure(point: Row, seed: int, reason: str, common: Row) -> list[fields.Row]:
    """A run that gave no figure: one row for each of its applications."""
    return [
        {
            "kind": "failure",
            **common,
            "point": point["point"],
            "chosen": point["chosen"],
            "what": {
                "family": "weir",
                "id": f"weir:{a['barrier']}/{a['waiting']}",
                "algorithm": a["barrier"],
                "waiting": a["waiting"],
                "version": "simulated",
            },
            "where": {
                "members": a["members"],
                "processors": point["processors"],
                "pinned": False,
                "load": "none" if len(point["applications"]) == 1 else "others",
                "delay_ns": a["compute_ns"],
            },
            "how": {"method": "simulation", "run": seed, "stopped": reason},
        }
        for a in point["applications"]
    ]


def metric(row: Row, name: str) -> float:
    """Of a simulation row: one of scenario.METRICS, times in ns."""
    apps = row["applications"]
    first = apps[0]
    passes = first["episodes"] * min(sum(a["members"] for a in apps), row["processors"])
    if name == "episode":
        return first["episode_ns"]
    if name == "overhead":
        return first["episode_ns"] - on_fullest(first["members"], row["processors"]) * first["compute_ns"]
    if name == "completion":
        return row["end_ns"]
    if name == "turnaround":
        return mean([a["finished_ns"] - a["arrived_ns"] for a in apps])
    if name == "efficiency":
        return sum(row["threads"].get("computing_ns", [0])) / (
            (row["end_ns"] - row["counted_from_ns"]) * row["processors"]
        )
    if name == "failed":
        return row["memory"]["failed"] / passes
    if name == "passed":
        return row["memory"]["atomics"] / passes
    if name == "misses":
        return sum(row["memory"]["misses"]) / passes
    if name == "switches":
        return sum(row["threads"]["switches"]) / first["episodes"]
    raise KeyError(name)
