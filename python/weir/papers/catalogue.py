"""The catalogue: of each paper every table, figure and conclusion, with a verdict.

NUMBER.toml lists what a paper says. Where a judge speaks of it, of a scenario (python/weir/simulation/findings) or of a
measured table (measured.py), the verdict is the judge's, kept in judged.json: `scripts/document-papers` writes it, and
tests run every scenario and compare. Other verdicts are stated in the list.
"""

import json
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from weir.base.papers import TITLES
from weir.papers.judgements import Judged
from weir.papers.measured import TABLES

FOLDER = Path(__file__).parent
JUDGED = FOLDER / "judged.json"
AGREES, IN_PART, DIFFERS, NOT_MEASURED, OPEN = "agrees", "in part", "differs", "not measured", "open"
VERDICTS = {
    AGREES: "within the tolerance, in every variant",
    IN_PART: "in some variants that the paper leaves open, or some of what it says",
    DIFFERS: "in no variant; the reason follows",
    NOT_MEASURED: "cannot be had here, or is not the paper's own result",
    OPEN: "not judged yet; what it needs follows",
}
NUMBERS = tuple(sorted(path.stem for path in FOLDER.glob("[0-9]*.toml")))


class Wrong(ValueError):
    """The catalogue contradicts itself."""


@dataclass(frozen=True)
class Finding:
    """One of a paper's. `measured`: what today's machines show. `because`: why this tolerance."""

    where: str
    says: str
    verdict: str
    here: str
    within: str
    because: str
    why: str
    measured: str
    again: tuple[str, ...]
    judged: tuple[Judged, ...]

    @property
    def found(self) -> str:
        """What Weir finds, simulated and measured."""
        return " ".join(filter(None, (self.here, self.measured and f"Measured: {self.measured}")))

    @property
    def reason(self) -> str:
        """The tolerance and why that one, and the reason for any other verdict than agreement."""
        because = f"{self.within} ({self.because})" if self.within and self.because else self.within or self.because
        return " ".join(filter(None, (_sentence(because), self.why)))


@dataclass(frozen=True)
class Paper:
    number: str
    name: str
    about: str
    findings: tuple[Finding, ...]

    @property
    def title(self) -> str:
        return TITLES[self.name]

    @property
    def counts(self) -> Counter[str]:
        return Counter(finding.verdict for finding in self.findings)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def judged(path: Path = JUDGED) -> dict[str, list[Judged]]:
    """By scenario, or measured table."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {name: [Judged(**one, of=name) for one in found] for name, found in kept.items()}


@cache
def papers() -> tuple[Paper, ...]:
    known = judged()
    return tuple(_paper(number, known) for number in NUMBERS)


def paper(number: str) -> Paper:
    return next(one for one in papers() if one.number == number)


def _paper(number: str, known: dict[str, list[Judged]]) -> Paper:
    said = tomllib.loads((FOLDER / f"{number}.toml").read_text(encoding="utf-8"))
    return Paper(number, said["paper"], said["about"], tuple(finding(row, known) for row in said["finding"]))


def finding(row: dict[str, Any], known: dict[str, list[Judged]]) -> Finding:
    """Of a row of the list. `judged` has beginnings of what judges say, behind the scenario's name; each stands for all
    findings that begin so, which are variants."""
    found = tuple(dict.fromkeys(one for name in row.get("judged", ()) for one in _named(name, known)))
    unknown = row.keys() - {"where", "says", "verdict", "here", "because", "why", "measured", "again", "judged"}
    if unknown or not row.keys() >= {"where", "says"}:
        raise Wrong(f"{row.get('says')}: {unknown or 'says not where'}")
    if found and "verdict" in row:
        raise Wrong(f"{row['says']}: its judges have the verdict")
    verdict = _verdict(found) if found else row.get("verdict")
    if verdict not in VERDICTS:
        raise Wrong(f"{row['says']}: {verdict} is no verdict")
    of = dict.fromkeys(one.of for one in found)
    return Finding(
        where=row["where"],
        says=row["says"],
        verdict=verdict,
        here=" ".join(filter(None, (_simulated(found), row.get("here", "")))),
        within="; ".join(dict.fromkeys(one.within for one in found)),
        because=row.get("because", ""),
        why=" ".join(dict.fromkeys([*(one.why for one in found if not one.holds), row.get("why", "")])).strip(),
        measured=row.get("measured", ""),
        again=(*(TABLES[n].command if n in TABLES else f"weir simulate {n}" for n in of), *row.get("again", ())),
        judged=found,
    )


def _named(name: str, known: dict[str, list[Judged]]) -> list[Judged]:
    of, _, begins = name.partition(": ")
    found = [one for one in known.get(of, ()) if one.says.startswith(begins)]
    if not found:
        raise Wrong(f"no finding of {of} begins with: {begins}")
    return found


def _verdict(found: tuple[Judged, ...]) -> str:
    holds = {one.holds for one in found}
    return IN_PART if len(holds) == 2 else AGREES if holds == {True} else DIFFERS


def _simulated(found: tuple[Judged, ...]) -> str:
    """Several with what distinguishes them, and whether each holds where they differ."""
    places = len({one.of for one in found}) > 1
    mixed = len({one.holds for one in found}) == 2
    words = []
    for one in found:
        variant = one.variant if len(found) > 1 or one.of in TABLES else ""
        label = ", ".join(filter(None, (one.of if places else "", variant)))
        verdict = f" ({'agrees' if one.holds else 'differs'})" if mixed else ""
        words.append(f"{label}: {one.simulated}{verdict}" if label else f"{one.simulated}{verdict}")
    said = "; ".join(words)
    return said + "." if len(found) > 1 else _sentence(said) if said else ""
