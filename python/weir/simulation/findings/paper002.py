"""Paper 002: distributed counters with local sensors, on POWER4 and POWER3."""

from weir.base.screen import nanoseconds
from weir.simulation.findings.finding import Finding, Judge
from weir.simulation.results import Results

NAMES = {
    "counter": "FetchAndAdd",
    "sensor": "LocalSensor",
    "distributed": "DistCounter",
    "distributed-padded": "DistCounterPad",
    "distributed-sensor": "Combined",
}


def _power3(r: Results) -> list[Finding]:
    return _compared(r, "figure 8", 0.87, "")


def _power4(r: Results) -> list[Finding]:
    found = []
    for clean, words in (("home", "clean lines from memory"), ("nearest", "clean lines from the nearest cache")):
        found += _compared(r, "figure 7", 0.79, f" ({words})", clean_copy=clean)
        found += _padding(r, words, clean)
    return [*found, _store_conditionals(r)]


WHY_PADDED = (
    "If any cache of a module can supply a clean line, all members scan the padded counters nearly as fast as the "
    "master alone, which must release them afterwards. If clean lines come from memory, they do not."
)


def _compared(r: Results, figure: str, said: float, words: str, **chosen: str) -> list[Finding]:
    largest = r.swept("members")[-1]
    time = {b: r.value("overhead", barrier=b, members=largest, **chosen) for b in NAMES}
    order = [NAMES[b] for b in sorted(time, key=lambda b: -time[b])]
    less = 1 - time["distributed-sensor"] / time["counter"]
    return [
        Finding(
            f"002, {figure}",
            f"Combined is the fastest of the five, fetch-and-add the slowest{words}.",
            f"at {largest}, slowest first: " + ", ".join(order),
            order[0] == "FetchAndAdd" and order[-1] == "Combined",
            WHY_PADDED,
        ),
        Finding(
            "002, abstract",
            f"Combined takes {said:.0%} less than fetch-and-add{words}.",
            f"{less:.0%} less at {largest}",
            abs(less - said) <= 0.10,
        ),
    ]


def _padding(r: Results, words: str, clean: str) -> list[Finding]:
    largest = r.swept("members")[-1]
    names = ("distributed", "distributed-padded", "distributed-sensor")
    time = {b: r.value("overhead", barrier=b, members=largest, clean_copy=clean) for b in names}
    misses = {b: r.value("misses", barrier=b, members=largest, clean_copy=clean) for b in names}
    less = 1 - time["distributed-sensor"] / time["distributed-padded"]
    return [
        Finding(
            "002, section 5",
            f"Combined takes 33 % less than the next best, the padded counters ({words}).",
            f"{less:.0%} less" if less > 0 else f"{-less:.0%} more",
            abs(less - 0.33) <= 0.10,
            WHY_PADDED,
        ),
        Finding(
            "002, figure 10",
            f"With padding there are more cache misses, and yet less time ({words}).",
            f"misses {misses['distributed-padded']:.1f} against {misses['distributed']:.1f} a barrier and processor, "
            f"time {nanoseconds(time['distributed-padded'])} against {nanoseconds(time['distributed'])}",
            misses["distributed-padded"] > misses["distributed"] and time["distributed-padded"] < time["distributed"],
        ),
    ]


def _store_conditionals(r: Results) -> Finding:
    sizes = r.swept("members")
    largest = sizes[-1]
    chosen = {"barrier": "counter", "clean_copy": "nearest"}
    failed = [r.value("failed", members=n, **chosen) for n in sizes]
    passed = [r.value("passed", members=n, **chosen) for n in sizes]
    return Finding(
        "002, figure 9",
        "Store-conditionals that pass stay as many on each processor; those that fail grow sharply with processors.",
        f"passed {min(passed):.2f} to {max(passed):.2f} a barrier and processor, failed {failed[0]:.2f} at {sizes[0]} "
        f"to {failed[-1]:.1f} at {largest}",
        max(passed) < 1.1 * min(passed) and failed == sorted(failed) and failed[-1] > 10 * failed[1],
    )


JUDGES: dict[str, Judge] = {"002-power4": _power4, "002-power3": _power3}
