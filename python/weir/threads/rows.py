"""Rows of these experiments (docs/records.md), measured, simulated and predicted alike."""

from typing import Any

from weir.base.places import on_fullest
from weir.base.records import LISTS, Row
from weir.threads import fields
from weir.threads.experiments import KINDS, Program

COSTS = "costs"  # the experiment of the rows that hold what switches and quanta take


def _row(what: Row, where: Row, how: Row, source: str, session: str | None) -> fields.Row:
    return {
        "kind": "overhead",
        "session": session,
        "source": source,
        "what": {"family": fields.FAMILY, "version": source, **what},
        "where": {"pinned": True, "load": "none", "applications": 1, "policy": "shared", "distribution": "constant"}
        | where,
        "how": {"method": "overhead", "run": 0, "rejected": None, "complete": True, "stopped": None} | how,
    }


def of_program(one: Program, session: str | None, source: str, costs: Row, **how: Any) -> fields.Row:
    """Without samples. `costs`: what switches and quanta of its kind take."""
    what = {
        "id": one.id,
        "experiment": one.experiment,
        "threads": one.threads,
        "algorithm": one.barrier,
        "waiting": one.waiting,
    }
    where = {
        "members": one.members,
        "processors": one.processors,
        "delay_ns": one.compute_ns,
        "applications": one.applications,
        "policy": one.policy,
        "distribution": one.distribution,
        "slot_us": one.slot_us,
    }
    return _row(what, where, costs | how, source, session)


def of_cost(name: str, kind: str, session: str, samples: Row, **how: Any) -> fields.Row:
    """`name`: switch or quantum."""
    what = {"id": f"{name}:{kind}", "experiment": COSTS, "threads": kind, "algorithm": name, "waiting": "none"}
    where = {"members": 2, "processors": 1, "delay_ns": 0.0}
    return _row(what, where, how | {"samples": len(samples["episode_ns"])}, "measured", session) | {"samples": samples}


def of_one_value(
    one: Program, episode_ns: list[float], compute_ns: float, source: str, costs: Row, **how: Any
) -> fields.Row:
    """Simulated or predicted. `compute_ns`: what the program really computed where it was measured."""
    row = of_program(one, None, source, costs, samples=len(episode_ns), **how)
    reference = on_fullest(one.all_members, one.processors) * compute_ns
    lists = {
        "episode_ns": episode_ns,
        "reference_ns": [reference] * len(episode_ns),
        "overhead_ns": [e - reference for e in episode_ns],
        "cpu_ns": [min(one.all_members, one.processors) * e for e in episode_ns],
    }
    assert set(lists) == set(LISTS)
    return row | {"samples": lists}


def program_of(row: Row) -> Program:
    what, where = row["what"], row["where"]
    return Program(
        what["experiment"],
        what["threads"],
        what["algorithm"],
        what["waiting"],
        where["members"],
        where["processors"],
        where["delay_ns"],
        where["applications"],
        where["policy"],
        where["distribution"],
        where.get("slot_us", 0),
    )


def is_of_threads(row: Row) -> bool:
    return row["kind"] in ("overhead", "failure") and row["what"]["family"] == fields.FAMILY


def is_of_program(row: Row) -> bool:
    return is_of_threads(row) and row["what"]["experiment"] != COSTS and row["what"]["threads"] in KINDS
