"""The history of one run: which thread ran where and what it did, and each barrier's arrival and release.

One self-contained page, one picture, and the JSON that Perfetto and chrome://tracing read.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from weir.base import layout, theme
from weir.base.driver import Lost, Process
from weir.base.outputs import prepare, writing
from weir.base.screen import nanoseconds
from weir.base.theme import colour
from weir.simulation.scenario import Plan

ACTIVITIES = ("computing", "spinning", "synchronizing", "switching", "ready", "sleeping")
MOST_STRETCHES = 300_000
MOST_DRAWN = 20_000  # in the picture: more would not be told apart
ROW, LEFT, WIDTH = 18, 150, 1100
APART = 8  # pixels of the picture for each barrier: closer lines would hide all else


class NoHistory(ValueError):
    """The run has no history to show; the message says why."""


@dataclass(frozen=True)
class History:
    title: str
    end_ns: float
    threads: list[str]
    processors: int
    stretches: list[list[Any]]  # thread, processor, activity, from, until
    episodes: list[list[list[float]]]  # for each application: first and last arrival, first and last leaving


def take(plan: Plan, point: int, seed: int) -> History:
    """Runs the point once more, keeping everything. Raises NoHistory, NativeError."""
    if point >= len(plan.points):
        raise NoHistory(f"--point {point}: {plan.name} has points 0 to {len(plan.points) - 1}")
    process = Process("weir-simulate", [str(plan.path), str(plan.machines)])
    try:
        answer = process.ask(f"run {point} {seed} history", 3600.0)
    except Lost as error:
        raise NoHistory(str(error)) from None
    finally:
        process.quit()
    if "error" in answer:
        raise NoHistory(answer["error"])
    if len(answer["history"]) > MOST_STRETCHES:
        raise NoHistory(
            f"the history has {len(answer['history']):,} stretches and a page holds {MOST_STRETCHES:,}: simulate fewer "
            "barriers or threads"
        )
    chosen = ", ".join(f"{k.rpartition('.')[2]} {v}" for k, v in plan.points[point]["chosen"].items())
    names = [a["name"] for a in answer["applications"]]
    prefix = (lambda t: f"{names[t['application']]} · ") if len(names) > 1 else (lambda _: "")
    return History(
        title=f"{plan.name}{': ' if chosen else ''}{chosen} (seed {seed})",
        end_ns=answer["end_ns"],
        threads=[f"{prefix(t)}thread {t['member']}" for t in answer["threads"]],
        processors=answer["processors"],
        stretches=answer["history"],
        episodes=answer["episodes"],
    )


def write(history: History, base: Path) -> list[Path]:
    """BASE.html, BASE.svg and BASE.json."""
    made = {".html": page(history), ".svg": picture(history), ".json": json.dumps(trace(history))}
    paths = []
    for suffix, text in made.items():
        path = base.with_name(base.name + suffix)
        prepare(path)
        with writing(path):
            path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def trace(history: History) -> dict[str, Any]:
    """Chrome's trace event format: process 1 is the threads, 2 the processors. Microseconds."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}
        for pid, name in ((1, "threads"), (2, "processors"))
    ]
    events += [
        {"ph": "M", "pid": 1, "tid": i, "name": "thread_name", "args": {"name": name}}
        for i, name in enumerate(history.threads)
    ]
    for thread, processor, doing, start, end in history.stretches:
        one = {"ph": "X", "name": doing, "ts": start / 1e3, "dur": (end - start) / 1e3}
        events.append(one | {"pid": 1, "tid": thread, "args": {"processor": processor}})
        if doing not in ("ready", "sleeping"):
            events.append(one | {"pid": 2, "tid": processor, "args": {"thread": history.threads[thread]}})
    for application, episodes in enumerate(history.episodes):
        for number, (first, last, released, left) in enumerate(episodes):
            words = {"first arrival": first, "last arrival": last, "first leaving": released, "last leaving": left}
            events += [
                {"ph": "i", "s": "p", "pid": 1, "tid": 0, "name": f"barrier {number}: {what}", "ts": at / 1e3,
                 "args": {"application": application}}
                for what, at in words.items()
            ]  # fmt: skip
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"title": history.title}}


def _rectangles(history: History, until: float) -> Iterator[str]:
    scale = WIDTH / until
    for thread, processor, doing, start, end in history.stretches:
        if start >= until:
            continue
        width = max((min(end, until) - start) * scale, 0.3)
        yield (
            f'<rect x="{LEFT + start * scale:.2f}" y="{30 + thread * ROW}" width="{width:.2f}" height="{ROW - 4}" '
            f'fill="{colour(doing)}"><title>{escape(history.threads[thread])}, processor {processor}: {doing} '
            f"{nanoseconds(end - start)}</title></rect>"
        )


def _barriers(episodes: list[tuple[int, list[float]]], scale: float, height: int) -> Iterator[str]:
    for number, (_, arrived, _, left) in episodes:
        for at, dash, what in ((arrived, "2 2", "the last arrives"), (left, "", "the last leaves")):
            x = LEFT + at * scale
            yield (
                f'<line x1="{x:.2f}" x2="{x:.2f}" y1="28" y2="{height}" stroke="{colour("ink")}" stroke-width=".7" '
                f'stroke-dasharray="{dash}"><title>barrier {number}: {what}</title></line>'
            )


def picture(history: History) -> str:
    """As much of the beginning as can be told apart, a row for each thread."""
    until = history.end_ns
    if len(history.stretches) > MOST_DRAWN:
        until = sorted(s[3] for s in history.stretches)[MOST_DRAWN]
    scale = WIDTH / max(until, 1)
    height = 30 + ROW * len(history.threads)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height + 50}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="10" y="18" font-weight="bold">{escape(history.title)}</text>',
    ]
    parts += [f'<text x="10" y="{42 + i * ROW}">{escape(n)}</text>' for i, n in enumerate(history.threads)]
    parts += _rectangles(history, until)
    drawn = [(n, e) for episodes in history.episodes for n, e in enumerate(episodes) if e[3] <= until]
    if len(drawn) * APART <= WIDTH:
        parts += _barriers(drawn, scale, height)
    for i in range(6):
        at = until * i / 5
        parts.append(
            f'<text x="{LEFT + at * scale:.1f}" y="{height + 16}" text-anchor="middle">{nanoseconds(at)}</text>'
        )
    for i, name in enumerate(ACTIVITIES):
        parts.append(f'<rect x="{LEFT + i * 130}" y="{height + 28}" width="12" height="12" fill="{colour(name)}"/>')
        parts.append(f'<text x="{LEFT + i * 130 + 17}" y="{height + 38}">{name}</text>')
    return theme.light("\n".join([*parts, "</svg>\n"]))


def page(history: History) -> str:
    data = {
        "end": history.end_ns,
        "threads": history.threads,
        "processors": history.processors,
        "activities": ACTIVITIES,
        "colours": [colour(name) for name in ACTIVITIES],
        "stretches": [[t, p, ACTIVITIES.index(d), a, b] for t, p, d, a, b in history.stretches],
        "episodes": history.episodes,
    }
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return layout.render(Path(__file__).with_name("history.html.j2"), title=history.title, data=text)
