# SPDX-License-Identifier: Apache-2.0
"""`cannery docs`: shows the pages that are installed with this version, the kernels of the
tutorial, and HTML pages with profiles of the operators.
"""

from __future__ import annotations

import difflib
import html
import sys
from pathlib import Path

from rich.markdown import Markdown

from cannery import _runtime
from cannery.cli import output
from cannery.errors import CanneryError

__all__ = ["kernels", "pages", "profiles", "show"]


def pages() -> dict[str, Path]:
    """Returns all pages by their names without docs/ and .md, such as `twin-semantics/cube`."""
    found = {str(Path(name).with_suffix("")): path for name, path in _files("*.md").items()}
    if not found:
        raise CanneryError(f"no pages in {_folder()}; reinstall cannery")
    return found


def kernels() -> dict[str, Path]:
    """Returns the sources of the tutorial's kernels by names such as `tutorial/softmax.cpp`."""
    return _files("*.cpp")


def profiles() -> dict[str, Path]:
    """Returns HTML pages of profiled launches by names such as `profiles/swi_glu_grad`."""
    return {str(Path(name).with_suffix("")): path for name, path in _files("*.html").items()}


def _folder() -> Path:
    return _runtime.twin_root() / "docs"


def _files(pattern: str) -> dict[str, Path]:
    return {str(path.relative_to(_folder())): path for path in sorted(_folder().rglob(pattern))}


def show(page: str | None, as_json: bool) -> None:
    """Prints a page (unchanged if stdout is a pipe), a kernel, or the titles of all pages."""
    if page is None:
        _show_all(pages() | profiles(), as_json)
        return
    known = pages() | kernels() | profiles()
    name = page.removeprefix("docs/").removesuffix(".md").removesuffix(".html")
    if name not in known and f"{name}/README" in known:
        name = f"{name}/README"
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
        expected = f"one of {', '.join(near)}" if near else "a page such as errors"
        raise ValueError(f"PAGE: expected {expected}, got {page!r}; `cannery docs` lists all")
    text = known[name].read_text("utf-8")
    if as_json:
        output.print_json({"page": name, "path": str(known[name]), "text": text})
    elif sys.stdout.isatty() and known[name].suffix == ".md":
        output.console().print(Markdown(text))
    elif sys.stdout.isatty() and known[name].suffix == ".html":
        output.print_paragraph(f"A page for a browser: {known[name].as_uri()}")
    else:
        sys.stdout.write(text)


def _show_all(known: dict[str, Path], as_json: bool) -> None:
    titles = {name: _title(path) for name, path in known.items()}
    if as_json:
        rows = [{"page": name, "title": titles[name], "path": str(known[name])} for name in known]
        output.print_json({"pages": rows})
        return
    table = output.plain_table(headings=False)
    for name, title in titles.items():
        table.add_row(name, title)
    output.console().print(table)


def _title(path: Path) -> str:
    text = path.read_text("utf-8")
    if path.suffix == ".html":
        title = text.partition("<title>")[2].partition("</title>")[0]
        return f"{html.unescape(title)}, for a browser"
    lines = text.splitlines()
    return next((line.lstrip("#").strip() for line in lines if line.startswith("#")), path.stem)
