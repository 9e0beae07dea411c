"""Paper 001: barriers in an OpenMP runtime, on Altix and Sun Fire."""

from weir.simulation.findings.finding import Finding, Judge
from weir.simulation.results import Results


def _best(r: Results, members: int, **chosen: str) -> str:
    return min(r.swept("barrier"), key=lambda b: r.value("overhead", barrier=b, members=members, **chosen))


def _bests(r: Results, sizes: list[int], **chosen: str) -> str:
    return ", ".join(f"{n}: {_best(r, n, **chosen)}" for n in sizes)


def _altix(r: Results) -> list[Finding]:
    sizes = r.swept("members")
    small, large = [n for n in sizes if n < 16], [n for n in sizes if n >= 16]
    found = []
    for homes, where in (
        ("first", "all lines beside the first thread"),
        ("waiter", "each line beside its waiter"),
    ):
        why = {
            "first": "Where a bus holds two or four processors the model makes them cheap for every barrier; at "
            "8 the two are close.",
            "waiter": "Without a common home nothing in the model holds dissemination back, so the paper's result is "
            "explained by where its runtime's lines lay; the paper does not say.",
        }[homes]
        found += [
            Finding(
                "001, table 1",
                f"Dissemination is best below 16 threads ({where}).",
                _bests(r, small, homes=homes),
                all(_best(r, n, homes=homes) == "dissemination" for n in small),
                why,
            ),
            Finding(
                "001, table 1",
                f"Tournament is best from 16 threads on ({where}).",
                _bests(r, large, homes=homes),
                all(_best(r, n, homes=homes) == "tournament" for n in large),
                why,
            ),
        ]
    most = sizes[-1]
    for homes in ("waiter", "first"):
        behind = min(
            r.value("overhead", barrier=b, members=n, homes=homes)
            / r.value("overhead", barrier=_best(r, n, homes=homes), members=n, homes=homes)
            for b in ("condvar", "sense")
            for n in large
        )
        found.append(
            Finding(
                "001, section 4.1",
                f"Central and blocking barriers did not perform as well as the best (homes: {homes}).",
                f"at least {behind:.1f} times the best from 16 to {most} threads",
                behind > 1,
            )
        )
    return found  # fmt: skip


def _sunfire(r: Results) -> list[Finding]:
    sizes = r.swept("members")
    return [
        Finding(
            "001, table 2",
            "Dissemination is best at 2, 4, 8 and 16 threads.",
            _bests(r, sizes),
            all(_best(r, n) == "dissemination" for n in sizes),
        )
    ]


JUDGES: dict[str, Judge] = {
    "001-altix-3700": _altix,
    "001-altix-4700": _altix,
    "001-sunfire": _sunfire,
}
