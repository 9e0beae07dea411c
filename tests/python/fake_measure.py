#!/usr/bin/env python3
"""Speaks the measuring programs' protocol, with figures from a seeded generator: a test double.

Subjects that misbehave: `weir:hang/auto` never answers, `weir:crash/auto` ends the program,
`weir:error/auto` answers with an error.
"""

import json
import random
import sys
import time
from pathlib import Path

COSTS = {
    "weir:auto/auto": ("weir", "auto", "auto", 50.0),
    "weir:sense/auto": ("weir", "sense", "auto", 60.0),
    "weir:sense/spin": ("weir", "sense", "spin", 55.0),
    "weir:hang/auto": ("weir", "hang", "auto", 1.0),
    "weir:crash/auto": ("weir", "crash", "auto", 1.0),
    "weir:error/auto": ("weir", "error", "auto", 1.0),
    "peer:std::barrier": ("peer", "std::barrier", "own", 900.0),
    "floor:transfer:0:1": ("floor", "transfer", "none", 40.0),
    "floor:switch:0": ("floor", "switch", "none", 1100.0),
}

# Where a transfer takes long: how many times as much.
FAR = {"weir:auto/auto": 8.0, "weir:sense/auto": 1.0, "floor:transfer:0:1": 5.0}
STATE = Path(__file__).with_name("state")


def listing() -> list[dict]:
    return [{"id": i, "family": f, "algorithm": a, "waiting": w, "version": "1"} for i, (f, a, w, _) in COSTS.items()]


def sample(name: str, dice: random.Random) -> dict:
    if name == "weir:hang/auto":
        time.sleep(1000)
    if name == "weir:crash/auto":
        print("out of luck", file=sys.stderr)
        sys.exit(3)
    if name == "weir:error/auto" or name not in COSTS:
        return {"id": name, "error": "no such luck"}
    is_far = STATE.exists() and STATE.read_text() == "far"
    overhead = COSTS[name][3] * dice.uniform(0.95, 1.05) * (FAR.get(name, 1.0) if is_far else 1.0)
    return {
        "id": name,
        "inner": 100,
        "episode_ns": overhead + 100,
        "reference_ns": 100.0,
        "overhead_ns": overhead,
        "cpu_ns": 2 * overhead + 200,
        "cycles_per_ns": 2.5,
    }


def main() -> None:
    if sys.argv[1] == "list":
        print(json.dumps(listing()))
        return
    if sys.argv[1] == "busy":
        time.sleep(1000)
    dice = random.Random(" ".join(sys.argv))
    for number, line in enumerate(sys.stdin):
        if number == 100:
            Path(__file__).with_name("answered").touch()  # for a test that must come in the midst
        verb, _, name = line.strip().partition(" ")
        if verb == "quit":
            return
        print(json.dumps(sample(name, dice)), flush=True)


main()
