# SPDX-License-Identifier: Apache-2.0
"""Makes the HTML page of a launch from the data of page.py. The page needs no network.

    python page_html.py DATA.json ... FOLDER

writes FOLDER/DATA.html for each of the files. The build does this with docs/profiles, so this
module needs only Jinja and no installed cannery.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

__all__ = ["PageData", "main", "render_page"]

#: The result of `page_data` in page.py.
PageData = dict[str, Any]

_TEMPLATES = Path(__file__).with_name("templates")

#: Explanations of the pipes, for the page.
_PIPES = {
    "S": "scalar unit: loops, indices, and putting instructions into the queues of the others",
    "V": "vector unit",
    "M": "cube unit: matrix products",
    "MTE1": "copies from L1 into L0, for the cube unit",
    "MTE2": "copies from global memory (GM) into the core",
    "MTE3": "copies from the core to global memory (GM)",
    "FIX": "copies of products out of L0C",
}


def render_page(data: PageData) -> str:
    """Returns the HTML text of the page."""
    return str(
        _template().render(
            **{name: value for name, value in data.items() if name != "timeline"},
            pipes=_PIPES,
            step=data["timeline"]["step"],
            style=Markup((_TEMPLATES / "page.css").read_text("utf-8")),  # noqa: S704
            script=Markup((_TEMPLATES / "page.js").read_text("utf-8")),  # noqa: S704
            data=_script_json(data["timeline"]),
        )
    )


def main(arguments: Sequence[str]) -> None:
    """Renders a page for each JSON file among the arguments; the last argument is the folder."""
    *files, folder = map(Path, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        text = render_page(json.loads(file.read_text("utf-8")))
        (folder / file.with_suffix(".html").name).write_text(text, encoding="utf-8", newline="\n")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["size"] = _size
    environment.filters["us"] = _us
    environment.filters["percent"] = lambda share: f"{100 * share:.0f} %"
    return environment.get_template("page.html.jinja")


def _script_json(data: Any) -> Markup:
    """Returns JSON for an HTML script element; no text in it can end the element."""
    text = json.dumps(data, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704


def _size(number: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if abs(number) < 1024:
            return f"{number:.3g} {unit}"
        number /= 1024
    return f"{number:.3g} GiB"


def _us(us: float) -> str:
    return f"{us:.2f}" if us < 100 else f"{us:.0f}"


if __name__ == "__main__":
    main(sys.argv[1:])
