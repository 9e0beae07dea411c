"""The colours of pages and charts, light and dark: what appears on several charts has one colour on all of them.

Charts name a colour as CSS does, `var(--libgomp)`: a page follows the reader's scheme without being drawn again.
Pictures have no style sheet, and take the light values (`light`).
"""

import re
from collections.abc import Iterable

# Of each: light, dark. Text and lines differ from their ground by 4.5 : 1 and by 3 : 1.
COLOURS: dict[str, tuple[str, str]] = {
    "ink": ("#202124", "#e8eaed"),
    "soft": ("#5f6368", "#a8adb4"),
    "line": ("#dadce0", "#3c4043"),
    "paper": ("#ffffff", "#17191c"),
    "tint": ("#f1f5fc", "#22262b"),
    "good": ("#137333", "#81c995"),
    "bad": ("#b3261e", "#f28b82"),
    "rest": ("#c3c8ce", "#4b5157"),  # a series that is not spoken of
    "floor": ("#5f6368", "#a8adb4"),
    "weir": ("#0b57d0", "#8ab4f8"),  # Weir's default, and its OpenMP runtime
    "weirs": ("#7aa7e8", "#4c76b8"),  # Weir's other barriers
    "libgomp": ("#c2570c", "#f6a560"),
    "libomp": ("#188038", "#81c995"),
    "libiomp5": ("#8430ce", "#c58af9"),
    "mpich": ("#00797f", "#4fc3c9"),
    "openmpi": ("#c2185b", "#f48fb1"),
    "stdlib": ("#8d5524", "#d0a070"),  # std::barrier
    "pthread": ("#747800", "#cdd04e"),
    "ck": ("#a8325e", "#e08aa8"),
    "boost": ("#4a5f78", "#9fb6d0"),
    "computing": ("#188038", "#5bb974"),  # what a simulated thread does
    "spinning": ("#d93025", "#f28b82"),
    "synchronizing": ("#7aa7e8", "#669df6"),
    "switching": ("#f9ab00", "#fdd663"),
    "ready": ("#bdc1c6", "#5f6368"),
    "sleeping": ("#eef1f4", "#2a2e33"),
    "mine": ("#a50e8a", "#ff8bdc"),  # the user's own barriers
    "other1": ("#6d4c41", "#bcaaa4"),
    "other2": ("#00695c", "#80cbc4"),
    "other3": ("#8a6100", "#e2b64c"),
    "other4": ("#5e35b1", "#b39ddb"),
}  # fmt: skip

# How names begin, and the colour of what is so called.
NAMED = {
    "Weir's default": "weir",
    "Weir's runtime": "weir",
    "Weir's MPI_Barrier": "weir",
    "weir": "weir",
    "libgomp": "libgomp",
    "libomp": "libomp",
    "libiomp5": "libiomp5",
    "MPICH": "mpich",
    "Open MPI": "openmpi",
    "std::barrier": "stdlib",
    "pthread_barrier_t": "pthread",
    "ck_barrier": "ck",
    "boost::barrier": "boost",
    "floor": "floor",
}
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4])

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


def colour(role: str) -> str:
    """As charts and style sheets name it."""
    if role not in COLOURS:
        raise KeyError(role)
    return f"var(--{role})"


def _known(name: str) -> str | None:
    return next((role for start, role in NAMED.items() if name.startswith(start)), None)


def colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name: its own where it has one, else the next of those left."""
    names = list(dict.fromkeys(names))
    left = [role for role in COLOURS if role.startswith("other")]
    left += [role for role in dict.fromkeys(NAMED.values()) if role not in ("floor", *map(_known, names))]
    strangers = [n for n in names if _known(n) is None]
    taken = {n: left[i % len(left)] for i, n in enumerate(strangers)}
    return {n: colour(_known(n) or taken[n]) for n in names}


def dashes(names: Iterable[str]) -> dict[str, list[int]]:
    """Tells apart what has one colour: versions of a runtime, or settings of it."""
    shown: dict[str, int] = {}
    made = {}
    for name, hue in colours(names).items():
        made[name] = DASHES[shown.get(hue, 0) % len(DASHES)]
        shown[hue] = shown.get(hue, 0) + 1
    return made


def css() -> str:
    """The colours as a style sheet's properties."""
    light, dark = (" ".join(f"--{name}: {both[i]};" for name, both in COLOURS.items()) for i in (0, 1))
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {dark} }} }}"
    )


def light(text: str) -> str:
    """With colours in place of their names."""
    return re.sub(r"var\(--(\w+)\)", lambda found: COLOURS[found.group(1)][0], text)
