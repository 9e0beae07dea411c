"""How the sessions of two files differ beside their figures: machines, load, versions."""

from collections.abc import Iterable, Sequence

from weir.base import others
from weir.base.hosts import described
from weir.base.records import Row, at
from weir.base.screen import nanoseconds, times
from weir.base.states import percent
from weir.comparing.comparison import Comparison
from weir.comparing.series import A, B, Series

# What makes times different without any change of the software.
OF_MACHINES = (
    ("the processor", "host.cpu_model"),
    ("the number of processors", "host.online"),
    ("the affinity mask", "host.affinity"),
    ("the CPU quota", "host.quota.processors"),
    ("the kernel", "host.kernel"),
)
MOST_NAMED = 4
MANY = 20  # series, of which one in 20 is marked by chance


def notes(a: Sequence[Row], b: Sequence[Row], found: Comparison) -> list[str]:
    """Sentences that a reader needs to judge the ratios, the gravest first."""
    made = [*_machines(a, b), *_load(a, b), *_floors(found), *_runs(found), *_chance(found)]
    return [*made, *_versions(a, b, found), *_states(found)]


def _machines(a: Sequence[Row], b: Sequence[Row]) -> list[str]:
    differ = []
    for words, name in OF_MACHINES:
        one, other = _said(a, name), _said(b, name)
        if one != other:
            differ.append(f"{words} ({_or(one)} in A, {_or(other)} in B)")
    if not differ:
        return []
    return [f"The machines differ, which may be the whole difference: {'; '.join(differ)}."]


def _said(rows: Iterable[Row], name: str) -> list[str]:
    hosts = [row for row in rows if row["kind"] == "machine" and not row["host"].get("simulated")]
    return sorted({_word(at(row, name)) for row in hosts})


def _word(value: object) -> str:
    return "none" if value is None else ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _or(words: Sequence[str]) -> str:
    return " or ".join(words) or "not stated"


def _load(a: Sequence[Row], b: Sequence[Row]) -> list[str]:
    busy = {file: share for file, rows in ((A, a), (B, b)) if (share := others.disturbed(rows)) is not None}
    if not busy:
        return []
    had = " and ".join(f"{share:.0%} of the processors in {file}" for file, share in busy.items())
    return [f"Other programs had {had}: the ratios are for this situation. Repeat the session on an idle machine."]


def _floors(found: Comparison) -> list[str]:
    """What the machine itself takes, where it is not the same."""
    changed = [
        f"{one.label} took {nanoseconds(one.a.value)} in A and {nanoseconds(one.b.value)} in B ({times(one.ratio)})"
        for one in found.floors
        if one.is_decided and one.ratio
    ]
    return [f"The machine itself changed, whatever the software: {'; '.join(changed)}."] if changed else []


def _runs(found: Comparison) -> list[str]:
    """A single run says nothing of how runs differ."""
    single = {file: sum(len(c.series.rows[file]) == 1 and c.values(file) > 1 for c in found.changes
                        if not c.series.exact) for file in (A, B)}  # fmt: skip
    few = " and ".join(f"{count} series in {file}" for file, count in single.items() if count)
    if not few:
        return []
    return [f"One run alone is behind {few}: how much runs differ from each other is not in those intervals. "
            "Measure with more runs (--rounds) before you trust a small ratio."]  # fmt: skip


def _chance(found: Comparison) -> list[str]:
    told = sum(c.ratio is not None and not c.series.exact for c in found.changes)
    if told < MANY:
        return []
    return [f"At 95 % one series in 20 is marked by chance alone, of {told} some {round(told / 20)}."]


def _versions(a: Sequence[Row], b: Sequence[Row], found: Comparison) -> list[str]:
    weir = [_said(rows, "host.version") for rows in (a, b)]
    differ = [f"Weir ({_or(weir[0])} in A, {_or(weir[1])} in B)"] if weir[0] != weir[1] else []
    for one in found.changes:
        versions = [sorted(one.series.versions(file)) for file in (A, B)]
        name = one.series.what.get("runtime") or one.series.what.get("mpi") or one.series.what.get("algorithm")
        if versions[0] != versions[1] and one.series.family != "weir":
            differ.append(f"{name} ({_or(versions[0])} in A, {_or(versions[1])} in B)")
    differ = list(dict.fromkeys(differ))
    more = f"; and {len(differ) - MOST_NAMED} more" if len(differ) > MOST_NAMED else ""
    return [f"Versions differ: {'; '.join(differ[:MOST_NAMED])}{more}."] if differ else []


def _states(found: Comparison) -> list[str]:
    states = sorted({c.series.state for c in found.changes} - {""})
    if not states:
        return []
    return [f"Series are compared within one state of the machine ({', '.join(states)}): a cache line takes longer "
            "from one processor to another in some."]  # fmt: skip


def hosts(rows: Sequence[Row], file: str) -> list[Row]:
    """For the page: the machine of the last session."""
    machines = [row for row in rows if row["kind"] == "machine" and not row["host"].get("simulated")]
    return [described(machines[-1], f"The machine of {file}")] if machines else []


def sessions(rows: Sequence[Row]) -> str:
    """When the file was measured, and what others had meanwhile."""
    machines = [row for row in rows if row["kind"] == "machine"]
    days = sorted({str(row["time"])[:16].replace("T", " ") for row in machines if row.get("time")})
    when = f"{days[0]} to {days[-1]}" if len(days) > 1 else "".join(days)
    shares = [others.share(row) for row in rows if row["kind"] == "load"]
    load = f"other programs had {percent(max(shares))} of the processors" if shares else ""
    stopped = "interrupted" if any(at(row, "settings.interrupted") is True for row in machines) else ""
    return ", ".join(filter(None, (when, load, stopped))) or "no session is described"


def nearest(all_series: Sequence[Series]) -> str:
    """Where nothing is in both files: how the two series differ that differ least."""
    first, second = ([s for s in all_series if file in s.rows and not s.is_floor][:200] for file in (A, B))
    least: tuple[int, list[str]] | None = None
    for one in first:
        for other in second:
            differ = [
                f"{name} ({_word(one_value)} in A, {_word(other_value)} in B)"
                for group in ("what", "where")
                for name in {**getattr(one, group), **getattr(other, group)}
                if (one_value := getattr(one, group).get(name)) != (other_value := getattr(other, group).get(name))
            ]
            differ += [f"family ({one.family} in A, {other.family} in B)"] if one.family != other.family else []
            differ += [f"source ({one.source} in A, {other.source} in B)"] if one.source != other.source else []
            differ += [f"state ({one.state or 'any'} in A, {other.state or 'any'} in B)"] * (one.state != other.state)
            if least is None or len(differ) < least[0]:
                least = len(differ), differ
    return "" if least is None else "; ".join(least[1][:MOST_NAMED])
