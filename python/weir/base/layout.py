"""What all pages of Weir share: one file that needs no other, the colours of a theme, charts as wide as their column.

A page's template begins with `{% extends "base.html.j2" %}` and fills the blocks `title` and `content`; a chart stands
in a `<div class="chart" id="NAME">`, a table in a `<div class="wide">`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.base import theme
from weir.base.late import late

jinja2 = late("jinja2")

if TYPE_CHECKING:
    import altair as alt

LOOKS = Path(__file__).with_name("looks")


def render(template: Path, charts: Mapping[str, "alt.TopLevelMixin"] | None = None, **values: Any) -> str:
    """`charts`: by the id of the element that each is drawn in."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([template.parent, LOOKS]), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template(template.name).render(
        colours=theme.css(),
        style=(LOOKS / "page.css").read_text(encoding="utf-8"),
        drawing=(LOOKS / "charts.js").read_text(encoding="utf-8"),
        charts=_specs(charts or {}),
        library=_library,
        **values,
    )


def _specs(charts: Mapping[str, "alt.TopLevelMixin"]) -> str:
    if not charts:
        return "[]"
    from weir.base import drawing  # takes a second to load, and a page may have no chart

    pairs = [[name, drawing.spec(chart)] for name, chart in charts.items()]
    return json.dumps(pairs, separators=(",", ":")).replace("</", "<\\/")


def _library() -> str:
    import vl_convert

    return vl_convert.javascript_bundle()
