# SPDX-License-Identifier: Apache-2.0
"""`cannery examples`: lists the examples that are installed with this version, and copies them."""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path

from cannery import _runtime
from cannery.cli import output
from cannery.errors import CanneryError

__all__ = ["examples", "show"]

#: The folder with the files that several examples include.
_SHARED = "common"


def examples() -> dict[str, Path]:
    """Returns the folders of the examples by their names, such as `06_launch`."""
    folder = _runtime.twin_root() / "examples"
    found = {path.parent.name: path.parent for path in sorted(folder.glob("*/README.md"))}
    if not found:
        raise CanneryError(f"no examples in {folder}; reinstall cannery")
    return found


def show(names: list[str], every: bool, out: Path, as_json: bool) -> None:
    """Copies the named examples into the folder `out`; without names, lists all examples."""
    known = examples()
    if not names and not every:
        _list(known, as_json)
        return
    named = [_name(name, known) for name in names]
    chosen = list(known) if every else named
    made = _copy([known[name] for name in dict.fromkeys(chosen)], out)
    if as_json:
        output.print_json({"ok": True, "folders": [str(path) for path in made]})
        return
    for path in made:
        output.console().print(str(path), highlight=False, markup=False, soft_wrap=True)
    output.print_paragraph(
        "README.md in each folder says what the example shows and how to run it."
    )


def _list(known: dict[str, Path], as_json: bool) -> None:
    titles = {name: _title(path / "README.md") for name, path in known.items()}
    if as_json:
        rows = [{"name": name, "title": titles[name], "path": str(known[name])} for name in known]
        output.print_json({"ok": True, "examples": rows})
        return
    table = output.plain_table(headings=False)
    for name, title in titles.items():
        table.add_row(name, title)
    output.console().print(table)
    output.print_paragraph("`cannery examples NAME` copies an example into the folder examples.")


def _title(page: Path) -> str:
    return page.read_text("utf-8").splitlines()[0].lstrip("# ")


def _name(given: str, known: dict[str, Path]) -> str:
    """Returns the full name of an example; `given` may lack the number."""
    name = given.removeprefix("examples/").strip("/")
    for each in known:
        if name in (each, each.partition("_")[2]):
            return each
    short = {each.partition("_")[2]: each for each in known}
    near = difflib.get_close_matches(name, [*known, *short], n=1, cutoff=0.5)
    advice = (
        f"did you mean {short.get(near[0], near[0])}?" if near else f"expected {', '.join(known)}"
    )
    raise ValueError(f"NAME: no example {given!r}; {advice}")


def _copy(folders: list[Path], out: Path) -> list[Path]:
    """Copies the folders, and the folder that they share, into `out`; returns the copies."""
    made = [out / folder.name for folder in folders]
    taken = next((path for path in made if path.exists()), None)
    if taken is not None:
        raise CanneryError(f"{taken}: is there already; choose another folder with --out")
    shared = folders[0].parent / _SHARED
    needs_shared = any(
        f"../{_SHARED}/" in _text(path) for each in folders for path in each.iterdir()
    )
    try:
        for folder, target in zip(folders, made, strict=True):
            shutil.copytree(folder, target)
        if needs_shared:
            shutil.copytree(shared, out / _SHARED, dirs_exist_ok=True)
    except OSError as error:
        raise CanneryError(f"{out}: cannot be written: {error.strerror or error}") from None
    return made


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""
