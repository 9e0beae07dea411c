"""What a sweep's keys and values are called on pages, in charts and in tables alike."""

from weir.simulation.results import short

KEYS = {
    "members": "threads",
    "compute_us": "computing between two barriers",
    "trace": "threads recorded",
    "clean_copy": "clean lines",
    "homes": "where lines lie",
    "skip_spinning": "thread package",
    "distribution": "computing",
}
VALUES: dict[str, dict[object, str]] = {
    "clean_copy": {"home": "clean lines from memory", "nearest": "clean lines from the nearest cache"},
    "construct": {"region": "a parallel region", "reduction": "a reduction"},
    "release": {"word": "released by a word", "barrier": "released by a barrier"},
    "homes": {"waiter": "each line beside its waiter", "first": "all lines beside the first thread"},
    "skip_spinning": {True: "a package that looks before it switches", False: "a package that goes round"},
    "distribution": {
        "constant": "constant computing", "uniform": "uniform computing", "exponential": "exponential computing",
        "slow-member": "one slow thread",
    },
    "waiting": {
        "spin": "spin", "yield": "yield at once", "share": "yield to threads of the processor", "block": "sleep",
    },
}  # fmt: skip


def key(name: str) -> str:
    return KEYS.get(short(name), short(name).replace("_us", "").replace("_", " "))


def value(name: str, setting: object) -> str:
    if short(name) == "compute_us":
        return f"{float(setting):,.10g} µs"
    return VALUES.get(short(name), {}).get(setting, str(setting))


def panel(name: str, setting: object) -> str:
    """The title of a chart's panel: words that need no key before them."""
    said = value(name, setting)
    if short(name) == "waiting":
        return f"waiting threads {said}"
    return said if short(name) in VALUES else f"{key(name)}: {said}"
